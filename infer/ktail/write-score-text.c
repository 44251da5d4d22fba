/* SPDX-License-Identifier: MIT */
/* Writes a score as text. */
#include <inttypes.h>
#include <math.h>

#include <ktail/status.h>

#include "base/wrap.h"
#include "infer/ktail/score-report.h"

#define LAST_LETTERS 5  /* maximum number of last letters of a word that are shown */
#define INDENT       9  /* columns by which continuation lines are indented */
#define ROWS_MAX     10 /* maximum number of transitions in a list; JSON has all */

static void write_machine(FILE *out, const char *what,
			  const struct kt_score_report_machine *machine)
{
	fprintf(out, "%-8s %s: %zu states, %zu transitions", what, machine->name,
		machine->fsm->n_states, machine->fsm->n_transitions);
	if (!machine->fsm->no_k) {
		fprintf(out, ", k = %" PRIu64, machine->fsm->k);
	}
	putc('\n', out);
}

/* Writes a number in a column, or a dash if it is NaN or infinite. */
static void write_number(FILE *out, double number)
{
	if (isfinite(number)) {
		fprintf(out, "  %8.4f", number);
	} else {
		fprintf(out, "  %8s", "-");
	}
}

static const char *answer(enum kt_answer answer)
{
	static const char *const names[] = {"no", "yes", "unknown"};

	return names[answer];
}

/* Writes a row of the table of shares; `note` is its last column. */
static void write_share(FILE *out, const char *what, const struct kt_score_share *share,
			const char *note)
{
	fprintf(out, "%-32s  %8" PRIu64 "  %8" PRIu64 "  %8.4f%s\n", what, share->part,
		share->whole, share->value, note);
}

static void write_covered(FILE *out, const char *what,
			  const struct kt_score_transitions *of)
{
	char note[48] = "";

	if (of->partly > 0) {
		snprintf(note, sizeof(note), "  (%" PRIu64 " not always)", of->partly);
	}
	write_share(out, what, &of->covered, note);
}

static void write_language(FILE *out, const struct kt_score_figures *f)
{
	const struct kt_score_language *l = &f->language;

	fprintf(out, "\nsame language: %s\n", l->equal ? "yes" : "no");
	fprintf(out, "all words of the machine are words of the truth: %s\n",
		answer(l->precise));
	fprintf(out, "all words of the truth are words of the machine: %s\n",
		answer(l->recalls));
	fprintf(out, "\n%-32s  %8s  %8s  %8s\n", "after words that both can read", "number",
		"of", "share");
	write_covered(out, "transitions of the truth taken", &f->truth);
	write_covered(out, "transitions of the machine taken", &f->machine);
	write_share(out, "next letters right (precision)", &l->next_precision,
		    l->complete ? "" : "  (of those compared)");
	write_share(out, "next letters found (recall)", &l->next_recall, "");
	write_share(out, "state pairs, equal next letters", &l->exact, "");
}

static void write_walk_row(FILE *out, const char *what, const struct kt_score_walks *walks)
{
	fprintf(out, "%-12s", what);
	write_number(out, walks->words.value);
	fprintf(out, "  %.4f-%.4f", walks->words.low, walks->words.high);
	write_number(out, walks->words_expected);
	write_number(out, walks->letters.value);
	write_number(out, walks->letters_expected);
	putc('\n', out);
}

static void write_walks(FILE *out, const struct kt_score_options *options,
			const struct kt_score_figures *f)
{
	fprintf(out, "\n%-12s  %8s  %13s  %8s  %8s  %8s\n", "random walks", "words", "95 %",
		"expected", "letters", "expected");
	write_walk_row(out, "precision", &f->precision);
	write_walk_row(out, "recall", &f->recall);
	fprintf(out, "%-12s  %8.4f  %13s  %8s  %8.4f\n", "F1", f->f1, "", "",
		f->letters_f1);
	fprintf(out, "%-12s  %8.4f  %13s", "exactness", f->exactness.value, "");
	write_number(out, f->exactness_expected);
	fprintf(out,
		"\n\n%" PRIu64 " walks of each, of up to %" PRIu64
		" letters, transitions by %s, seed %" PRIu64 ";\n%" PRIu64
		" of the machine and %" PRIu64
		" of the truth ended sooner: no next letter.\n",
		options->walks, options->length,
		options->choice == KT_SCORE_COUNTS ? "counts" : "equal chance",
		options->seed, f->precision.stuck, f->recall.stuck);
	fputs("words: whole walks that the other machine can read; letters: those before "
	      "a\n"
	      "walk's first misfit. One misfit in hundreds of letters rejects a walk, so "
	      "words\n"
	      "is often near 0: judge recordings of a single program by the table above.\n"
	      "precision: walks of the machine; recall: of the truth, so it is low if the "
	      "truth\n"
	      "allows what was never recorded. exactness: positions of walks that the "
	      "other\n"
	      "machine can read up to there and where both allow the same next letters.\n"
	      "expected: after infinitely many walks.\n",
	      out);
}

