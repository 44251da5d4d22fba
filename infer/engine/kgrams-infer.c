/* SPDX-License-Identifier: MIT */
/*
 * The machine of statistics. Their strings are themselves words of which the machine has
 * the same states and transitions: a path is a fragment that is cut on both sides, and so
 * are the beginnings and ends of words, each with what is known of it. Where such a
 * fragment is cut its tail is unknown, but its states are those that the window behind it
 * leads through, once determinised. So the engine infers the machine of the strings, and
 * then each letter is counted as often as it occurs in the words. All of that holds for
 * smaller k as well, for which the strings hold more than is needed.
 */
#include <ktail/kgrams.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/engine/conserve.h"
#include "infer/engine/kgram-set.h"
#include "infer/engine/renumber.h"
#include "infer/engine/word-set.h"

#define CHUNK   4096
#define NO_PART UINT32_MAX

/* What a piece is to a word. */
enum role {
	ROLE_START,     /* its beginning at the start, or all of it */
	ROLE_START_CUT, /* all of it, which is cut before its k-th letter or there */
	ROLE_ENTRY,     /* its beginning, where it is a fragment */
	ROLE_END,       /* its last letters, or all of a fragment */
	ROLE_END_CUT,   /* the same before a cut end */
	N_ROLES,
};

/* A piece in a role: one string for the engine, whatever the number of words. */
struct part {
	uint32_t piece;
	enum role role;
	uint64_t count; /* words */
};

struct assembly {
	const kt_kgrams *kgrams; /* Weak */
	struct part *parts;      /* Owned by this; the strings behind the paths */
	size_t n_parts;
	size_t capacity;
	uint32_t *part_of;  /* Owned by this: by piece and role */
	uint32_t *first_of; /* Owned by this: by word, the part it begins with */
	uint32_t *last_of;  /* Owned by this: by word, the part it ends with */
	size_t *leaving; /* Owned by this: by state of the machine, its first transition */
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "infer machine: out of memory");
}

static const struct kt_word *piece_of(const kt_kgrams *kgrams, uint32_t piece)
{
	return &kgrams->strings->words[kgrams->n_paths + piece];
}

/* --- what the strings are --- */

static int add_part(uint32_t *out, struct assembly *a, uint32_t piece, enum role role)
{
	int code = kt_array_reserve(&a->parts, &a->capacity, a->n_parts + 1);

	if (!code) {
		*out = (uint32_t)a->n_parts;
		a->parts[a->n_parts++] =
			(struct part){.piece = piece, .role = role, .count = 1};
	}
	return code;
}

/*
 * The part of a word. Fragments that are cut before their k-th letter are known to be equal
 * to nothing, not even to each other.
 */
