/* SPDX-License-Identifier: MIT */
/*
 * Infers the machine of k-gram statistics. The engine receives the strings of the
 * statistics as words, and builds from them a machine with the same states and transitions
 * as that of the original words. A path (a string of consecutive windows, see windows.h)
 * becomes a word truncated at both ends. The beginning or end of an original word (a piece)
 * becomes a word of its own; it is truncated at each end that is not a known end of the
 * original word.
 *
 * The k-tails of the states before a truncated end are unknown, but determinising merges
 * these states with those that the next window passes through. The counts of the machine
 * are then replaced: every letter is counted as often as it occurs in the original words.
 * The result is also correct for a k smaller than that of the statistics, because their
 * strings then contain more letters than needed.
 */
#include <ktail/kgrams.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/engine/conserve.h"
#include "infer/engine/renumber.h"
#include "infer/engine/word-set.h"
#include "infer/merge/kgram-set.h"

#define CHUNK   4096
#define NO_PART UINT32_MAX

/* --- roles of pieces --- */

/* The role of a piece in a word. A word of at most k letters is called short. */
enum role {
	ROLE_START,     /* the known beginning of a word, or all of a short complete word */
	ROLE_START_CUT, /* all of a short word that is truncated only at its end */
	ROLE_ENTRY,     /* the first k + 1 letters of a word with a truncated beginning */
	ROLE_END, /* the last k letters of a word with a known end, or all of a short word
		   * that is truncated only at its beginning */
	ROLE_END_CUT, /* as ROLE_END, but the word is also truncated at its end */
	ROLES,
};

/*
 * A piece in a role, which becomes one word for the engine even if several of the original
 * words contain it.
 */
struct part {
	uint32_t piece;
	enum role role;
	uint64_t count; /* number of original words */
};

/* Plan of the words for the engine: one for each path, then one for each part. */
struct assembly {
	const kt_kgrams *kgrams; /* Weak */
	struct part *parts;      /* Owned by this */
	size_t n_parts;
	size_t capacity;
	uint32_t *part_of; /* Owned by this: index in parts, by piece and role */
	/* Owned by this: for each original word, index of its first part */
	uint32_t *first_of;
	/* Owned by this: for each original word, index of its last part */
	uint32_t *last_of;
};

/* Returns the letters of a piece, as a string of the statistics. */
static const struct kt_word *piece_at(const kt_kgrams *kgrams, uint32_t piece)
{
	return &kgrams->strings->words[kgrams->n_paths + piece];
}

static int add_part(uint32_t *out, struct assembly *a, uint32_t piece, enum role role)
{
	KT_TRY(kt_array_reserve(&a->parts, &a->capacity, a->n_parts + 1));
	*out = (uint32_t)a->n_parts;
	a->parts[a->n_parts++] = (struct part){.piece = piece, .role = role, .count = 1};
	return KT_OK;
}

/*
 * Writes to *out the index of the part for a piece in a role. A piece of fewer than k
 * letters before a truncated end gets one part per word, since the missing letters after
 * the piece may differ from word to word.
 */
static int take_part(uint32_t *out, struct assembly *a, uint32_t piece, enum role role)
{
	uint32_t *known = &a->part_of[(size_t)piece * ROLES + role];

	if (role == ROLE_END_CUT && piece_at(a->kgrams, piece)->n < a->kgrams->k) {
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

/* Collects the parts. Call clear_assembly() also on failure. O(words). */
static int assemble(struct assembly *a, const kt_kgrams *kgrams)
{
	size_t n_pieces = kgrams->strings->n_words - kgrams->n_paths;
	size_t size = (n_pieces * ROLES + 1) * sizeof(*a->part_of);

	*a = (struct assembly){.kgrams = kgrams};
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
		enum role end = word->cut_end ? ROLE_END_CUT : ROLE_END;
		enum role begin = word->cut_begin          ? ROLE_ENTRY
				  : whole && word->cut_end ? ROLE_START_CUT
							   : ROLE_START;

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

static void clear_assembly(struct assembly *a)
{
	free(a->parts);
	free(a->part_of);
	free(a->first_of);
	free(a->last_of);
}

/* --- the engine's words --- */

/*
 * Adds a string of the statistics as a word. The name of the word is its number, with
 * leading zeros, so that words sort in the order in which they were added.
 */
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

/*
 * Builds the words for the engine: the paths, then the parts. Their names make a machine
 * list them in this order, and their letters have the numbers of the statistics. The caller
 * frees *out, also on failure.
 */
static int list_words(kt_words **out, const struct assembly *a)
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
		const struct part *part = &a->parts[i];
		bool begins = part->role == ROLE_START || part->role == ROLE_START_CUT;
		bool goes_on = part->role == ROLE_ENTRY ||
			       (begins && piece_at(kgrams, part->piece)->n > kgrams->k);
		struct kt_word_info cuts = {
			.cut_begin = !begins,
			.cut_end = goes_on || part->role == ROLE_START_CUT ||
				   part->role == ROLE_END_CUT,
		};

		KT_TRY(add_word(*out, &cuts, kgrams, kgrams->n_paths + part->piece));
	}
	return KT_OK;
}

/* --- counts --- */

/*
 * Moves *state along its transition with the letter at a position of the strings, and adds
 * `count` to the counts of the transition and of the state that it leaves. The transition
 * exists, because the machine was inferred from the strings. leaving[] holds the index of
 * each state's first transition.
 */
static void take(struct kt_fsm *fsm, const size_t *leaving, const kt_words *strings,
		 uint32_t *state, uint64_t position, uint64_t count)
{
	uint32_t letter = kt_word_set_letter(strings, position);
	size_t lo = leaving[*state];
	size_t hi = leaving[*state + (size_t)1];

	while (hi - lo > 1) {
		size_t middle = lo + (hi - lo) / 2;

		if (fsm->transitions[middle].letter <= letter) {
			lo = middle;
		} else {
			hi = middle;
		}
	}
	fsm->transitions[lo].count += count;
	fsm->states[*state].visits += count;
	*state = fsm->transitions[lo].to;
}

static int count(struct kt_fsm *fsm, const struct assembly *assembly)
{
	const kt_kgrams *kgrams = assembly->kgrams;
	const kt_words *strings = kgrams->strings;
	const uint64_t *counts = kgrams->counts;
	size_t *leaving = calloc(fsm->n_states + 1, sizeof(*leaving));

	if (!leaving) {
		return kt_no_memory("infer machine");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		leaving[fsm->transitions[i].from + (size_t)1]++;
		fsm->transitions[i].count = 0;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		leaving[i + 1] += leaving[i];
		fsm->states[i].visits = 0;
		fsm->states[i].ends = 0;
	}
	/*
	 * Each window counts only its first letter. The last k letters of a path begin no
	 * window of this path; they are counted by other windows or by the ends of words.
	 */
	for (size_t i = 0; i < kgrams->n_paths; i++) {
		const struct kt_word *path = &strings->words[i];
		uint32_t state = fsm->words[i].entry;

		for (uint64_t j = 0; j < path->n - kgrams->k; j++) {
			take(fsm, leaving, strings, &state, path->begin + j, *counts++);
		}
	}
	for (size_t i = 0; i < assembly->n_parts; i++) {
		const struct part *part = &assembly->parts[i];
		const struct kt_word *piece = piece_at(kgrams, part->piece);
		uint32_t state = fsm->words[kgrams->n_paths + i].entry;
		uint64_t n = piece->n;

		/*
		 * Windows and ends of words count all letters of a truncated beginning, and
		 * all but the first letter of a known beginning of more than k letters. All
		 * other pieces count all their letters here.
		 */
		if (part->role == ROLE_ENTRY) {
			n = 0;
		} else if (part->role == ROLE_START && n > kgrams->k) {
			n = 1;
		}
		for (uint64_t j = 0; j < n; j++) {
			take(fsm, leaving, strings, &state, piece->begin + j, part->count);
		}
	}
	free(leaving);
	return KT_OK;
}

/* --- words --- */

static void free_words(struct kt_fsm_word *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(words[i].name);
	}
	free(words);
}

