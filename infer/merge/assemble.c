/* SPDX-License-Identifier: MIT */
#include "infer/merge/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

#define CHUNK   4096
#define NO_PART UINT32_MAX

/* --- what the strings are --- */

static int add_part(uint32_t *out, struct kt_assembly *a, uint32_t piece, enum kt_role role)
{
	KT_TRY(kt_array_reserve(&a->parts, &a->capacity, a->n_parts + 1));
	*out = (uint32_t)a->n_parts;
	a->parts[a->n_parts++] = (struct kt_part){.piece = piece, .role = role, .count = 1};
	return KT_OK;
}

/*
 * The part of a word. Fragments that are cut before their k-th letter are known to be equal
 * to nothing, not even to each other.
 */
static int take_part(uint32_t *out, struct kt_assembly *a, uint32_t piece,
		     enum kt_role role)
{
	uint32_t *known = &a->part_of[(size_t)piece * KT_ROLES + role];

	if (role == KT_ROLE_END_CUT && kt_kgram_piece(a->kgrams, piece)->n < a->kgrams->k) {
		return add_part(out, a, piece, role);
	}
	if (*known == NO_PART) {
		KT_TRY(add_part(known, a, piece, role));
	} else {
		a->parts[*known].count++;
	}
	*out = *known;
	return KT_OK;
}

int kt_assemble(struct kt_assembly *a, const kt_kgrams *kgrams)
{
	size_t n_pieces = kgrams->strings->n_words - kgrams->n_paths;
	size_t size = (n_pieces * KT_ROLES + 1) * sizeof(*a->part_of);

	*a = (struct kt_assembly){.kgrams = kgrams};
	a->part_of = malloc(size);
	a->first_of = malloc((kgrams->n_words + 1) * sizeof(*a->first_of));
	a->last_of = malloc((kgrams->n_words + 1) * sizeof(*a->last_of));
	if (!a->part_of || !a->first_of || !a->last_of) {
		return kt_no_memory("assemble strings");
	}
	memset(a->part_of, 0xff, size);
	for (size_t i = 0; i < kgrams->n_words; i++) {
		const struct kt_kgram_word *word = &kgrams->words[i];
		bool whole = word->n <= kgrams->k;
		enum kt_role end = word->cut_end ? KT_ROLE_END_CUT : KT_ROLE_END;
		enum kt_role begin = word->cut_begin          ? KT_ROLE_ENTRY
				     : whole && word->cut_end ? KT_ROLE_START_CUT
							      : KT_ROLE_START;

		if (whole) {
			KT_TRY(take_part(&a->first_of[i], a, word->first,
					 word->cut_begin ? end : begin));
			a->last_of[i] = a->first_of[i];
		} else {
			KT_TRY(take_part(&a->first_of[i], a, word->first, begin));
			KT_TRY(take_part(&a->last_of[i], a, word->last, end));
		}
	}
	return KT_OK;
}

void kt_assembly_clear(struct kt_assembly *a)
{
	free(a->parts);
	free(a->part_of);
	free(a->first_of);
	free(a->last_of);
}

/* --- the engine's words --- */

/* The i-th, named so that the machine lists them in this order. */
static int add_word(kt_words *words, const struct kt_word_info *cuts,
		    const kt_kgrams *kgrams, size_t string)
{
	uint64_t n = kgrams->strings->words[string].n;
	struct kt_word_info info = *cuts;
	uint32_t chunk[CHUNK];
	char name[24];

	snprintf(name, sizeof(name), "%020zu", kt_words_count(words));
	info.name = name;
	KT_TRY(kt_words_begin(words, &info));
	for (uint64_t from = 0; from < n; from += CHUNK) {
		size_t m = n - from < CHUNK ? (size_t)(n - from) : CHUNK;

		KT_TRY(kt_words_read(kgrams->strings, string, from, m, chunk));
		KT_TRY(kt_words_append(words, chunk, m));
	}
	return KT_OK;
}

int kt_assembly_words(kt_words **out, const struct kt_assembly *a)
{
	const kt_kgrams *kgrams = a->kgrams;
	const struct kt_word_info fragment = {.cut_begin = true, .cut_end = true};

	KT_TRY(kt_words_new(out));
	for (uint32_t i = 0; i < kt_words_letter_count(kgrams->strings); i++) {
		const char *name = kt_words_letter_name(kgrams->strings, i);
		uint32_t number;

		KT_TRY(kt_words_letter(&number, *out, name, strlen(name)));
	}
	for (size_t i = 0; i < kgrams->n_paths; i++) {
		KT_TRY(add_word(*out, &fragment, kgrams, i));
	}
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct kt_part *part = &a->parts[i];
		bool begins =
			part->role == KT_ROLE_START || part->role == KT_ROLE_START_CUT;
		bool goes_on =
			part->role == KT_ROLE_ENTRY ||
			(begins && kt_kgram_piece(kgrams, part->piece)->n > kgrams->k);
		struct kt_word_info cuts = {
			.cut_begin = !begins,
			.cut_end = goes_on || part->role == KT_ROLE_START_CUT ||
				   part->role == KT_ROLE_END_CUT,
		};

		KT_TRY(add_word(*out, &cuts, kgrams, kgrams->n_paths + part->piece));
	}
	return KT_OK;
}
