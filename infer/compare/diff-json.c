/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include <ktail/diff.h>

#include "base/fsm-json.h"
#include "base/json-string.h"
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

static void write_machine(const kt_diff *diff, int side, FILE *out)
{
	const struct kt_fsm *fsm = diff->compare->joint.side[side].fsm;

	fprintf(out, "    \"%s\": {\"machine\": ", side ? "new" : "old");
	kt_json_string(out, fsm->machine ? fsm->machine : "");
	if (fsm->no_k) {
		fputs(", \"k\": null", out);
	} else {
		fprintf(out, ", \"k\": %" PRIu64, fsm->k);
	}
	fprintf(out,
		", \"words\": %zu, \"states\": %zu, \"transitions\": %zu, \"diverging\": "
		"%" PRIu64 "},\n",
		fsm->n_words, fsm->n_states, fsm->n_transitions,
		diff->compare->summary.n_ways[side]);
}

static void write_counts(const char *what, const struct kt_diff_counts *counts, FILE *out)
{
	fprintf(out,
		"    \"%s\": {\"kept\": %" PRIu64 ", \"added\": %" PRIu64
		", \"removed\": %" PRIu64 "},\n",
		what, counts->kept, counts->added, counts->removed);
}

/* The letters of the i-th word, if there is room for them. */
static int write_word(const kt_diff *diff, size_t i, uint64_t n, uint64_t *room, FILE *out)
{
	uint32_t *letters;
	int code;

	if (n > *room) {
		*room = 0;
		fputs("null", out);
		return KT_OK;
	}
	*room -= n;
	letters = calloc(n, sizeof(*letters));
	if (!letters) {
		return kt_no_memory("write difference as JSON");
	}
	code = kt_compare_word(letters, diff->compare, i);
	putc('[', out);
	for (uint64_t j = 0; !code && j < n; j++) {
		fputs(j ? ", " : "", out);
		kt_json_string(out, kt_compare_letter(diff->compare, letters[j]));
	}
	putc(']', out);
	free(letters);
	return code;
}

static void write_sequences(const kt_diff *diff, FILE *out)
{
	const struct kt_sequences *sequences = &diff->sequences;

	fputs("    \"sequences\": [", out);
	for (size_t i = 0; i < sequences->n; i++) {
		const struct kt_diff_sequence *sequence = &sequences->list[i];

		fprintf(out,
			"%s\n      {\"side\": \"%s\", \"states\": %" PRIu32
			", \"letters\": [",
			i ? "," : "", sequence->side == KT_COMPARE_NEW ? "new" : "old",
			sequence->states);
		for (uint32_t j = 0; j < sequence->n; j++) {
			fputs(j ? ", " : "", out);
			kt_json_string(out, kt_compare_letter(diff->compare,
							      sequence->letters[j]));
		}
		fputs("]}", out);
	}
	fputs(sequences->n ? "\n    ],\n" : "],\n", out);
}

int kt_diff_write_members(const kt_diff *diff, FILE *out)
{
	const struct kt_compare_summary *summary = &diff->compare->summary;
	uint64_t n = summary->n_ways[0] + summary->n_ways[1];
	uint64_t room = LETTERS_MAX;

	kt_fsm_write_members(diff->machine, out);
	fprintf(out,
		",\n  \"difference\": {\n"
		"    \"equal\": %s, \"old_in_new\": %s, \"new_in_old\": %s,\n"
		"    \"complete\": %s, \"sure_length\": ",
		summary->equal ? "true" : "false", name_answer(summary->old_in_new),
		name_answer(summary->new_in_old), summary->complete ? "true" : "false");
	if (summary->complete) {
		fputs("null", out);
	} else {
		fprintf(out, "%" PRIu64, summary->sure_length);
	}
	fprintf(out, ", \"pairs\": %" PRIu64 ",\n", summary->n_pairs);
	write_machine(diff, 0, out);
	write_machine(diff, 1, out);
	write_counts("states", &diff->summary.states, out);
	write_counts("transitions", &diff->summary.transitions, out);
	write_sequences(diff, out);
	fputs("    \"words\": [", out);
	for (uint64_t i = 0; i < n; i++) {
		const struct kt_fsm_transition *t;
		struct kt_compare_way way;
		const uint32_t *id; /* of a machine's states, in this one */

		KT_TRY(kt_compare_way(&way, diff->compare, i));
		t = &diff->compare->joint.side[way.side].fsm->transitions[way.transition];
		id = diff->id[way.side];
		fprintf(out,
			"%s\n      {\"side\": \"%s\", \"from\": %" PRIu32 ", \"letter\": ",
			i ? "," : "", way.side == KT_COMPARE_NEW ? "new" : "old",
			id[t->from]);
		kt_json_string(out, kt_compare_letter(diff->compare, way.letter));
		fprintf(out,
			", \"to\": %" PRIu32 ", \"old\": %" PRIu32 ", \"new\": %" PRIu32
			", \"length\": %" PRIu64 ",\n       \"word\": ",
			id[t->to], way.state[0], way.state[1], way.length);
		KT_TRY(write_word(diff, i, way.length, &room, out));
		putc('}', out);
	}
	fputs(n ? "\n    ]\n  }" : "]\n  }", out);
	return KT_OK;
}

int kt_diff_write_json(const kt_diff *diff, FILE *out)
{
	int code = kt_diff_write_members(diff, out);

	fputs("\n}\n", out);
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write difference as JSON");
	}
	return code;
}
