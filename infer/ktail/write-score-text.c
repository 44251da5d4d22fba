/* SPDX-License-Identifier: MIT */
/* A score for people. */
#include <inttypes.h>
#include <math.h>

#include <ktail/status.h>

#include "base/wrap.h"
#include "infer/ktail/score-report.h"

#define LAST_LETTERS 8  /* number shown of a word */
#define POINTS_MAX   3  /* number shown of a state */
#define INDENT       9  /* columns */
#define ROWS_MAX     40 /* transitions listed; the other formats have all */

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

/* Writes a number in a column, or a dash. */
static void write_number(FILE *out, double number)
{
	if (isfinite(number)) {
		fprintf(out, "  %8.4f", number);
	} else {
		fprintf(out, "  %8s", "-");
	}
}

static void write_walks(FILE *out, const char *what, const struct kt_score_walks *walks)
{
	fprintf(out, "%-10s", what);
	write_number(out, walks->words.value);
	fprintf(out, "  %.4f-%.4f", walks->words.low, walks->words.high);
	write_number(out, walks->words_expected);
	write_number(out, walks->letters.value);
	write_number(out, walks->letters_expected);
	putc('\n', out);
}

static const char *answer(enum kt_answer answer)
{
	static const char *const names[] = {"no", "yes", "unknown"};

	return names[answer];
}

/* Writes a row of the table of shares; `note` ends it. */
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
	fprintf(out, "\n%-32s  %8s  %8s  %8s\n", "at states that one word reaches",
		"number", "of", "share");
	write_share(out, "pairs with the same next letters", &l->exact,
		    l->complete ? "" : "  (there are more pairs)");
	write_share(out, "next letters right (precision)", &l->next_precision, "");
	write_share(out, "next letters found (recall)", &l->next_recall, "");
	write_covered(out, "transitions of the truth taken", &f->truth);
	write_covered(out, "transitions of the machine taken", &f->machine);
}

/* Writes a transition with the shortest word that shows why it is missing. */
static void write_transition(FILE *out, const struct kt_score_report *report, int truth,
			     size_t i, const char *why)
{
	const kt_compare *compare = kt_score_compare(report->score);
	const struct kt_fsm *fsm = report->machine[truth].fsm;
	const struct kt_fsm_transition *t = &fsm->transitions[i];
	const struct kt_fsm_state *state = &fsm->states[t->from];
	const uint64_t length = kt_score_report_word(report, truth, i);
	const uint64_t first = length > LAST_LETTERS ? length - LAST_LETTERS : 0;
	struct kt_wrap line = kt_wrap_line(out, INDENT);

	kt_wrap_put(&line, "  %5" PRIu32 "  %s -> %" PRIu32 ": %s", t->from,
		    fsm->letters[t->letter], t->to, why);
	if (length > 0) {
		kt_wrap_put(&line, "; %" PRIu64 " letters:%s", length, first ? " ..." : "");
	}
	for (uint64_t j = first; j < length; j++) {
		kt_wrap_put(&line, " %s", kt_compare_letter(compare, report->word[j]));
	}
	kt_wrap_end(&line);
	for (size_t j = 0; j < state->n_points && j < POINTS_MAX; j++) {
		fprintf(out, "%*s%s\n", INDENT, "", state->points[j]);
	}
	if (state->n_points > POINTS_MAX) {
		fprintf(out, "%*s...\n", INDENT, "");
	}
}

/*
 * Writes the transitions missing in the other machine, then those missing for some words.
 */
static void write_transitions(FILE *out, const struct kt_score_report *report, int truth)
{
	static const enum kt_score_fate order[] = {KT_SCORE_LACKING, KT_SCORE_OUT_OF_WAY,
						   KT_SCORE_PARTLY};
	static const char *const whys[] = {"", "not always", "lacking", "never reached",
					   ""};
	const size_t n_transitions = report->machine[truth].fsm->n_transitions;
	uint64_t n = 0;

	for (size_t o = 0; o < sizeof(order) / sizeof(order[0]); o++) {
		for (size_t i = 0; i < n_transitions; i++) {
			if (kt_score_report_fate(report, truth, i) != order[o]) {
				continue;
			}
			if (n == 0) {
				fprintf(out,
					"\ntransitions of the %s missing in the %s (from, "
					"letter, to):\n",
					truth ? "truth" : "machine",
					truth ? "machine" : "truth");
			}
			if (n++ < ROWS_MAX) {
				write_transition(out, report, truth, i, whys[order[o]]);
			}
		}
	}
	if (n > ROWS_MAX) {
		fprintf(out, "  ... and %" PRIu64 " more: -o FILE.json has all\n",
			n - ROWS_MAX);
	}
}

int kt_score_write_text(FILE *out, const void *result)
{
	const struct kt_score_report *report = result;
	const struct kt_score_figures *f = kt_score_figures(report->score);

	write_machine(out, "machine", &report->machine[0]);
	write_machine(out, "truth", &report->machine[1]);
	fprintf(out, "\n%-10s  %8s  %13s  %8s  %8s  %8s\n", "", "words", "95 %", "expected",
		"letters", "expected");
	write_walks(out, "precision", &f->precision);
	write_walks(out, "recall", &f->recall);
	fprintf(out, "%-10s  %8.4f  %13s  %8s  %8.4f\n", "F1", f->f1, "", "",
		f->letters_f1);
	fprintf(out, "%-10s  %8.4f  %13s", "exactness", f->exactness.value, "");
	write_number(out, f->exactness_expected);
	fprintf(out,
		"\n\n%" PRIu64 " walks of each, at most %" PRIu64
		" letters, transitions by %s, seed %" PRIu64 ";\n%" PRIu64
		" walks of the machine and %" PRIu64 " of the truth ended sooner\n",
		report->options.walks, report->options.length,
		report->options.choice == KT_SCORE_COUNTS ? "counts" : "equal chance",
		report->options.seed, f->precision.stuck, f->recall.stuck);
	fputs("precision: of the machine's walks, those that the truth can read; recall: "
	      "the\n"
	      "other way, so it is low if the truth allows what was never recorded\n",
	      out);
	write_language(out, f);
	write_transitions(out, report, 1);
	write_transitions(out, report, 0);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write score") : KT_OK;
}
