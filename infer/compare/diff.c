/* SPDX-License-Identifier: MIT */
#include <ktail/diff.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fsm-json.h"
#include "base/json-writer.h"
#include "base/try.h"
#include "infer/compare/difference.h"

/* --- sequences of letters --- */

#define SEQUENCES_MAX 2000000

/* A sequence that can be read from some state; unused letters are 0. */
struct gram {
	uint32_t letters[KT_DIFF_SEQUENCE_MAX];
	uint32_t states; /* number of states from which it can be read */
};

/* All sequences of one length that a machine can read from any state, sorted, each once. */
struct grams {
	struct gram *list; /* Owned by this */
	size_t n;
	size_t capacity;
	bool cut;
};

static int compare_grams(const void *a, const void *b)
{
	const uint32_t *x = ((const struct gram *)a)->letters;
	const uint32_t *y = ((const struct gram *)b)->letters;

	for (size_t i = 0; i < KT_DIFF_SEQUENCE_MAX; i++) {
		if (x[i] != y[i]) {
			return x[i] < y[i] ? -1 : 1;
		}
	}
	return 0;
}

/*
 * Adds all sequences of `length` letters whose first `done` letters are in `gram` and whose
 * other letters can be read from `state`.
 */
static int add_from(struct grams *grams, const struct kt_joint_machine *machine,
		    uint32_t state, struct gram *gram, size_t done, size_t length)
{
	if (done == length) {
		grams->cut = grams->cut || grams->n == SEQUENCES_MAX;
		KT_TRY(kt_array_reserve(&grams->list, &grams->capacity, grams->n + 1));
		if (!grams->cut) {
			grams->list[grams->n++] = *gram;
		}
		return KT_OK;
	}
	for (size_t i = machine->first[state];
	     !grams->cut && i < machine->first[state + (size_t)1]; i++) {
		gram->letters[done] = kt_joint_letter(machine, i);
		KT_TRY(add_from(grams, machine, machine->fsm->transitions[i].to, gram,
				done + 1, length));
	}
	gram->letters[done] = 0;
	return KT_OK;
}

static int list_grams(struct grams *grams, const struct kt_joint_machine *machine,
		      size_t length)
{
	struct gram gram = {.states = 1};
	size_t kept = 0;

	for (uint32_t s = 0; !grams->cut && s < machine->fsm->n_states; s++) {
		KT_TRY(add_from(grams, machine, s, &gram, 0, length));
	}
	/*
	 * A deterministic machine reads each sequence at most once from a state, so the
	 * list has each sequence once for each state from which it can be read.
	 */
	if (grams->n > 1) {
		qsort(grams->list, grams->n, sizeof(*grams->list), compare_grams);
	}
	for (size_t i = 0; i < grams->n; i++) {
		if (kept && compare_grams(&grams->list[kept - 1], &grams->list[i]) == 0) {
			grams->list[kept - 1].states++;
		} else {
			grams->list[kept++] = grams->list[i];
		}
	}
	grams->n = kept;
	return KT_OK;
}

static bool has(const struct grams *grams, const struct gram *gram)
{
	return grams->n && bsearch(gram, grams->list, grams->n, sizeof(*grams->list),
				   compare_grams) != NULL;
}

/*
 * Adds the minimal sequences of `length` letters that only one machine can read. For each
 * machine, `now` has all sequences of this length, `before` those one letter shorter.
 */
static int compare_length(struct kt_sequences *out, const struct grams *now,
			  const struct grams *before, size_t length)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < now[s].n; i++) {
			const struct gram *gram = &now[s].list[i];
			struct gram front = *gram; /* without the last letter */
			struct gram back = *gram;  /* without the first letter */
			struct kt_diff_sequence *added;

			front.letters[length - 1] = 0;
			memmove(back.letters, gram->letters + 1,
				(length - 1) * sizeof(*back.letters));
			back.letters[length - 1] = 0;
			if (has(&now[1 - s], gram) ||
			    (length > 1 && (!has(&before[1 - s], &front) ||
					    !has(&before[1 - s], &back)))) {
				continue;
			}
			KT_TRY(kt_array_reserve(&out->list, &out->capacity, out->n + 1));
			added = &out->list[out->n++];
			*added = (struct kt_diff_sequence){
				.version = s ? KT_COMPARE_NEW : KT_COMPARE_OLD,
				.n = (uint32_t)length,
				.states = gram->states,
			};
			memcpy(added->letters, gram->letters, sizeof(added->letters));
		}
	}
	return KT_OK;
}

