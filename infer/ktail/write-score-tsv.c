/* SPDX-License-Identifier: MIT */
/*
 * Writes a score as a table of one row, so that tables of several scores can be
 * concatenated.
 */
#include <inttypes.h>
#include <math.h>

#include <ktail/status.h>

#include "infer/ktail/score-report.h"

static const char header[] =
	"k\tstates\ttransitions\t"
	"precision\tprecision_low\tprecision_high\tprecision_expected\t"
	"precision_letters\tprecision_letters_expected\t"
	"recall\trecall_low\trecall_high\trecall_expected\t"
	"recall_letters\trecall_letters_expected\t"
	"f1\tf1_letters\texactness\texactness_expected\t"
	"equal\tmachine_in_truth\ttruth_in_machine\tpairs\texact_pairs\t"
	"next_precision\tnext_recall\t"
	"truth_transitions\ttruth_covered\ttruth_partly\t"
	"machine_transitions\tmachine_covered\tmachine_partly\n";

static void write_number(FILE *out, double number)
{
	if (isfinite(number)) {
		fprintf(out, "\t%.6f", number);
	} else {
		putc('\t', out);
	}
}

static void write_walks(FILE *out, const struct kt_score_walks *walks)
{
	write_number(out, walks->words.value);
	write_number(out, walks->words.low);
	write_number(out, walks->words.high);
	write_number(out, walks->words_expected);
	write_number(out, walks->letters.value);
	write_number(out, walks->letters_expected);
}

static const char *answer(enum kt_answer answer)
{
	static const char *const names[] = {"no", "yes", ""};

	return names[answer];
}

static void write_transitions(FILE *out, const struct kt_score_transitions *t)
{
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, t->covered.whole,
		t->covered.part, t->partly);
}

int kt_score_write_tsv(FILE *out, const void *result)
{
	const struct kt_score_report *report = result;
	const struct kt_score_figures *f = kt_score_figures(report->score);
	const struct kt_fsm *machine = report->machine[0].fsm;

	fputs(header, out);
	if (!machine->no_k) {
		fprintf(out, "%" PRIu64, machine->k);
	}
	fprintf(out, "\t%zu\t%zu", machine->n_states, machine->n_transitions);
	write_walks(out, &f->precision);
	write_walks(out, &f->recall);
	write_number(out, f->f1);
	write_number(out, f->letters_f1);
	write_number(out, f->exactness.value);
	write_number(out, f->exactness_expected);
	fprintf(out, "\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64,
		f->language.equal ? "yes" : "no", answer(f->language.precise),
		answer(f->language.recalls), f->language.exact.whole,
		f->language.exact.part);
	write_number(out, f->language.next_precision.value);
	write_number(out, f->language.next_recall.value);
	write_transitions(out, &f->truth);
	write_transitions(out, &f->machine);
	putc('\n', out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write score as TSV") : KT_OK;
}
