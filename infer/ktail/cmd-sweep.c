/* SPDX-License-Identifier: MIT */
/* ktail sweep: measures the machine for each k, and reports the k that --k auto chooses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "base/array.h"
#include "base/terminal.h"
#include "base/try.h"
#include "base/utf8.h"
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

struct group {
	char name[KT_GROUP_SIZE];
	char **paths; /* Owned by this; the strings are argv's */
	size_t n;
	size_t capacity;
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
	struct group *groups; /* Owned by this: in the order of the command line */
	size_t n_groups;
	size_t groups_capacity;
	bool group_reads_standard_input;
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

static int find_group(struct group **out, struct sweep *sweep, const char *name,
		      size_t length)
{
	for (size_t i = 0; i < sweep->n_groups; i++) {
		*out = &sweep->groups[i];
		if (strncmp((*out)->name, name, length) == 0 && !(*out)->name[length]) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&sweep->groups, &sweep->groups_capacity,
				sweep->n_groups + 1));
	*out = &sweep->groups[sweep->n_groups++];
	**out = (struct group){.n = 0};
	memcpy((*out)->name, name, length);
	return KT_OK;
}

/* Adds a trace to the group NAME of "NAME=TRACE"; the first '=' ends the name. */
static int add_group(void *context, const char *value)
{
	struct sweep *sweep = context;
	const char *sign = strchr(value, '=');
	const size_t length = sign ? (size_t)(sign - value) : 0;
	struct group *group;

	if (length == 0 || !sign[1]) {
		return kt_error(KT_E_USAGE, "--group must be NAME=TRACE, not '%s'", value);
	}
	if (length >= KT_GROUP_SIZE || !kt_utf8_is_printable(value, length)) {
		return kt_error(KT_E_USAGE,
				"--group '%s': a name must be printable text of at most %d "
				"bytes",
				value, KT_GROUP_SIZE - 1);
	}
	if (strcmp(sign + 1, "-") == 0) {
		if (sweep->group_reads_standard_input) {
			return kt_error(KT_E_USAGE,
					"read standard input: it is given twice, but can "
					"be read only once");
		}
		sweep->group_reads_standard_input = true;
	}
	KT_TRY(find_group(&group, sweep, value, length));
	KT_TRY(kt_array_reserve(&group->paths, &group->capacity, group->n + 1));
	group->paths[group->n++] = (char *)(uintptr_t)(sign + 1);
	return KT_OK;
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
	{"group", 'g', "NAME=TRACE",
	 "a trace of a group, which gets a curve of its own; may be repeated",
	 KT_SET(add_group)},
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
	.usage = "ktail sweep [--k LO-HI] [OPTION]... [-o FILE]... TRACE...\n"
		 "       ktail sweep --group NAME=TRACE... [OPTION]... [-o FILE]...",
	.summary = "Compare the sizes of the machines for a range of k: where they stay "
		   "the same, and the k that\n--k auto chooses. Without -o: a table on "
		   "standard output.",
	.table = table,
};

/* Makes the sweep of a part, or its table of --leave-one-out. */
static int sweep_part(struct kt_sweep_part *part, struct kt_leave_one_out *left_out,
		      struct sweep *sweep, char **paths, int n)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	kt_words *words = NULL;
	int code;

	sweep->load.group = part->group;
	KT_TRY(kt_load(&words, &part->alphabet_json, paths, n, &sweep->load));
	options.lo = sweep->has_range ? sweep->lo : 1;
	options.hi = sweep->has_range ? sweep->hi : kt_auto_k_largest(words);
	options.machine = sweep->machine;
	if (sweep->leave_one_out) {
		code = kt_leave_one_out(left_out, words, &options);
		left_out->group = part->group;
		goto end;
	}
	if (sweep->cross_validate) {
		struct kt_cross_options cross = KT_CROSS_OPTIONS_INIT;

		cross.lo = options.lo;
		cross.hi = options.hi;
		cross.machine = options.machine;
		cross.folds = sweep->folds ? sweep->folds : cross.folds;
		KT_TRY_END(kt_cross_new(&part->cross, words, &cross));
	}
	KT_TRY_END(kt_curve_make(&part->curve, words, &options));
	kt_auto_k_say(&part->curve, part->group);
end:
	kt_words_free(words);
	return code;
}

static int sweep_all(struct sweep *sweep, char **paths, int n)
{
	const struct kt_output_kind *kind =
		sweep->leave_one_out ? &kt_output_leave_one_out : &kt_output_sweep;
	struct kt_sweep_result result = {.machine = sweep->machine_name};
	struct kt_leave_one_outs left_out = {.n = 0};
	int code;

	KT_TRY(kt_outputs_check(&sweep->outputs, kind));
	sweep->load.all = true;
	result.n = left_out.n = sweep->n_groups ? sweep->n_groups : 1;
	result.parts = calloc(result.n, sizeof(*result.parts));
	left_out.tables = calloc(left_out.n, sizeof(*left_out.tables));
	if (!result.parts || !left_out.tables) {
		code = kt_no_memory("sweep");
		goto end;
	}
	for (size_t i = 0; i < sweep->n_groups; i++) {
		struct group *group = &sweep->groups[i];

		result.parts[i].group = group->name;
		code = sweep_part(&result.parts[i], &left_out.tables[i], sweep,
				  group->paths, (int)group->n);
		if (code) {
			kt_error_prepend(code, "group %s", group->name);
			goto end;
		}
	}
	if (sweep->n_groups == 0) {
		KT_TRY_END(
			sweep_part(&result.parts[0], &left_out.tables[0], sweep, paths, n));
	}
	result.word = sweep->load.word;
	code = kt_outputs_write(&sweep->outputs,
				sweep->leave_one_out ? (const void *)&left_out : &result,
				kind);
end:
	for (size_t i = 0; i < result.n; i++) {
		if (left_out.tables) {
			kt_leave_one_out_clear(&left_out.tables[i]);
		}
		if (result.parts) {
			kt_curve_clear(&result.parts[i].curve);
			kt_cross_free(result.parts[i].cross);
			free(result.parts[i].alphabet_json);
		}
	}
	free(left_out.tables);
	free(result.parts);
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
	if (n > 0 && sweep.n_groups > 0) {
		code = kt_error(KT_E_USAGE,
				"with --group, each trace needs a group: --group NAME=%s",
				argv[0]);
	} else if (n == 0 && sweep.n_groups == 0) {
		code = kt_error(KT_E_USAGE, "no trace given; see ktail sweep --help");
	} else if (sweep.cross_validate && sweep.leave_one_out) {
		code = kt_error(KT_E_USAGE,
				"--leave-one-out cannot be combined with --cross-validate");
	} else if (sweep.folds && !sweep.cross_validate) {
		code = kt_error(KT_E_USAGE, "--folds needs --cross-validate");
	} else {
		code = sweep_all(&sweep, argv, n);
	}
	status = code ? kt_cmd_fail(code) : 0;
end:
	for (size_t i = 0; i < sweep.n_groups; i++) {
		free(sweep.groups[i].paths);
	}
	free(sweep.groups);
	kt_outputs_clear(&sweep.outputs);
	kt_load_options_clear(&sweep.load);
	return status;
}