/*
 * Sorts old before new, then by ascending length, by descending number of states, and by
 * letters.
 */
static int compare_sequences(const void *left, const void *right)
{
	const struct kt_diff_sequence *a = left;
	const struct kt_diff_sequence *b = right;

	if (a->version != b->version) {
		return a->version < b->version ? -1 : 1;
	}
	if (a->n != b->n) {
		return a->n < b->n ? -1 : 1;
	}
	if (a->states != b->states) {
		return a->states > b->states ? -1 : 1;
	}
	for (size_t i = 0; i < a->n; i++) {
		if (a->letters[i] != b->letters[i]) {
			return a->letters[i] < b->letters[i] ? -1 : 1;
		}
	}
	return 0;
}

static void clear_sequences(struct kt_sequences *sequences)
{
	free(sequences->list);
	*sequences = (struct kt_sequences){0};
}

/*
 * Lists all minimal sequences of up to KT_DIFF_SEQUENCE_MAX letters that can be read from
 * some state of one machine and from no state of the other. Stops before the first length
 * at which the states of one machine have more than SEQUENCES_MAX sequences in total. On
 * failure *out needs no clearing. O(n log n) for n sequences of all states in total.
 */
static int init_sequences(struct kt_sequences *out, const struct kt_joint *joint)
{
	struct grams now[2] = {{0}};
	struct grams before[2] = {{0}};
	int code = KT_OK;
	bool cut = false;

	*out = (struct kt_sequences){0};
	for (size_t length = 1; !cut && length <= KT_DIFF_SEQUENCE_MAX; length++) {
		for (int s = 0; s < 2; s++) {
			free(before[s].list);
			before[s] = now[s];
			now[s] = (struct grams){0};
			KT_TRY_END(list_grams(&now[s], &joint->machine[s], length));
			cut = cut || now[s].cut;
		}
		if (!cut) {
			KT_TRY_END(compare_length(out, now, before, length));
		}
	}
	if (out->n > 1) {
		qsort(out->list, out->n, sizeof(*out->list), compare_sequences);
	}
end:
	for (int s = 0; s < 2; s++) {
		free(before[s].list);
		free(now[s].list);
	}
	if (code) {
		clear_sequences(out);
	}
	return code;
}

/* --- the difference --- */

/*
 * If the languages are equal, kt_compare_new() has explored no pairs of states, but
 * matching needs the pairs in the order of their least words. match() then explores at most
 * this number of pairs, which suffices because equal machines have few pairs.
 */
#define EQUAL_PAIRS_MAX 1000000

static int match(struct kt_diff *diff)
{
	const struct kt_compare *compare = diff->compare;
	struct kt_product product = {0};
	int code;

	if (!compare->summary.equal) {
		return kt_match_init(&diff->match, &compare->joint, &compare->product);
	}
	KT_TRY(kt_product_init(&product, &compare->joint, EQUAL_PAIRS_MAX));
	code = kt_match_init(&diff->match, &compare->joint, &product);
	kt_product_clear(&product);
	return code;
}

static void count(struct kt_diff_counts *counts, enum kt_presence presence)
{
	counts->kept += presence == KT_PRESENCE_BOTH;
	counts->added += presence == KT_PRESENCE_NEW;
	counts->removed += presence == KT_PRESENCE_OLD;
}

