/* SPDX-License-Identifier: MIT */
/* ktail sweep: measures the machine for each k, and reports the k that --k auto chooses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "base/terminal.h"
#include "base/try.h"
#include "infer/files/machine.h"
#include "infer/ktail/auto-k.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/leave-one-out.h"
#include "infer/ktail/load.h"
#include "infer/ktail/sweep-result.h"

/* A range with more values of k than this is probably a typing error. */
#define K_AT_ONCE 1000000

static const struct kt_output_format sweep_formats[] = {
	{".tsv", NULL, kt_sweep_write_table},
	{".csv", NULL, kt_sweep_write_csv},
	{".txt", NULL, kt_sweep_write_text},
	{".json", NULL, kt_sweep_write_json},
	{".svg", "svg", NULL},
	{".png", "png", NULL},
	{".pdf", "pdf", NULL},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_sweep = {
	.what = "sweep",
	.formats = sweep_formats,
	.json = kt_sweep_write_json,
};

struct sweep {
	struct kt_load_options load; /* must be first: see KT_LOAD_ROWS */
	unsigned long lo;
	unsigned long hi;
	bool has_range;
	enum kt_machine machine;
	const char *machine_name; /* Weak */
	bool leave_one_out;
	bool cross_validate;
	unsigned long folds;
	struct kt_outputs outputs;
};

static int set_range(void *context, const char *value)
{
	struct sweep *sweep = context;
	const char *dash = strchr(value, '-');
	char lo[32];
	int code;

	if (!dash || dash == value) {
		dash = value + strlen(value);
	}
	if ((size_t)(dash - value) >= sizeof(lo)) {
		return kt_error(KT_E_USAGE, "--k must be LO-HI, not '%s'", value);
	}
	memcpy(lo, value, (size_t)(dash - value));
	lo[dash - value] = '\0';
	code = kt_parse_number(&sweep->lo, lo, 0, INT64_MAX, "--k");
	sweep->hi = sweep->lo;
	if (!code && *dash) {
		code = kt_parse_number(&sweep->hi, dash + 1, sweep->lo, INT64_MAX, "--k");
	}
	if (!code && sweep->hi - sweep->lo >= K_AT_ONCE) {
		return kt_error(KT_E_USAGE, "--k %s: more than %d values", value,
				K_AT_ONCE);
	}
	sweep->has_range = true;
	return code;
}

static int set_machine(void *context, const char *value)
{
	struct sweep *sweep = context;

	sweep->machine_name = value;
	return kt_machine_kind_parse(&sweep->machine, value);
}

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct sweep *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"k", 'k', "LO-HI", "range of k (default: 1 to 100, or to the longest word)",
	 KT_SET(set_range)},
	{"machine", 'm', "KIND", "the canonical machine: chains (default) or pta",
	 KT_SET(set_machine), KT_PROPOSE(KT_MACHINE_KIND_NAMES)},
	{"leave-one-out", 'l', NULL,
	 "instead, show which k --k auto chooses without each word",
	 KT_FLAG(struct sweep, leave_one_out)},
	{"cross-validate", 0, NULL,
	 "add columns: words accepted by the machines of the others",
	 KT_FLAG(struct sweep, cross_validate)},
	{"folds", 0, "N", "number of folds for --cross-validate (default 10)",
	 KT_NUMBER(struct sweep, folds, 2, INT64_MAX)},
	KT_LOAD_ROWS,
	KT_FILTER_ROWS,
	KT_PART_ROWS,
	{"output", 'o', "FILE",
	 "output: .tsv .csv .json .txt .svg .png .pdf; may be repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: tsv)",
	 KT_TEXT(struct sweep, outputs.format)},
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail sweep [--k LO-HI] [OPTION]... [-o FILE]... TRACE...",
	.summary = "Compare the sizes of the machines for a range of k: where they stay "
		   "the same, and the k that\n--k auto chooses. Without -o: a table on "
		   "standard output.",
	.table = table,
};

static int sweep_traces(struct sweep *sweep, char **paths, int n)
{
	const struct kt_output_kind *kind =
		sweep->leave_one_out ? &kt_output_leave_one_out : &kt_output_sweep;
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_sweep_result result = {
		.machine = sweep->machine_name,
	};
	struct kt_leave_one_out left_out = {0};
	kt_words *words = NULL;
	int code;

	KT_TRY_END(kt_outputs_check(&sweep->outputs, kind));
	sweep->load.all = true;
	KT_TRY_END(kt_load(&words, &result.alphabet_json, paths, n, &sweep->load));
	result.word = sweep->load.word;
	options.lo = sweep->has_range ? sweep->lo : 1;
	options.hi = sweep->has_range ? sweep->hi : kt_auto_k_largest(words);
	options.machine = sweep->machine;
	if (sweep->leave_one_out) {
		KT_TRY_END(kt_leave_one_out(&left_out, words, &options));
		code = kt_outputs_write(&sweep->outputs, &left_out, kind);
		goto end;
	}
	if (sweep->cross_validate) {
		struct kt_cross_options cross = KT_CROSS_OPTIONS_INIT;

		cross.lo = options.lo;
		cross.hi = options.hi;
		cross.machine = options.machine;
		cross.folds = sweep->folds ? sweep->folds : cross.folds;
		KT_TRY_END(kt_cross_new(&result.cross, words, &cross));
	}
	KT_TRY_END(kt_curve_make(&result.curve, words, &options));
	kt_auto_k_say(&result.curve);
	code = kt_outputs_write(&sweep->outputs, &result, kind);
end:
	kt_leave_one_out_clear(&left_out);
	kt_curve_clear(&result.curve);
	kt_words_free(words);
	kt_cross_free(result.cross);
	free(result.alphabet_json);
	return code;
}

int kt_cmd_sweep(int argc, char **argv)
{
	struct sweep sweep = {.load = KT_LOAD_OPTIONS_INIT, .machine_name = "chains"};
	int status;
	int code;
	int n = 0;

	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &sweep)) {
		goto end;
	}
	if (n == 0) {
		code = kt_error(KT_E_USAGE, "no trace given; see ktail sweep --help");
	} else if (sweep.cross_validate && sweep.leave_one_out) {
		code = kt_error(KT_E_USAGE,
				"--leave-one-out cannot be combined with --cross-validate");
	} else if (sweep.folds && !sweep.cross_validate) {
		code = kt_error(KT_E_USAGE, "--folds needs --cross-validate");
	} else {
		code = sweep_traces(&sweep, argv, n);
	}
	status = code ? kt_cmd_fail(code) : 0;
end:
	kt_outputs_clear(&sweep.outputs);
	kt_load_options_clear(&sweep.load);
	return status;
}
