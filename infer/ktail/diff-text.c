/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LAST_LETTERS    12 /* of a word that are shown */
#define ENDINGS_MAX     5
#define SEQUENCES_SHOWN 6

static const char *const side_names[2] = {"old", "new"};

/* --- what is compared, and the answer --- */

static void write_source(FILE *out, const struct kt_diff_report *r, int s)
{
	const struct kt_diff_side *side = &r->sides->side[s];

	fprintf(out, "%s: ", side_names[s]);
	for (size_t i = 0; i < side->paths.n && i < 3; i++) {
		fprintf(out, "%s%s", i ? ", " : "", side->paths.items[i]);
	}
	if (side->paths.n > 3) {
		fprintf(out, ", and %zu more", side->paths.n - 3);
	}
	if (side->input.fsm->no_k) {
		fprintf(out, " (%s)\n", side->input.fsm->machine);
	} else {
		fprintf(out, " (%s, k %" PRIu64 ", %zu words)\n", side->input.fsm->machine,
			side->input.fsm->k, side->input.fsm->n_words);
	}
}

static void write_letters(FILE *out, const char *const *letters, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", letters[i]);
	}
}

static void write_list(FILE *out, const char *before, const struct kt_diff_list *list,
		       const char *behind)
{
	if (list->n == 0) {
		return;
	}
	fputs(before, out);
	for (size_t i = 0; i < list->n; i++) {
		fprintf(out, "%s%s",
			i == 0            ? ""
			: i + 1 < list->n ? ", "
					  : " and ",
			list->items[i]);
	}
	fputs(behind, out);
}

static void write_inclusion(FILE *out, enum kt_answer answer, const char *one,
			    const char *other)
{
	switch (answer) {
	case KT_ANSWER_YES:
		fprintf(out, "The %s machine accepts nothing that the %s one does not.\n",
			one, other);
		break;
	case KT_ANSWER_UNKNOWN:
		fprintf(out,
			"Whether the %s machine accepts all that the %s one does was not "
			"seen.\n",
			other, one);
		break;
	case KT_ANSWER_NO: break;
	}
}

static void write_answer(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_compare_summary *languages =
		kt_compare_summary(kt_diff_compare(r->diff));
	const struct kt_diff_summary *summary = kt_diff_summary(r->diff);
	bool same = summary->transitions.added == 0 && summary->transitions.removed == 0 &&
		    summary->states.added == 0 && summary->states.removed == 0;

	if (languages->equal) {
		fputs(same ? "The machines are equal.\n"
			   : "The machines are equal: they accept the same words, but by "
			     "other states.\n",
		      out);
		return;
	}
	fputs("The machines differ.", out);
	putc(languages->old_in_new == KT_ANSWER_NO && languages->new_in_old == KT_ANSWER_NO
		     ? '\n'
		     : ' ',
	     out);
	write_inclusion(out, languages->old_in_new, "old", "new");
	write_inclusion(out, languages->new_in_old, "new", "old");
}

static void write_reason(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_reason *reason = r->reason;

	if (reason->n == 0) {
		return;
	}
	fprintf(out, "They differ only in %s letters come: the %s are the same ",
		reason->omit ? "where and how often some" : "how often some",
		reason->of_words ? "words" : "languages");
	fputs(reason->omit ? "without " : "if runs of ", out);
	write_letters(out, reason->letters, reason->n);
	fputs(reason->omit ? "\n(" : " count as one\n(", out);
	for (size_t i = 0; i < reason->n; i++) {
		fprintf(out, "%s%s '%s'", i ? " " : "",
			reason->omit ? "--without" : "--runs", reason->letters[i]);
	}
	fputs(").\n", out);
}

/* --- numbers --- */

static void write_row(FILE *out, const char *what, uint64_t old, uint64_t new,
		      const struct kt_diff_counts *counts)
{
	fprintf(out,
		"%-12s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n",
		what, old, new, counts->kept, counts->added, counts->removed);
}

/* Words of either side that the other has, letter by letter; as often as both have them. */
static uint64_t count_same_words(const struct kt_fsm *old, const struct kt_fsm *new)
{
	uint64_t same = 0;
	bool *taken = calloc(new->n_words + 1, sizeof(*taken));

	for (size_t i = 0; taken && i < old->n_words; i++) {
		for (size_t j = 0; j < new->n_words; j++) {
			if (!taken[j] &&
			    strcmp(old->words[i].hash, new->words[j].hash) == 0) {
				taken[j] = true;
				same++;
				break;
			}
		}
	}
	free(taken);
	return same;
}