int kt_diff_new(kt_diff **out, const struct kt_fsm *old_machine,
		const struct kt_fsm *new_machine, const struct kt_compare_options *options)
{
	struct kt_diff *diff = calloc(1, sizeof(*diff));
	const struct kt_fsm *fsm;
	int code;

	*out = NULL;
	if (!diff) {
		return kt_no_memory("compare machines");
	}
	KT_TRY_END(kt_compare_new(&diff->compare, old_machine, new_machine, options));
	KT_TRY_END(match(diff));
	KT_TRY_END(
		kt_overlay(&diff->machine, diff->id, &diff->compare->joint, &diff->match));
	KT_TRY_END(init_sequences(&diff->sequences, &diff->compare->joint));
	fsm = diff->machine;
	for (size_t i = 0; i < fsm->n_states; i++) {
		count(&diff->summary.states, fsm->states[i].presence);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		count(&diff->summary.transitions, fsm->transitions[i].presence);
	}
	diff->summary.scored = diff->match.scored;
	*out = diff;
	return KT_OK;
end:
	kt_diff_free(diff);
	return code;
}

void kt_diff_free(kt_diff *diff)
{
	if (!diff) {
		return;
	}
	kt_compare_free(diff->compare);
	kt_match_clear(&diff->match);
	clear_sequences(&diff->sequences);
	kt_fsm_free(diff->machine);
	free(diff->id[0]);
	free(diff->id[1]);
	free(diff);
}

const kt_compare *kt_diff_compare(const kt_diff *diff)
{
	return diff->compare;
}

const struct kt_diff_summary *kt_diff_summary(const kt_diff *diff)
{
	return &diff->summary;
}

const struct kt_fsm *kt_diff_machine(const kt_diff *diff)
{
	return diff->machine;
}

const struct kt_diff_sequence *kt_diff_sequences(size_t *n, const kt_diff *diff)
{
	*n = diff->sequences.n;
	return diff->sequences.list;
}

int kt_diff_state(uint32_t *out, const kt_diff *diff, enum kt_compare_version version,
		  uint32_t state)
{
	if (state >= diff->compare->joint.machine[version].fsm->n_states) {
		return kt_error(KT_E_USAGE, "compare machines: there is no such state");
	}
	*out = diff->id[version][state];
	return KT_OK;
}

/* --- as JSON --- */

/*
 * Limit of the letters written for all words together. Once it is reached, only the lengths
 * of words are written.
 */
#define LETTERS_MAX 4000000

static const char *name_answer(enum kt_answer answer)
{
	switch (answer) {
	case KT_ANSWER_NO: return "false";
	case KT_ANSWER_YES: return "true";
	case KT_ANSWER_UNKNOWN: break;
	}
	return "null";
}

static void write_machine(struct kt_json_writer *w, const kt_diff *diff, int version)
{
	const struct kt_fsm *fsm = diff->compare->joint.machine[version].fsm;

	KT_OBJECT(kt_json_line(w), version ? "new" : "old",
		  KT_STR("machine", fsm->machine ? fsm->machine : ""),
		  KT_KNOWN("k", fsm->k, !fsm->no_k), KT_U64("words", fsm->n_words),
		  KT_U64("states", fsm->n_states),
		  KT_U64("transitions", fsm->n_transitions),
		  KT_U64("diverging", diff->compare->summary.n_ways[version]));
}

static void write_counts(struct kt_json_writer *w, const char *what,
			 const struct kt_diff_counts *counts)
{
	KT_OBJECT(kt_json_line(w), what, KT_U64("kept", counts->kept),
		  KT_U64("added", counts->added), KT_U64("removed", counts->removed));
}

static void write_letters(struct kt_json_writer *w, const char *key, const kt_diff *diff,
			  const uint32_t *letters, uint64_t n)
{
	kt_json_array(w, key);
	for (uint64_t i = 0; i < n; i++) {
		kt_json_text(w, kt_compare_letter(diff->compare, letters[i]));
	}
	kt_json_end(w);
}

