/* SPDX-License-Identifier: MIT */
/* ktail score: compares a machine with a known true machine. */
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "base/try.h"
#include "infer/files/letter-names.h"
#include "infer/files/machine.h"
#include "infer/files/output.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/operand.h"
#include "infer/ktail/score-report.h"

struct score {
	struct kt_operand_options operand; /* must be first: see KT_LOAD_ROWS */
	struct kt_score_options options;
	struct kt_outputs outputs;
};

static int write_csv(FILE *out, const void *report)
{
	return kt_output_convert_tsv(out, report, kt_score_write_tsv, kt_table_print_csv,
				     NULL);
}

static const struct kt_output_format formats[] = {
	{".txt", NULL, kt_score_write_text},
	{".json", NULL, kt_score_write_json},
	{".tsv", NULL, kt_score_write_tsv},
	{".csv", NULL, write_csv},
	{NULL, NULL, NULL},
};

static const struct kt_output_kind kind = {
	.what = "score",
	.formats = formats,
	.json = kt_score_write_json,
};

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct score *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"k", 'k', "N|auto", "for traces: length of the tails by which states are merged",
	 KT_SET(kt_operand_set_k), KT_PROPOSE("auto")},
	{"machine", 'm', "KIND",
	 "for traces: the canonical machine, chains (default) or pta",
	 KT_SET(kt_operand_set_machine), KT_PROPOSE(KT_MACHINE_KIND_NAMES)},
	KT_LOAD_ROWS,
	KT_FILTER_ROWS,
	KT_PART_ROWS,
	{"walks", 0, "N", "random walks per machine (default 10000)",
	 KT_NUMBER(struct score, options.walks, 0, 1000000000)},
	{"length", 0, "N", "letters per walk at most (default 500)",
	 KT_NUMBER(struct score, options.length, 0, 1000000000)},
	{"seed", 0, "N", "seed of the random numbers (default 1)",
	 KT_NUMBER(struct score, options.seed, 0, UINT64_MAX)},
	{"by", 0, "CHOICE",
	 "choice of transitions: uniform (default), or by their counts if known",
	 KT_ENUM(struct score, options.choice, "uniform", "counts")},
	{"output", 'o', "FILE", "output: .txt .json .tsv .csv; may be repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: txt)",
	 KT_TEXT(struct score, outputs.format)},
	KT_NAMES_ROW(struct kt_load_options, names),
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail score [OPTION]... [-o FILE]... MACHINE TRUTH\n"
		 "       ktail score [--k N] [OPTION]... [-o FILE]... TRACE... TRUTH",
	.summary =
		"Score a machine against the truth: precision, recall, exactness, "
		"transitions missing in either.\nBoth are machines (.json .gv .dot "
		".graphml), or inferred from traces. Without -o: text on\nstandard output.",
	.table = table,
};

int kt_cmd_score(int argc, char **argv)
{
	struct score score = {.operand = KT_OPERAND_OPTIONS_INIT,
			      .options = KT_SCORE_OPTIONS_INIT};
	struct kt_operand_options *options = &score.operand;
	struct kt_score_report report = {.machine = {{0}}};
	struct kt_operand machine = {0};
	struct kt_operand truth = {0};
	char *name = NULL;
	size_t size;
	int status;
	int code;
	int n = 0;

	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &score)) {
		kt_outputs_clear(&score.outputs);
		kt_load_options_clear(&score.operand.load);
		return status;
	}
	if (n < 2) {
		code = kt_error(KT_E_USAGE, "MACHINE and TRUTH are needed; see ktail "
					    "score --help");
		goto end;
	}
	if (n == 2 && kt_machine_is_named(argv[0]) && kt_machine_is_named(argv[1]) &&
	    (options->has_k || options->wants_auto)) {
		code = kt_error(KT_E_USAGE,
				"--k applies to traces, but two machines are given");
		goto end;
	}
	if (n == 2 && kt_machine_is_named(argv[0]) && kt_machine_is_named(argv[1]) &&
	    kt_trace_filter_option(&options->load.part)) {
		code = kt_error(KT_E_USAGE,
				"%s applies to traces, but two machines are given",
				kt_trace_filter_option(&options->load.part));
		goto end;
	}
	KT_TRY_END(kt_outputs_check(&score.outputs, &kind));
	size = strlen(argv[0]) + 32;
	name = malloc(size);
	if (!name) {
		code = kt_no_memory("score machine");
		goto end;
	}
	if (n > 2) {
		snprintf(name, size, "%s and %d more", argv[0], n - 2);
	} else {
		snprintf(name, size, "%s", argv[0]);
	}
	/* Read a machine first: its letter filter also applies to traces. */
	if (kt_machine_is_named(argv[0])) {
		KT_TRY_END(kt_operand_read(&machine, argv, n - 1, "MACHINE", options));
	}
	KT_TRY_END(kt_operand_read(&truth, argv + n - 1, 1, "TRUTH", options));
	KT_TRY_END(kt_operand_infer(&truth, options));
	if (!machine.fsm) {
		KT_TRY_END(kt_operand_read(&machine, argv, n - 1, "MACHINE", options));
	}
	KT_TRY_END(kt_operand_infer(&machine, options));
	kt_operand_warn(machine.fsm, name, truth.fsm, argv[n - 1]);
	KT_TRY_END(kt_machine_name_letters(machine.fsm, options->load.names));
	KT_TRY_END(kt_machine_name_letters(truth.fsm, options->load.names));
	report.options = score.options;
	report.machine[0].fsm = machine.fsm;
	report.machine[0].name = name;
	report.machine[1].fsm = truth.fsm;
	report.machine[1].name = argv[n - 1];
	KT_TRY_END(kt_score_report_make(&report));
	code = kt_outputs_write(&score.outputs, &report, &kind);
end:
	kt_score_report_clear(&report);
	kt_operand_clear(&machine);
	kt_operand_clear(&truth);
	free(name);
	kt_outputs_clear(&score.outputs);
	kt_load_options_clear(&score.operand.load);
	return code ? kt_cmd_fail(code) : 0;
}