static void write_numbers(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_summary *summary = kt_diff_summary(r->diff);
	const struct kt_fsm *old = r->sides->side[0].input.fsm;
	const struct kt_fsm *new = r->sides->side[1].input.fsm;

	fprintf(out, "\n%-12s %9s %9s %9s %9s %9s\n", "", "old", "new", "kept", "added",
		"removed");
	if (old->n_words && new->n_words && old->n_words < 10000 && new->n_words < 10000) {
		uint64_t same = count_same_words(old, new);
		struct kt_diff_counts words = {same, new->n_words - same,
					       old->n_words - same};

		write_row(out, "words", old->n_words, new->n_words, &words);
	}
	write_row(out, "states", old->n_states, new->n_states, &summary->states);
	write_row(out, "transitions", old->n_transitions, new->n_transitions,
		  &summary->transitions);
	if (!summary->scored) {
		fputs("The machines are too large to score their states: common words "
		      "alone "
		      "matched them.\n",
		      out);
	}
}

/* --- words --- */

/* The last two letters of words, and how many words end so. */
struct ending {
	const char *before;
	const char *last;
	uint64_t n;
	size_t first; /* the least of these words */
};

struct words {
	const kt_compare *compare; /* Weak */
	const kt_diff *diff;       /* Weak */
	uint32_t *letters;         /* Owned by this: of the word at hand */
	struct ending *endings;    /* Owned by this */
	size_t n_endings;
	const struct kt_fsm *fsm[2]; /* Weak */
};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "write difference: out of memory");
}

static int read_word(struct words *w, size_t i, uint64_t length)
{
	free(w->letters);
	w->letters = calloc(length, sizeof(*w->letters));
	return w->letters ? kt_compare_word(w->letters, w->compare, i) : no_memory();
}

static const char *name(const struct words *w, uint64_t i)
{
	return kt_compare_letter(w->compare, w->letters[i]);
}

static int add_ending(struct words *w, size_t i, uint64_t length)
{
	int code = read_word(w, i, length);
	const char *last = code ? NULL : name(w, length - 1);
	const char *before = code || length < 2 ? NULL : name(w, length - 2);

	for (size_t e = 0; !code && e < w->n_endings; e++) {
		if (w->endings[e].last == last && w->endings[e].before == before) {
			w->endings[e].n++;
			return KT_OK;
		}
	}
	if (!code) {
		w->endings[w->n_endings++] = (struct ending){before, last, 1, i};
	}
	return code;
}

static int compare_endings(const void *left, const void *right)
{
	const struct ending *a = left;
	const struct ending *b = right;

	if (a->n != b->n) {
		return a->n > b->n ? -1 : 1;
	}
	return (a->first > b->first) - (a->first < b->first);
}

static int list_endings(struct words *w, enum kt_compare_side side, uint64_t n_ways,
			uint64_t n_all)
{
	int code = KT_OK;

	free(w->endings);
	w->endings = calloc(n_ways + 1, sizeof(*w->endings));
	w->n_endings = 0;
	if (!w->endings) {
		return no_memory();
	}
	for (uint64_t i = 0; !code && i < n_all; i++) {
		struct kt_compare_way way;

		code = kt_compare_way(&way, w->compare, i);
		if (!code && way.side == side) {
			code = add_ending(w, i, way.length);
		}
	}
	qsort(w->endings, w->n_endings, sizeof(*w->endings), compare_endings);
	return code;
}

static void write_endings(FILE *out, const struct words *w)
{
	uint64_t rest = 0;

	fputs("They end in", out);
	for (size_t e = 0; e < w->n_endings; e++) {
		const struct ending *ending = &w->endings[e];

		if (e >= ENDINGS_MAX) {
			rest += ending->n;
			continue;
		}
		fprintf(out, "%s %s%s%s (%" PRIu64 ")", e ? "," : "",
			ending->before ? ending->before : "", ending->before ? " " : "",
			ending->last, ending->n);
	}
	if (rest > 0) {
		fprintf(out, ", otherwise (%" PRIu64 ")", rest);
	}
	fputs(".\n", out);
}

/* The letters that leave a state. */
static void write_ways_on(FILE *out, const struct kt_fsm *fsm, uint32_t state)
{
	const char *between = "";

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (fsm->transitions[i].from == state) {
			fprintf(out, "%s%s", between,
				fsm->letters[fsm->transitions[i].letter]);
			between = ", ";
		}
	}
	fputs(*between ? "" : "nothing", out);
}

static int write_word(FILE *out, struct words *w, size_t i,
		      const struct kt_compare_way *way)
{
	uint64_t first = way->length > LAST_LETTERS ? way->length - LAST_LETTERS : 0;
	int code = read_word(w, i, way->length);
	uint32_t at = 0;

	if (code) {
		return code;
	}
	fprintf(out, "  %" PRIu64 " letters: %s", way->length, first ? "... " : "");
	for (uint64_t j = first; j + 1 < way->length; j++) {
		fprintf(out, "%s ", name(w, j));
	}
	fprintf(out, "| %s\n", name(w, way->length - 1));
	code = kt_diff_state(&at, w->diff, way->side, way->state[way->side]);
	fprintf(out, "    from state %" PRIu32 "; there the %s machine has: ", at,
		side_names[1 - way->side]);
	write_ways_on(out, w->fsm[1 - way->side], way->state[1 - way->side]);
	putc('\n', out);
	return code;
}