/*
 * Returns the name of the i-th letter of the word in report->word, or the letter itself if
 * it has no name.
 */
static const char *name_letter(const struct kt_score_report *report, uint64_t i)
{
	const char *letter =
		kt_compare_letter(kt_score_compare(report->score), report->word[i]);

	for (int s = 0; s < 2; s++) {
		const struct kt_fsm *fsm = report->machine[s].fsm;
		const size_t found = kt_fsm_find_letter(fsm, letter);

		if (found != SIZE_MAX) {
			return kt_fsm_letter_name(fsm, found);
		}
	}
	return letter;
}

/*
 * Writes a transition and the last letters of the shortest word that shows the outcome of
 * the transition, if there is such a word.
 */
static void write_transition(FILE *out, const struct kt_score_report *report, int truth,
			     size_t i)
{
	const struct kt_fsm *fsm = report->machine[truth].fsm;
	const struct kt_fsm_transition *t = &fsm->transitions[i];
	const uint64_t length = kt_score_report_word(report, truth, i);
	const uint64_t first = length > LAST_LETTERS ? length - LAST_LETTERS : 0;
	struct kt_wrap line = kt_wrap_line(out, INDENT);

	kt_wrap_put(&line, "  %5" PRIu32 "  %s -> %" PRIu32, t->from,
		    kt_fsm_letter_name(fsm, t->letter), t->to);
	if (kt_score_report_fate(report, truth, i) == KT_SCORE_OUT_OF_WAY) {
		kt_wrap_put(&line, ": no common word reaches state %" PRIu32, t->from);
	}
	if (length > 0) {
		kt_wrap_put(&line, ": %" PRIu64 " %s,%s", length,
			    length == 1 ? "letter" : "letters", first ? " ..." : "");
	}
	for (uint64_t j = first; j < length; j++) {
		kt_wrap_put(&line, " %s%s", name_letter(report, j),
			    j + 1 < length ? ";" : "");
	}
	kt_wrap_end(&line);
}

/*
 * Writes, under a heading that ends in `how`, first the transitions with the outcome
 * `fate`, then those with the outcome `then`.
 */
static void write_transitions(FILE *out, const struct kt_score_report *report, int truth,
			      enum kt_score_fate fate, enum kt_score_fate then,
			      const char *how)
{
	const struct kt_fsm *fsm = report->machine[truth].fsm;
	const enum kt_score_fate order[] = {fate, then};
	uint64_t n = 0;

	for (size_t o = 0; o < (fate == then ? 1 : 2); o++) {
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			if (kt_score_report_fate(report, truth, i) != order[o]) {
				continue;
			}
			if (n == 0) {
				fprintf(out, "\ntransitions of the %s that the %s %s:\n",
					truth ? "truth" : "machine",
					truth ? "machine" : "truth", how);
			}
			if (n++ < ROWS_MAX) {
				write_transition(out, report, truth, i);
			}
		}
	}
	if (n > ROWS_MAX) {
		fprintf(out, "  ... and %" PRIu64 " more: -o FILE.json has all\n",
			n - ROWS_MAX);
	}
}

static void write_lists(FILE *out, const struct kt_score_report *report)
{
	const struct kt_score_figures *f = kt_score_figures(report->score);
	const struct kt_score_transitions *of[2] = {&f->machine, &f->truth};

	if (of[0]->covered.part == of[0]->covered.whole && of[0]->partly == 0 &&
	    of[1]->covered.part == of[1]->covered.whole && of[1]->partly == 0) {
		return;
	}
	fputs("\nBelow: state, letter, next state, as numbered in that machine; the "
	      "shortest\n"
	      "word that shows it, by its length and last letters.\n",
	      out);
	for (int truth = 1; truth >= 0; truth--) {
		write_transitions(out, report, truth, KT_SCORE_LACKING, KT_SCORE_OUT_OF_WAY,
				  "never has");
		write_transitions(out, report, truth, KT_SCORE_PARTLY, KT_SCORE_PARTLY,
				  "does not have after some words");
	}
}

int kt_score_write_text(FILE *out, const void *result)
{
	const struct kt_score_report *report = result;
	const struct kt_score_figures *f = kt_score_figures(report->score);

	write_machine(out, "machine", &report->machine[0]);
	write_machine(out, "truth", &report->machine[1]);
	write_language(out, f);
	write_walks(out, &report->options, f);
	write_lists(out, report);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write score") : KT_OK;
}
