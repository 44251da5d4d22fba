/* SPDX-License-Identifier: MIT */
/* A score for people. */
#include <inttypes.h>
#include <math.h>

#include <ktail/status.h>

#include "infer/ktail/score-report.h"

#define LAST_LETTERS 8  /* number shown of a word */
#define POINTS_MAX   3  /* number shown of a state */
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

static void write_language(FILE *out, const struct kt_score_figures *f)
{
	const struct kt_score_language *l = &f->language;

	fprintf(out, "\nsame language: %s\n", l->equal ? "yes" : "no");
	fprintf(out, "all words of the machine are words of the truth: %s\n",
		answer(l->precise));
	fprintf(out, "all words of the truth are words of the machine: %s\n",
		answer(l->recalls));
	fprintf(out,
		"pairs of states that one word reaches: %" PRIu64 "%s; the same letters "
		"follow in %" PRIu64 " (%.4f)\n",
		l->exact.whole, l->complete ? "" : " (there are more)", l->exact.part,
		l->exact.value);
	fprintf(out,
		"letters that can follow there: of the machine's %" PRIu64
		" the truth has %" PRIu64 " (%.4f), of the truth's %" PRIu64
		" the machine has %" PRIu64 " (%.4f)\n",
		l->next_precision.whole, l->next_precision.part, l->next_precision.value,
		l->next_recall.whole, l->next_recall.part, l->next_recall.value);
	fprintf(out,
		"transitions of the truth that words of the machine take: %" PRIu64
		" of %" PRIu64 " (%.4f), %" PRIu64 " of them not always\n",
		f->truth.covered.part, f->truth.covered.whole, f->truth.covered.value,
		f->truth.partly);
	fprintf(out,
		"transitions of the machine that words of the truth take: %" PRIu64
		" of %" PRIu64 " (%.4f), %" PRIu64 " of them not always\n",
		f->machine.covered.part, f->machine.covered.whole, f->machine.covered.value,
		f->machine.partly);
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
	const kt_compare *compare = kt_score_compare(report->score);
	const struct kt_fsm *fsm = report->machine[truth].fsm;
	uint64_t n = 0;

	for (size_t o = 0; o < sizeof(order) / sizeof(order[0]); o++) {
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm->transitions[i];
			const struct kt_fsm_state *state = &fsm->states[t->from];
			uint64_t length;
			uint64_t first;

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
			if (n++ >= ROWS_MAX) {
				continue;
			}
			length = kt_score_report_word(report, truth, i);
			first = length > LAST_LETTERS ? length - LAST_LETTERS : 0;
			fprintf(out, "  %5" PRIu32 "  %s -> %" PRIu32 ": %s", t->from,
				fsm->letters[t->letter], t->to, whys[order[o]]);
			if (length > 0) {
				fprintf(out, "; %" PRIu64 " letters: %s", length,
					first ? "..." : "");
			}
			for (uint64_t j = first; j < length; j++) {
				fprintf(out, "%s%s", j > 0 ? " " : "",
					kt_compare_letter(compare, report->word[j]));
			}
			for (size_t j = 0; j < state->n_points && j < POINTS_MAX; j++) {
				fprintf(out, "%s%s", j ? "; " : "\n         ",
					state->points[j]);
			}
			fputs(state->n_points > POINTS_MAX ? "; ...\n" : "\n", out);
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
		"\n\n%" PRIu64 " walks of each, %" PRIu64
		" letters at most, transitions by %s, seed %" PRIu64 "; %" PRIu64
		" and %" PRIu64 " ended sooner\n",
		report->options.walks, report->options.length,
		report->options.choice == KT_SCORE_COUNTS ? "counts" : "equal chance",
		report->options.seed, f->precision.stuck, f->recall.stuck);
	write_language(out, f);
	write_transitions(out, report, 1);
	write_transitions(out, report, 0);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write score") : KT_OK;
}
