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

#include "base/try.h"
#include "infer/engine/conserve.h"
#include "infer/merge/assemble.h"
#include "infer/merge/renumber.h"

/* --- counts --- */

/*
 * Goes on from *state by the letter at a place in the strings, so many times: there is a
 * transition for each letter of each string. leaving[]: by state, its first transition.
 */
static void take(struct kt_fsm *fsm, const size_t *leaving, const kt_words *strings,
		 uint32_t *state, uint64_t place, uint64_t count)
{
	uint32_t letter = kt_word_set_letter(strings, place);
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

static int count(struct kt_fsm *fsm, const struct kt_assembly *assembly)
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
	/* Where a path has letters beyond its windows, these are counted elsewhere. */
	for (size_t i = 0; i < kgrams->n_paths; i++) {
		const struct kt_word *path = &strings->words[i];
		uint32_t state = fsm->words[i].entry;

		for (uint64_t j = 0; j < path->n - kgrams->k; j++) {
			take(fsm, leaving, strings, &state, path->begin + j, *counts++);
		}
	}
	for (size_t i = 0; i < assembly->n_parts; i++) {
		const struct kt_part *part = &assembly->parts[i];
		const struct kt_word *piece = kt_kgram_piece(kgrams, part->piece);
		uint32_t state = fsm->words[kgrams->n_paths + i].entry;
		uint64_t n = piece->n;

		/* Of a beginning at the start one letter, the others are windows; of an end
		 * all. */
		if (part->role == KT_ROLE_ENTRY) {
			n = 0;
		} else if (part->role == KT_ROLE_START && n > kgrams->k) {
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

static int replace_words(const struct kt_assembly *a, struct kt_fsm *fsm)
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

int kt_kgrams_infer(struct kt_fsm **out, const kt_kgrams *kgrams, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	struct kt_assembly assembly;
	kt_words *words = NULL;
	uint64_t known = 0;
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
	KT_TRY_END(kt_assemble(&assembly, kgrams));
	code = kt_assembly_words(&words, &assembly);
	if (!code) {
		code = kt_infer(&fsm, words, &options);
	}
	kt_words_free(words);
	if (code) {
		goto end;
	}
	KT_TRY_END(count(fsm, &assembly));
	KT_TRY_END(replace_words(&assembly, fsm));
	KT_TRY_END(kt_renumber(fsm));
	for (size_t i = 0; i < kgrams->n_words; i++) {
		known += !kgrams->words[i].cut_end;
	}
	code = kt_conserve_check_sums(fsm, kt_kgrams_events(kgrams), known);
end:
	kt_assembly_clear(&assembly);
	if (code) {
		kt_fsm_free(fsm);
		return code;
	}
	*out = fsm;
	return KT_OK;
}