static int replace_words(const struct assembly *a, struct kt_fsm *fsm)
{
	size_t n = a->kgrams->n_words;
	const struct kt_fsm_word *parts = fsm->words + a->kgrams->n_paths;
	struct kt_fsm_word *words = calloc(n + 1, sizeof(*words));

	if (!words) {
		return kt_no_memory("infer machine");
	}
	for (size_t i = 0; i < n; i++) {
		const struct kt_kgram_word *word = &a->kgrams->words[i];
		struct kt_fsm_word *placed = &words[i];

		*placed = (struct kt_fsm_word){
			.name = strdup(word->name),
			.events = word->n,
			.lost = word->lost,
			.entry = parts[a->first_of[i]].entry,
			.exit = parts[a->last_of[i]].exit,
			.complete = !word->cut_begin && !word->cut_end,
		};
		if (!placed->name) {
			free_words(words, n);
			return kt_no_memory("infer machine");
		}
		memcpy(placed->hash, word->hash, sizeof(placed->hash));
		fsm->states[placed->exit].visits++;
		fsm->states[placed->exit].ends += !word->cut_end;
	}
	free_words(fsm->words, fsm->n_words);
	fsm->words = words;
	fsm->n_words = n;
	return KT_OK;
}

/* --- the machine --- */

int kt_kgrams_infer(struct kt_fsm **out, const kt_kgrams *kgrams, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	struct assembly assembly;
	kt_words *words = NULL;
	uint64_t known = 0;
	size_t reached;
	int code;

	*out = NULL;
	if (!kgrams->n_words) {
		return kt_error(KT_E_EMPTY, "infer machine: there are no words");
	}
	if (k > kgrams->k) {
		return kt_error(KT_E_USAGE,
				"infer machine: k is %" PRIu64
				", but the statistics are those of k = %" PRIu64,
				k, kgrams->k);
	}
	options.k = k;
	options.word = kgrams->word;
	options.alphabet_json = kgrams->alphabet_json;
	KT_TRY_END(assemble(&assembly, kgrams));
	code = list_words(&words, &assembly);
	if (!code) {
		code = kt_infer(&fsm, words, &options);
	}
	kt_words_free(words);
	if (code) {
		goto end;
	}
	KT_TRY_END(kt_versions_add_all(&fsm->versions, &kgrams->versions));
	KT_TRY_END(count(fsm, &assembly));
	KT_TRY_END(replace_words(&assembly, fsm));
	KT_TRY_END(kt_renumber(fsm, NULL, &reached));
	if (reached != fsm->n_states) {
		code = kt_error(KT_E_INTERNAL,
				"number states: %zu of %zu were "
				"reached; this is a bug in ktail",
				reached, fsm->n_states);
		goto end;
	}
	for (size_t i = 0; i < kgrams->n_words; i++) {
		known += !kgrams->words[i].cut_end;
	}
	code = kt_conserve_check_sums(fsm, kt_kgrams_events(kgrams), known);
end:
	clear_assembly(&assembly);
	if (code) {
		kt_fsm_free(fsm);
		return code;
	}
	*out = fsm;
	return KT_OK;
}