/*
 * Writes the n letters of the word of the i-th diverging transition. If fewer than n
 * letters may still be written, writes null and sets *remaining to 0.
 */
static int write_word(struct kt_json_writer *w, const kt_diff *diff, size_t i, uint64_t n,
		      uint64_t *remaining)
{
	uint32_t *letters;
	int code;

	if (n > *remaining) {
		*remaining = 0;
		KT_JSON(w, KT_RAW("word", "null"));
		return KT_OK;
	}
	*remaining -= n;
	letters = calloc(n, sizeof(*letters));
	if (!letters) {
		return kt_no_memory("write difference as JSON");
	}
	code = kt_compare_word(letters, diff->compare, i);
	write_letters(w, "word", diff, letters, code ? 0 : n);
	free(letters);
	return code;
}

int kt_diff_write_members(const kt_diff *diff, FILE *out)
{
	const struct kt_compare_summary *summary = &diff->compare->summary;
	uint64_t n_ways = summary->n_ways[0] + summary->n_ways[1];
	uint64_t remaining = LETTERS_MAX;
	struct kt_json_writer w = kt_json_resume(out);

	kt_fsm_write_members(diff->machine, out);
	kt_json_object(kt_json_line(&w), "difference");
	KT_JSON(kt_json_line(&w), KT_BOOL("equal", summary->equal),
		KT_RAW("old_in_new", name_answer(summary->old_in_new)),
		KT_RAW("new_in_old", name_answer(summary->new_in_old)));
	KT_JSON(kt_json_line(&w), KT_BOOL("complete", summary->complete),
		KT_KNOWN("sure_length", summary->sure_length, !summary->complete),
		KT_U64("pairs", summary->n_pairs));
	write_machine(&w, diff, 0);
	write_machine(&w, diff, 1);
	write_counts(&w, "states", &diff->summary.states);
	write_counts(&w, "transitions", &diff->summary.transitions);
	kt_json_rows(kt_json_line(&w), "sequences");
	for (size_t i = 0; i < diff->sequences.n; i++) {
		const struct kt_diff_sequence *sequence = &diff->sequences.list[i];

		kt_json_object(&w, NULL);
		KT_JSON(&w,
			KT_STR("side", sequence->version == KT_COMPARE_NEW ? "new" : "old"),
			KT_U64("states", sequence->states));
		write_letters(&w, "letters", diff, sequence->letters, sequence->n);
		kt_json_end(&w);
	}
	kt_json_end(&w);
	kt_json_rows(kt_json_line(&w), "words");
	for (uint64_t i = 0; i < n_ways; i++) {
		const struct kt_fsm_transition *t;
		struct kt_compare_way way;
		const uint32_t *id; /* by state of the machine that has the transition: its
				     * state in the overlay */

		KT_TRY(kt_compare_way(&way, diff->compare, i));
		t = &diff->compare->joint.machine[way.version]
			     .fsm->transitions[way.transition];
		id = diff->id[way.version];
		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_STR("side", way.version == KT_COMPARE_NEW ? "new" : "old"),
			KT_U64("from", id[t->from]),
			KT_STR("letter", kt_compare_letter(diff->compare, way.letter)),
			/* NULL: no member */
			KT_STR("name", diff->machine->names
					       ? diff->machine->names[way.letter]
					       : NULL),
			KT_U64("to", id[t->to]), KT_U64("old", way.state[0]),
			KT_U64("new", way.state[1]), KT_U64("length", way.length));
		kt_json_line(&w);
		KT_TRY(write_word(&w, diff, i, way.length, &remaining));
		kt_json_end(&w);
	}
	kt_json_end(&w);
	kt_json_end(kt_json_line(&w));
	kt_json_flush(&w);
	return KT_OK;
}

int kt_diff_write_json(const kt_diff *diff, FILE *out)
{
	struct kt_json_writer w = kt_json_resume(out);

	KT_TRY(kt_diff_write_members(diff, out));
	return kt_json_finish(&w, "write difference as JSON");
}