static int write_side(FILE *out, struct words *w, const struct kt_diff_report *r, int side)
{
	const struct kt_compare_summary *summary = kt_compare_summary(w->compare);
	uint64_t n_all = summary->n_ways[0] + summary->n_ways[1];
	uint64_t shown = 0;
	int code;

	if (summary->n_ways[side] == 0) {
		return KT_OK;
	}
	fprintf(out,
		"\nOnly the %s machine goes on at %" PRIu64
		" of its transitions where both "
		"have come by one word.\n",
		side_names[side], summary->n_ways[side]);
	code = list_endings(w, side ? KT_COMPARE_NEW : KT_COMPARE_OLD,
			    summary->n_ways[side], n_all);
	if (!code) {
		write_endings(out, w);
		fputs("The shortest words that show it:\n", out);
	}
	for (uint64_t i = 0; !code && i < n_all && shown < r->most_words; i++) {
		struct kt_compare_way way;

		code = kt_compare_way(&way, w->compare, i);
		if (!code && (int)way.side == side) {
			code = write_word(out, w, i, &way);
			shown++;
		}
	}
	if (!code && shown < summary->n_ways[side]) {
		fprintf(out, "  and %" PRIu64 " more (--words N, or all: -o FILE.json)\n",
			summary->n_ways[side] - shown);
	}
	return code;
}

static int write_words(FILE *out, const struct kt_diff_report *r)
{
	struct words w = {
		.compare = kt_diff_compare(r->diff),
		.diff = r->diff,
		.fsm = {r->sides->side[0].input.fsm, r->sides->side[1].input.fsm},
	};
	const struct kt_compare_summary *summary = kt_compare_summary(w.compare);
	int code = write_side(out, &w, r, 0);

	code = code ? code : write_side(out, &w, r, 1);
	if (!code && !summary->complete) {
		fprintf(out,
			"\nThe search was cut off: words of more than %" PRIu64
			" letters may be missing.\n",
			summary->sure_length);
	}
	free(w.letters);
	free(w.endings);
	return code;
}

/* --- sequences --- */

static void write_sequence(FILE *out, const struct kt_diff_report *r, size_t i)
{
	const struct kt_diff_sequence *sequence = &r->seen->list[i];

	fputs(" ", out);
	for (uint32_t j = 0; j < sequence->n; j++) {
		fprintf(out, " %s",
			kt_compare_letter(kt_diff_compare(r->diff), sequence->letters[j]));
	}
	fprintf(out, " (from %" PRIu32 " %s", sequence->states,
		sequence->states == 1 ? "state" : "states");
	if (r->seen->times && r->seen->times[i] == 1) {
		fputs(", seen once", out);
	} else if (r->seen->times) {
		fprintf(out, ", seen %" PRIu64 " times", r->seen->times[i]);
	}
	fputs(")\n", out);
}

/* Those that were seen; the others are counted. */
static void write_sequences_of(FILE *out, const struct kt_diff_report *r, size_t first,
			       size_t end, const char *side)
{
	size_t shown = 0;
	size_t unseen = 0;
	size_t more = 0;

	if (first == end) {
		return;
	}
	fprintf(out, "\nWhat only the %s machine does, wherever it is:\n", side);
	for (size_t i = first; i < end; i++) {
		if (r->seen->times && r->seen->times[i] == 0) {
			unseen++;
		} else if (shown < SEQUENCES_SHOWN) {
			write_sequence(out, r, i);
			shown++;
		} else {
			more++;
		}
	}
	if (more > 0) {
		fprintf(out, "  and %zu more (-o FILE.json)\n", more);
	}
	if (unseen > 0) {
		fprintf(out,
			"  %s%zu by merged states alone: in no word they come one after "
			"the "
			"other (-o FILE.json)\n",
			shown ? "and " : "", unseen);
	}
}

static void write_sequences(FILE *out, const struct kt_diff_report *r)
{
	size_t n = r->seen->n;
	size_t middle = 0;

	while (middle < n && r->seen->list[middle].side == KT_COMPARE_OLD) {
		middle++;
	}
	write_sequences_of(out, r, 0, middle, side_names[0]);
	write_sequences_of(out, r, middle, n, side_names[1]);
}

int kt_diff_write_text(FILE *out, const void *report)
{
	const struct kt_diff_report *r = report;
	int code;

	write_source(out, r, 0);
	write_source(out, r, 1);
	write_list(out, "without ", &r->sides->without, "\n");
	write_list(out, "runs of ", &r->sides->runs, " count as one letter\n");
	putc('\n', out);
	write_answer(out, r);
	write_reason(out, r);
	write_numbers(out, r);
	write_sequences(out, r);
	code = write_words(out, r);
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write difference");
	}
	return code;
}
