/* SPDX-License-Identifier: MIT */
/* ktail infer: from traces to a machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "base/option-table.h"
#include "infer/ktail/auto-k.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/load.h"
#include "infer/ktail/machine.h"
#include "infer/ktail/output.h"
#include "infer/ktail/statistics.h"

struct infer {
	struct kt_load_options load; /* first: see KT_LOAD_ROWS */
	unsigned long k;
	bool has_k; /* else it is chosen */
	enum kt_machine machine;
	bool help;
	bool version;
	bool has_output;
	struct kt_outputs outputs;
	struct kt_outputs statistics;
};

static int set_k(void *context, const char *value)
{
	struct infer *infer = context;

	infer->has_k = strcmp(value, "auto") != 0;
	return !infer->has_k ? KT_OK
			     : kt_parse_number(&infer->k, value, 0, INT64_MAX, "--k");
}

static int set_machine(void *context, const char *value)
{
	return kt_machine_kind_parse(&((struct infer *)context)->machine, value);
}

static int add_output(void *context, const char *value)
{
	struct infer *infer = context;

	infer->has_output = true;
	if (kt_statistics_is_named(value)) {
		return kt_outputs_add(&infer->statistics, value, &kt_output_statistics);
	}
	return kt_outputs_add(&infer->outputs, value, &kt_output_machine);
}

static int add_statistics(void *context, const char *value)
{
	return kt_outputs_add(&((struct infer *)context)->statistics, value,
			      &kt_output_statistics);
}

static int set_help(void *context, const char *value)
{
	(void)value;
	((struct infer *)context)->help = true;
	return KT_OK;
}

static int set_version(void *context, const char *value)
{
	(void)value;
	((struct infer *)context)->version = true;
	return KT_OK;
}

static const struct kt_option table[] = {
	{"k", 'k', "N|auto",
	 "length of the tails that decide which states are one (default: auto)", set_k},
	{"machine", 'm', "KIND", "the canonical machine: chains (default) or pta",
	 set_machine},
	KT_LOAD_ROWS,
	{"output", 'o', "FILE",
	 "where to: .dot .svg .png .pdf .json .tsv .gv .graphml; may be given several "
	 "times",
	 add_output},
	{"kgrams", 0, "FILE.kgrams",
	 "keep there what more words can be added to later: see ktail-merge(1)",
	 add_statistics},
	{"help", 'h', NULL, "show this", set_help},
	{"version", 'V', NULL, "show the version", set_version},
	{NULL, 0, NULL, NULL, NULL},
};

static const struct kt_command_line command = {
	.usage = "ktail [infer] [--k N|auto] [OPTION]... [-o FILE]... TRACE...",
	.summary = "Infer the state machine of the words in traces: folders of CTF "
		   "traces, .events files, - for\nstandard input. Without -o: DOT on "
		   "standard output.",
	.table = table,
};

/* The machine goes to standard output unless there is an -o. */
static int write_results(const struct infer *infer, const struct kt_fsm *fsm,
			 const kt_kgrams *kgrams)
{
	const struct kt_output_group groups[] = {
		{&infer->outputs, fsm, &kt_output_machine},
		{&infer->statistics, kgrams, &kt_output_statistics},
	};
	int code = KT_OK;

	if (!infer->has_output) {
		code = kt_outputs_write(&infer->outputs, fsm, &kt_output_machine);
	}
	return code ? code : kt_outputs_write_groups(groups, 2);
}

static int infer_machine(const struct infer *infer, char **paths, int n)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	kt_kgrams *kgrams = NULL;
	char *alphabet = NULL;
	kt_words *words;
	int code = kt_load(&words, &alphabet, paths, n, &infer->load);

	if (code) {
		return code;
	}
	options.k = infer->k;
	options.machine = infer->machine;
	options.word = infer->load.word;
	options.alphabet_json = alphabet;
	code = infer->has_k ? KT_OK : kt_auto_k(&options.k, words, infer->machine);
	code = code ? code : kt_infer(&fsm, words, &options);
	if (!code && infer->statistics.n) {
		code = kt_kgrams_count(&kgrams, words, &options);
	}
	kt_words_free(words);
	free(alphabet);
	code = code ? code : write_results(infer, fsm, kgrams);
	kt_fsm_free(fsm);
	kt_kgrams_free(kgrams);
	return code;
}

static int run(struct infer *infer, int argc, char **argv)
{
	int n = 0;
	int code = kt_options_parse(&command, argc, argv, infer, &n);

	if (code) {
		return kt_cmd_fail(code);
	}
	if (infer->help) {
		kt_options_help(&command, stdout);
		return 0;
	}
	if (infer->version) {
		return kt_cmd_version(argc, argv);
	}
	if (n == 0) {
		return kt_cmd_fail(kt_error(
			KT_E_USAGE, "parse options: no trace given; see ktail --help"));
	}
	code = infer_machine(infer, argv, n);
	return code ? kt_cmd_fail(code) : 0;
}

int kt_cmd_infer(int argc, char **argv)
{
	struct infer infer = {.load = KT_LOAD_OPTIONS_INIT};
	int status = run(&infer, argc, argv);

	kt_outputs_clear(&infer.outputs);
	kt_outputs_clear(&infer.statistics);
	return status;
}