static int take_part(uint32_t *out, struct assembly *a, uint32_t piece, enum role role)
{
	uint32_t *known = &a->part_of[(size_t)piece * N_ROLES + role];
	int code = KT_OK;

	if (role == ROLE_END_CUT && piece_of(a->kgrams, piece)->n < a->kgrams->k) {
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

static int take_word(struct assembly *a, size_t i)
{
	const struct kt_kgram_word *word = &a->kgrams->words[i];
	bool whole = word->n <= a->kgrams->k;
	enum role end = word->cut_end ? ROLE_END_CUT : ROLE_END;
	enum role begin = word->cut_begin          ? ROLE_ENTRY
			  : whole && word->cut_end ? ROLE_START_CUT
						   : ROLE_START;
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

static int assemble(struct assembly *a, const kt_kgrams *kgrams)
{
	size_t n_pieces = kgrams->strings->n_words - kgrams->n_paths;
	size_t size = (n_pieces * N_ROLES + 1) * sizeof(*a->part_of);
	int code = KT_OK;

	*a = (struct assembly){.kgrams = kgrams};
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

static void disassemble(struct assembly *a)
{
	free(a->parts);
	free(a->part_of);
	free(a->first_of);
	free(a->last_of);
	free(a->leaving);
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

static int add_part_word(kt_words *words, const struct part *part, const kt_kgrams *kgrams)
{
	bool begins = part->role == ROLE_START || part->role == ROLE_START_CUT;
	bool goes_on = part->role == ROLE_ENTRY ||
		       (begins && piece_of(kgrams, part->piece)->n > kgrams->k);
	struct kt_word_info cuts = {
		.cut_begin = !begins,
		.cut_end = goes_on || part->role == ROLE_START_CUT ||
			   part->role == ROLE_END_CUT,
	};

	return add_word(words, &cuts, kgrams, kgrams->n_paths + part->piece);
}

static int make_words(kt_words **out, const struct assembly *a)
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

/* --- counts --- */

static int index_transitions(struct assembly *a, struct kt_fsm *fsm)
{
	a->leaving = calloc(fsm->n_states + 1, sizeof(*a->leaving));
	if (!a->leaving) {
		return out_of_memory();
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		a->leaving[fsm->transitions[i].from + (size_t)1]++;
		fsm->transitions[i].count = 0;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		a->leaving[i + 1] += a->leaving[i];
		fsm->states[i].visits = 0;
		fsm->states[i].ends = 0;
	}
	return KT_OK;
}

/* The transition of a state with a letter; there is one for each letter of each string. */
static struct kt_fsm_transition *find(const struct assembly *a, struct kt_fsm *fsm,
				      uint32_t state, uint32_t letter)
{
	size_t lo = a->leaving[state];
	size_t hi = a->leaving[state + (size_t)1];

	while (hi - lo > 1) {
		size_t middle = lo + (hi - lo) / 2;

		if (fsm->transitions[middle].letter <= letter) {
			lo = middle;
		} else {
			hi = middle;
		}
	}
	return &fsm->transitions[lo];
}

static void take(struct kt_fsm *fsm, struct kt_fsm_transition *transition, uint64_t count)
{
	transition->count += count;
	fsm->states[transition->from].visits += count;
}

/* Where a path has letters beyond its windows, these are counted elsewhere. */
static void count_paths(const struct assembly *a, struct kt_fsm *fsm)
{
	const kt_kgrams *kgrams = a->kgrams;
	const uint64_t *count = kgrams->counts;

	for (size_t i = 0; i < kgrams->n_paths; i++) {
		const struct kt_word *path = &kgrams->strings->words[i];
		uint32_t state = fsm->words[i].entry;

		for (uint64_t j = 0; j < path->n - kgrams->k; j++) {
			struct kt_fsm_transition *t =
				find(a, fsm, state,
				     kt_word_set_letter(kgrams->strings, path->begin + j));

			take(fsm, t, *count++);
			state = t->to;
		}
	}
}

/* Of a beginning at the start one letter, the others are windows; of an end all. */
static uint64_t letters_of(const struct assembly *a, const struct part *part)
{
	uint64_t n = piece_of(a->kgrams, part->piece)->n;

	if (part->role == ROLE_ENTRY) {
		return 0;
	}
	return part->role == ROLE_START && n > a->kgrams->k ? 1 : n;
}

static void count_parts(const struct assembly *a, struct kt_fsm *fsm)
{
	const kt_kgrams *kgrams = a->kgrams;

	for (size_t i = 0; i < a->n_parts; i++) {
		const struct part *part = &a->parts[i];
		uint64_t begin = piece_of(kgrams, part->piece)->begin;
		uint64_t n = letters_of(a, part);
		uint32_t state = fsm->words[kgrams->n_paths + i].entry;

		for (uint64_t j = 0; j < n; j++) {
			struct kt_fsm_transition *t =
				find(a, fsm, state,
				     kt_word_set_letter(kgrams->strings, begin + j));

			take(fsm, t, part->count);
			state = t->to;
		}
	}
}

/* --- words --- */

static int place_word(struct kt_fsm_word *placed, const struct assembly *a,
		      const struct kt_fsm *fsm, size_t i)
{
	const struct kt_kgram_word *word = &a->kgrams->words[i];
	size_t n_paths = a->kgrams->n_paths;

	*placed = (struct kt_fsm_word){
		.name = strdup(word->name),
		.events = word->n,
		.lost = word->lost,
		.entry = fsm->words[n_paths + a->first_of[i]].entry,
		.exit = fsm->words[n_paths + a->last_of[i]].exit,
		.complete = !word->cut_begin && !word->cut_end,
	};
	memcpy(placed->hash, word->hash, sizeof(placed->hash));
	fsm->states[placed->exit].visits++;
	fsm->states[placed->exit].ends += !word->cut_end;
	return placed->name ? KT_OK : out_of_memory();
}

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
	struct kt_fsm_word *words = calloc(n + 1, sizeof(*words));
	int code = words ? KT_OK : out_of_memory();

	for (size_t i = 0; !code && i < n; i++) {
		code = place_word(&words[i], a, fsm, i);
	}
	if (code) {
		free_words(words, words ? n : 0);
		return code;
	}
	free_words(fsm->words, fsm->n_words);
	fsm->words = words;
	fsm->n_words = n;
	return KT_OK;
}

static int check(const struct kt_fsm *fsm, const kt_kgrams *kgrams)
{
	uint64_t known = 0;

	for (size_t i = 0; i < kgrams->n_words; i++) {
		known += !kgrams->words[i].cut_end;
	}
	return kt_conserve_check_sums(fsm, kt_kgrams_events(kgrams), known);
}

static int infer(struct kt_fsm **fsm, struct assembly *a, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *words = NULL;
	int code = make_words(&words, a);

	options.k = k;
	options.word = a->kgrams->word;
	options.alphabet_json = a->kgrams->alphabet_json;
	code = code ? code : kt_infer(fsm, words, &options);
	kt_words_free(words);
	code = code ? code : index_transitions(a, *fsm);
	if (code) {
		return code;
	}
	count_paths(a, *fsm);
	count_parts(a, *fsm);
	code = replace_words(a, *fsm);
	code = code ? code : kt_renumber(*fsm);
	return code ? code : check(*fsm, a->kgrams);
}

int kt_kgrams_infer(struct kt_fsm **out, const kt_kgrams *kgrams, uint64_t k)
{
	struct kt_fsm *fsm = NULL;
	struct assembly assembly;
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
	code = assemble(&assembly, kgrams);
	code = code ? code : infer(&fsm, &assembly, k);
	disassemble(&assembly);
	if (code) {
		kt_fsm_free(fsm);
		return code;
	}
	*out = fsm;
	return KT_OK;
}
