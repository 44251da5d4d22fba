/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LAST_LETTERS    12 /* of a word that are shown */
#define ENDINGS_MAX     5
#define SEQUENCES_SHOWN 6
#define WAYS_SHOWN      12 /* letters that leave a state */

static const char *const side_names[2] = {"old", "new"};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "write difference: out of memory");
}

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
	if (side->fsm->no_k) {
		fprintf(out, " (%s)\n", side->fsm->machine);
	} else {
		fprintf(out, " (%s, k %" PRIu64 ", %zu words)\n", side->fsm->machine,
			side->fsm->k, side->fsm->n_words);
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

/* What to give `ktail diff` to see it; a k that was chosen would be another one then. */
static void write_reason_options(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_reason *reason = r->reason;
	const char *before = "(";

	if (reason->of == KT_DIFF_OF_MACHINES) {
		fprintf(out, "(--k %lu", r->sides->k);
		before = " ";
	}
	for (size_t i = 0; i < reason->n; i++) {
		fprintf(out, "%s%s '%s'", before, reason->omit ? "--without" : "--runs",
			reason->letters[i]);
		before = " ";
	}
	fputs(").\n", out);
}

static void write_reason(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_reason *reason = r->reason;

	if (reason->words_differ) {
		fputs("The words are not the same, though", out);
	}
	if (reason->words_differ && reason->telling_k) {
		fprintf(out, ": by --k %" PRIu64 " the machines differ", reason->telling_k);
	}
	fputs(reason->words_differ ? ".\n" : "", out);
	if (reason->n == 0) {
		return;
	}
	if (reason->of == KT_DIFF_OF_MACHINES) {
		fputs("No one letter makes the words the same, but the machines are the "
		      "same ",
		      out);
	} else {
		fprintf(out, "They differ only in %s letters come: the %s are the same ",
			reason->omit ? "where and how often some" : "how often some",
			reason->of == KT_DIFF_OF_WORDS ? "words" : "languages");
	}
	fputs(reason->omit ? "without " : "if runs of ", out);
	write_letters(out, reason->letters, reason->n);
	fputs(reason->omit ? "\n" : " count as one\n", out);
	write_reason_options(out, r);
}

/* --- numbers --- */

static void write_row(FILE *out, const char *what, uint64_t old, uint64_t new,
		      const struct kt_diff_counts *counts)
{
	fprintf(out,
		"%-12s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n",
		what, old, new, counts->kept, counts->added, counts->removed);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The hashes of a machine's words, in order; weak ones in an array that the caller frees.
 */
static const char **sort_hashes(const struct kt_fsm *fsm)
{
	const char **hashes = calloc(fsm->n_words + 1, sizeof(*hashes));

	for (size_t i = 0; hashes && i < fsm->n_words; i++) {
		hashes[i] = fsm->words[i].hash;
	}
	if (hashes) {
		qsort(hashes, fsm->n_words, sizeof(*hashes), compare_texts);
	}
	return hashes;
}

/* Words of either side that the other has, letter by letter; as often as both have them. */
static int count_same_words(uint64_t *out, const struct kt_fsm *old,
			    const struct kt_fsm *new)
{
	const char **a = sort_hashes(old);
	const char **b = sort_hashes(new);
	int code = a && b ? KT_OK : no_memory();

	*out = 0;
	for (size_t i = 0, j = 0; !code && i < old->n_words && j < new->n_words;) {
		int order = strcmp(a[i], b[j]);

		*out += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	free(a);
	free(b);
	return code;
}

static int write_numbers(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_summary *summary = kt_diff_summary(r->diff);
	const struct kt_fsm *old = r->sides->side[0].fsm;
	const struct kt_fsm *new = r->sides->side[1].fsm;
	uint64_t same;
	int code = count_same_words(&same, old, new);

	fprintf(out, "\n%-12s %9s %9s %9s %9s %9s\n", "", "old", "new", "kept", "added",
		"removed");
	if (!code && old->n_words && new->n_words) {
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
	return code;
}

/* --- words --- */

/* The last two letters of words, and how many words end so. */
struct ending {
	uint32_t letters[2]; /* the first is UINT32_MAX if the word has but one */
	uint64_t n;
	size_t first; /* the least of these words */
};

struct words {
	const kt_compare *compare; /* Weak */
	const kt_diff *diff;       /* Weak */
	struct ending *endings;    /* Owned by this */
	size_t n_endings;
	const struct kt_fsm *fsm[2]; /* Weak */
};

static int add_ending(struct words *w, size_t i, uint64_t length)
{
	struct ending *ending = &w->endings[w->n_endings++];
	uint64_t n = length < 2 ? length : 2;

	*ending = (struct ending){.letters = {UINT32_MAX}, .n = 1, .first = i};
	return kt_compare_ending(ending->letters + 2 - n, w->compare, i, n);
}

/* By letters; of equal ones the least word first. */
static int compare_letters(const void *left, const void *right)
{
	const struct ending *a = left;
	const struct ending *b = right;

	for (int i = 0; i < 2; i++) {
		if (a->letters[i] != b->letters[i]) {
			return a->letters[i] < b->letters[i] ? -1 : 1;
		}
	}
	return (a->first > b->first) - (a->first < b->first);
}

static void unite_endings(struct words *w)
{
	size_t kept = 0;

	qsort(w->endings, w->n_endings, sizeof(*w->endings), compare_letters);
	for (size_t i = 0; i < w->n_endings; i++) {
		const struct ending *last = kept ? &w->endings[kept - 1] : NULL;

		if (last && last->letters[0] == w->endings[i].letters[0] &&
		    last->letters[1] == w->endings[i].letters[1]) {
			w->endings[kept - 1].n++;
		} else {
			w->endings[kept++] = w->endings[i];
		}
	}
	w->n_endings = kept;
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
	unite_endings(w);
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
		fputs(e ? "," : "", out);
		for (int i = ending->letters[0] == UINT32_MAX; i < 2; i++) {
			fprintf(out, " %s",
				kt_compare_letter(w->compare, ending->letters[i]));
		}
		fprintf(out, " (%" PRIu64 ")", ending->n);
	}
	if (rest > 0) {
		fprintf(out, ", otherwise (%" PRIu64 ")", rest);
	}
	fputs(".\n", out);
}

/* The first of a state's transitions, or where they would be. */
static size_t find_ways_on(const struct kt_fsm *fsm, uint32_t state)
{
	size_t lo = 0;
	size_t hi = fsm->n_transitions;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (fsm->transitions[middle].from < state) {
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	return lo;
}

/* The letters that leave a state. */
static void write_ways_on(FILE *out, const struct kt_fsm *fsm, uint32_t state)
{
	size_t first = find_ways_on(fsm, state);
	size_t i = first;

	for (; i < fsm->n_transitions && fsm->transitions[i].from == state &&
	       i - first < WAYS_SHOWN;
	     i++) {
		fprintf(out, "%s%s", i > first ? ", " : "",
			fsm->letters[fsm->transitions[i].letter]);
	}
	if (i == first) {
		fputs("nothing", out);
	} else if (i < fsm->n_transitions && fsm->transitions[i].from == state) {
		fputs(", and more", out);
	}
}

static int write_word(FILE *out, struct words *w, size_t i,
		      const struct kt_compare_way *way)
{
	uint32_t letters[LAST_LETTERS];
	uint64_t n = way->length < LAST_LETTERS ? way->length : LAST_LETTERS;
	int code = kt_compare_ending(letters, w->compare, i, n);
	uint32_t at = 0;

	if (code) {
		return code;
	}
	fprintf(out, "  %" PRIu64 " %s: %s", way->length,
		way->length == 1 ? "letter" : "letters", n < way->length ? "... " : "");
	for (uint64_t j = 0; j + 1 < n; j++) {
		fprintf(out, "%s ", kt_compare_letter(w->compare, letters[j]));
	}
	fprintf(out, "| %s\n", kt_compare_letter(w->compare, letters[n - 1]));
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
		.fsm = {r->sides->side[0].fsm, r->sides->side[1].fsm},
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
	code = write_numbers(out, r);
	write_sequences(out, r);
	code = code ? code : write_words(out, r);
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write difference");
	}
	return code;
}
