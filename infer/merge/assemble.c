/* SPDX-License-Identifier: MIT */
#include "infer/merge/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

#define CHUNK   4096
#define NO_PART UINT32_MAX

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "assemble strings: out of memory");
}

/* --- what the strings are --- */

static int add_part(uint32_t *out, struct kt_assembly *a, uint32_t piece, enum kt_role role)
{
	int code = kt_array_reserve(&a->parts, &a->capacity, a->n_parts + 1);

	if (!code) {
		*out = (uint32_t)a->n_parts;
		a->parts[a->n_parts++] =
			(struct kt_part){.piece = piece, .role = role, .count = 1};
	}
	return code;
}

/*
 * The part of a word. Fragments that are cut before their k-th letter are known to be equal
 * to nothing, not even to each other.
 */
static int take_part(uint32_t *out, struct kt_assembly *a, uint32_t piece,
		     enum kt_role role)
{
	uint32_t *known = &a->part_of[(size_t)piece * KT_ROLES + role];
	int code = KT_OK;

	if (role == KT_ROLE_END_CUT && kt_kgram_piece(a->kgrams, piece)->n < a->kgrams->k) {
		return add_part(out, a, piece, role);
	}
	if (*known == NO_PART) {
		code = add_part(known, a, piece, role);
	} else {
		a->parts[*known].count++;
	}
	*out = *known;
	return code;
}

static int take_word(struct kt_assembly *a, size_t i)
{
	const struct kt_kgram_word *word = &a->kgrams->words[i];
	bool whole = word->n <= a->kgrams->k;
	enum kt_role end = word->cut_end ? KT_ROLE_END_CUT : KT_ROLE_END;
	enum kt_role begin = word->cut_begin          ? KT_ROLE_ENTRY
			     : whole && word->cut_end ? KT_ROLE_START_CUT
						      : KT_ROLE_START;
	int code;

	if (whole) {
		code = take_part(&a->first_of[i], a, word->first,
				 word->cut_begin ? end : begin);
		a->last_of[i] = a->first_of[i];
		return code;
	}
	code = take_part(&a->first_of[i], a, word->first, begin);
	return code ? code : take_part(&a->last_of[i], a, word->last, end);
}

int kt_assemble(struct kt_assembly *a, const kt_kgrams *kgrams)
{
	size_t n_pieces = kgrams->strings->n_words - kgrams->n_paths;
	size_t size = (n_pieces * KT_ROLES + 1) * sizeof(*a->part_of);
	int code = KT_OK;

	*a = (struct kt_assembly){.kgrams = kgrams};
	a->part_of = malloc(size);
	a->first_of = malloc((kgrams->n_words + 1) * sizeof(*a->first_of));
	a->last_of = malloc((kgrams->n_words + 1) * sizeof(*a->last_of));
	if (!a->part_of || !a->first_of || !a->last_of) {
		return out_of_memory();
	}
	memset(a->part_of, 0xff, size);
	for (size_t i = 0; !code && i < kgrams->n_words; i++) {
		code = take_word(a, i);
	}
	return code;
}

void kt_assembly_clear(struct kt_assembly *a)
{
	free(a->parts);
	free(a->part_of);
	free(a->first_of);
	free(a->last_of);
}

/* --- the engine's words --- */

static int copy_letters(kt_words *words, const kt_kgrams *kgrams, size_t string)
{
	uint64_t n = kgrams->strings->words[string].n;
	uint32_t chunk[CHUNK];
	int code = KT_OK;

	for (uint64_t from = 0; !code && from < n;) {
		size_t m = n - from < CHUNK ? (size_t)(n - from) : CHUNK;

		code = kt_words_read(kgrams->strings, string, from, m, chunk);
		code = code ? code : kt_words_append(words, chunk, m);
		from += m;
	}
	return code;
}

/* The i-th, named so that the machine lists them in this order. */
static int add_word(kt_words *words, const struct kt_word_info *cuts,
		    const kt_kgrams *kgrams, size_t string)
{
	struct kt_word_info info = *cuts;
	char name[24];
	int code;

	snprintf(name, sizeof(name), "%020zu", kt_words_count(words));
	info.name = name;
	code = kt_words_begin(words, &info);
	return code ? code : copy_letters(words, kgrams, string);
}

static int add_part_word(kt_words *words, const struct kt_part *part,
			 const kt_kgrams *kgrams)
{
	bool begins = part->role == KT_ROLE_START || part->role == KT_ROLE_START_CUT;
	bool goes_on = part->role == KT_ROLE_ENTRY ||
		       (begins && kt_kgram_piece(kgrams, part->piece)->n > kgrams->k);
	struct kt_word_info cuts = {
		.cut_begin = !begins,
		.cut_end = goes_on || part->role == KT_ROLE_START_CUT ||
			   part->role == KT_ROLE_END_CUT,
	};

	return add_word(words, &cuts, kgrams, kgrams->n_paths + part->piece);
}

int kt_assembly_words(kt_words **out, const struct kt_assembly *a)
{
	const kt_kgrams *kgrams = a->kgrams;
	const struct kt_word_info fragment = {.cut_begin = true, .cut_end = true};
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	for (uint32_t i = 0; !code && i < kt_words_letter_count(kgrams->strings); i++) {
		const char *name = kt_words_letter_name(kgrams->strings, i);
		uint32_t number;

		code = kt_words_letter(&number, words, name, strlen(name));
	}
	for (size_t i = 0; !code && i < kgrams->n_paths; i++) {
		code = add_word(words, &fragment, kgrams, i);
	}
	for (size_t i = 0; !code && i < a->n_parts; i++) {
		code = add_part_word(words, &a->parts[i], kgrams);
	}
	*out = words;
	return code;
}
