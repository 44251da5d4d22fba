/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include <ktail/diff.h>

#include "base/fsm-json.h"
#include "base/json-writer.h"
#include "base/try.h"
#include "infer/compare/comparison.h"
#include "infer/compare/difference.h"

/* Letters of words that are written out; a word behind that is told by its length alone. */
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

static void write_machine(struct kt_json_writer *w, const kt_diff *diff, int side)
{
	const struct kt_fsm *fsm = diff->compare->joint.side[side].fsm;

	KT_OBJECT(kt_json_line(w), side ? "new" : "old",
		  KT_STR("machine", fsm->machine ? fsm->machine : ""),
		  KT_KNOWN("k", fsm->k, !fsm->no_k), KT_U64("words", fsm->n_words),
		  KT_U64("states", fsm->n_states),
		  KT_U64("transitions", fsm->n_transitions),
		  KT_U64("diverging", diff->compare->summary.n_ways[side]));
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

/* The letters of the i-th word, if there is room for them. */
static int write_word(struct kt_json_writer *w, const kt_diff *diff, size_t i, uint64_t n,
		      uint64_t *room)
{
	uint32_t *letters;
	int code;

	if (n > *room) {
		*room = 0;
		KT_JSON(w, KT_RAW("word", "null"));
		return KT_OK;
	}
	*room -= n;
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
	uint64_t room = LETTERS_MAX;
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
			KT_STR("side", sequence->side == KT_COMPARE_NEW ? "new" : "old"),
			KT_U64("states", sequence->states));
		write_letters(&w, "letters", diff, sequence->letters, sequence->n);
		kt_json_end(&w);
	}
	kt_json_end(&w);
	kt_json_rows(kt_json_line(&w), "words");
	for (uint64_t i = 0; i < n_ways; i++) {
		const struct kt_fsm_transition *t;
		struct kt_compare_way way;
		const uint32_t *id; /* of a machine's states, in this one */

		KT_TRY(kt_compare_way(&way, diff->compare, i));
		t = &diff->compare->joint.side[way.side].fsm->transitions[way.transition];
		id = diff->id[way.side];
		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_STR("side", way.side == KT_COMPARE_NEW ? "new" : "old"),
			KT_U64("from", id[t->from]),
			KT_STR("letter", kt_compare_letter(diff->compare, way.letter)),
			KT_U64("to", id[t->to]), KT_U64("old", way.state[0]),
			KT_U64("new", way.state[1]), KT_U64("length", way.length));
		kt_json_line(&w);
		KT_TRY(write_word(&w, diff, i, way.length, &room));
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
