/* SPDX-License-Identifier: MIT */
/* A score as JSON, "ktail-score/1": see ktail-score(1). */
#include <inttypes.h>
#include <math.h>

#include <ktail/status.h>

#include "base/json-string.h"
#include "infer/ktail/score-report.h"

static void write_number(FILE *out, const char *name, double number)
{
	if (isfinite(number)) {
		fprintf(out, "\"%s\": %.6f", name, number);
	} else {
		fprintf(out, "\"%s\": null", name);
	}
}

static void write_machine(FILE *out, const char *what,
			  const struct kt_score_report_side *side)
{
	fprintf(out, "  \"%s\": {\"name\": ", what);
	kt_json_string(out, side->name);
	if (side->fsm->no_k) {
		fputs(", \"k\": null", out);
	} else {
		fprintf(out, ", \"k\": %" PRIu64, side->fsm->k);
	}
	fprintf(out, ", \"states\": %zu, \"transitions\": %zu},\n", side->fsm->n_states,
		side->fsm->n_transitions);
}

static void write_share(FILE *out, const char *name, const struct kt_score_share *share)
{
	fprintf(out, "\"%s\": {\"part\": %" PRIu64 ", \"whole\": %" PRIu64 ", ", name,
		share->part, share->whole);
	write_number(out, "share", share->value);
}

static void write_walks(FILE *out, const char *name, const struct kt_score_walks *walks)
{
	fprintf(out, "  \"%s\": {", name);
	write_share(out, "words", &walks->words);
	fputs(", ", out);
	write_number(out, "low", walks->words.low);
	fputs(", ", out);
	write_number(out, "high", walks->words.high);
	fputs(", ", out);
	write_number(out, "expected", walks->words_expected);
	fputs("},\n    ", out);
	write_share(out, "letters", &walks->letters);
	fputs(", ", out);
	write_number(out, "expected", walks->letters_expected);
	fprintf(out, "},\n    \"stuck\": %" PRIu64 "},\n", walks->stuck);
}

static const char *answer(enum kt_answer answer)
{
	static const char *const names[] = {"false", "true", "null"};

	return names[answer];
}

/* Those that the other machine lacks, at least for some words. */
static void write_transitions(FILE *out, const struct kt_score_report *report, int side)
{
	const struct kt_score_figures *f = kt_score_figures(report->score);
	const struct kt_score_transitions *t = side ? &f->truth : &f->machine;
	const kt_compare *compare = kt_score_compare(report->score);
	const struct kt_fsm *fsm = report->side[side].fsm;
	const char *separator = "\n";
	static const char *const fates[] = {"covered", "partly", "lacking", "out of way",
					    "unreachable"};

	fprintf(out, "  \"%s_transitions\": {", side ? "truth" : "machine");
	write_share(out, "covered", &t->covered);
	fprintf(out, "}, \"partly\": %" PRIu64 ",\n    \"%s\": [", t->partly,
		side ? "missed" : "untrue");
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		enum kt_score_fate what = kt_score_report_fate(report, side, i);
		uint64_t n_word;

		if (what == KT_SCORE_COVERED || what == KT_SCORE_UNREACHABLE) {
			continue;
		}
		fprintf(out, "%s      {\"from\": %" PRIu32 ", \"letter\": ", separator,
			fsm->transitions[i].from);
		kt_json_string(out, fsm->letters[fsm->transitions[i].letter]);
		fprintf(out, ", \"to\": %" PRIu32 ", \"why\": \"%s\"",
			fsm->transitions[i].to, fates[what]);
		n_word = kt_score_report_word(report, side, i);
		if (n_word > 0) {
			fputs(",\n       \"word\": [", out);
			for (uint64_t j = 0; j < n_word; j++) {
				fputs(j ? ", " : "", out);
				kt_json_string(out,
					       kt_compare_letter(compare, report->word[j]));
			}
			putc(']', out);
		}
		putc('}', out);
		separator = ",\n";
	}
	fputs("]}", out);
}

int kt_score_write_json(FILE *out, const void *result)
{
	const struct kt_score_report *report = result;
	const struct kt_score_figures *f = kt_score_figures(report->score);
	const struct kt_score_language *l = &f->language;

	fputs("{ \"format\": \"ktail-score/1\",\n", out);
	write_machine(out, "machine", &report->side[0]);
	write_machine(out, "truth", &report->side[1]);
	fprintf(out,
		"  \"walks\": {\"number\": %" PRIu64 ", \"length\": %" PRIu64
		", \"seed\": %" PRIu64 ", \"by\": \"%s\"},\n",
		report->options.walks, report->options.length, report->options.seed,
		report->options.choice == KT_SCORE_COUNTS ? "counts" : "uniform");
	write_walks(out, "precision", &f->precision);
	write_walks(out, "recall", &f->recall);
	fputs("  \"f1\": {", out);
	write_number(out, "words", f->f1);
	fputs(", ", out);
	write_number(out, "letters", f->letters_f1);
	fputs("},\n  ", out);
	write_share(out, "exactness", &f->exactness);
	fputs(", ", out);
	write_number(out, "expected", f->exactness_expected);
	fprintf(out,
		"},\n  \"language\": {\"equal\": %s, \"machine_in_truth\": %s, "
		"\"truth_in_machine\": %s, \"complete\": %s,\n    ",
		l->equal ? "true" : "false", answer(l->precise), answer(l->recalls),
		l->complete ? "true" : "false");
	write_share(out, "exact_pairs", &l->exact);
	fputs("},\n    ", out);
	write_share(out, "next_precision", &l->next_precision);
	fputs("},\n    ", out);
	write_share(out, "next_recall", &l->next_recall);
	fputs("}},\n", out);
	write_transitions(out, report, 1);
	fputs(",\n", out);
	write_transitions(out, report, 0);
	fputs("\n}\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write score as JSON") : KT_OK;
}
