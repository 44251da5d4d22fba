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
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/engine/conserve.h"
#include "infer/merge/assemble.h"
#include "infer/merge/renumber.h"

/* The machine of the strings, on its way to be that of the words. */
struct recount {
	const struct kt_assembly *assembly; /* Weak */
	struct kt_fsm *fsm;                 /* Weak */
	size_t *leaving; /* Owned by this: by state, its first transition */
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "infer machine: out of memory");
}

/* --- counts --- */

static int index_transitions(struct recount *r)
{
	struct kt_fsm *fsm = r->fsm;

	r->leaving = calloc(fsm->n_states + 1, sizeof(*r->leaving));
	if (!r->leaving) {
		return out_of_memory();
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		r->leaving[fsm->transitions[i].from + (size_t)1]++;
		fsm->transitions[i].count = 0;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		r->leaving[i + 1] += r->leaving[i];
		fsm->states[i].visits = 0;
		fsm->states[i].ends = 0;
	}
	return KT_OK;
}

/* The transition of a state with a letter; there is one for each letter of each string. */
static struct kt_fsm_transition *find(const struct recount *r, uint32_t state,
				      uint32_t letter)
{
	const struct kt_fsm *fsm = r->fsm;
	size_t lo = r->leaving[state];
	size_t hi = r->leaving[state + (size_t)1];

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

/* Goes on from *state by the letter at a place in the strings, so many times. */
static void take(const struct recount *r, uint32_t *state, uint64_t place, uint64_t count)
{
	const kt_words *strings = r->assembly->kgrams->strings;
	struct kt_fsm_transition *t = find(r, *state, kt_word_set_letter(strings, place));

	t->count += count;
	r->fsm->states[*state].visits += count;
	*state = t->to;
}

/* Where a path has letters beyond its windows, these are counted elsewhere. */
static void count_paths(const struct recount *r)
{
	const kt_kgrams *kgrams = r->assembly->kgrams;
	const uint64_t *count = kgrams->counts;

	for (size_t i = 0; i < kgrams->n_paths; i++) {
		const struct kt_word *path = &kgrams->strings->words[i];
		uint32_t state = r->fsm->words[i].entry;

		for (uint64_t j = 0; j < path->n - kgrams->k; j++) {
			take(r, &state, path->begin + j, *count++);
		}
	}
}

/* Of a beginning at the start one letter, the others are windows; of an end all. */
static uint64_t letters_of(const kt_kgrams *kgrams, const struct kt_part *part)
{
	uint64_t n = kt_kgram_piece(kgrams, part->piece)->n;

	if (part->role == KT_ROLE_ENTRY) {
		return 0;
	}
	return part->role == KT_ROLE_START && n > kgrams->k ? 1 : n;
}

static void count_parts(const struct recount *r)
{
	const kt_kgrams *kgrams = r->assembly->kgrams;

	for (size_t i = 0; i < r->assembly->n_parts; i++) {
		const struct kt_part *part = &r->assembly->parts[i];
		uint64_t begin = kt_kgram_piece(kgrams, part->piece)->begin;
		uint64_t n = letters_of(kgrams, part);
		uint32_t state = r->fsm->words[kgrams->n_paths + i].entry;

		for (uint64_t j = 0; j < n; j++) {
			take(r, &state, begin + j, part->count);
		}
	}
}

static int count(struct kt_fsm *fsm, const struct kt_assembly *assembly)
{
	struct recount r = {.assembly = assembly, .fsm = fsm};
	int code = index_transitions(&r);

	if (!code) {
		count_paths(&r);
		count_parts(&r);
	}
	free(r.leaving);
	return code;
}

/* --- words --- */

static int place_word(struct kt_fsm_word *placed, const struct kt_assembly *a,
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

static int replace_words(const struct kt_assembly *a, struct kt_fsm *fsm)
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

static int infer(struct kt_fsm **fsm, const struct kt_assembly *a, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *words = NULL;
	int code = kt_assembly_words(&words, a);

	options.k = k;
	options.word = a->kgrams->word;
	options.alphabet_json = a->kgrams->alphabet_json;
	code = code ? code : kt_infer(fsm, words, &options);
	kt_words_free(words);
	code = code ? code : count(*fsm, a);
	code = code ? code : replace_words(a, *fsm);
	code = code ? code : kt_renumber(*fsm);
	return code ? code : check(*fsm, a->kgrams);
}

int kt_kgrams_infer(struct kt_fsm **out, const kt_kgrams *kgrams, uint64_t k)
{
	struct kt_fsm *fsm = NULL;
	struct kt_assembly assembly;
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
	code = kt_assemble(&assembly, kgrams);
	code = code ? code : infer(&fsm, &assembly, k);
	kt_assembly_clear(&assembly);
	if (code) {
		kt_fsm_free(fsm);
		return code;
	}
	*out = fsm;
	return KT_OK;
}
