/* SPDX-License-Identifier: MIT */
/* ktail infer: infers a machine from traces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ktail/ktail.h>

#include "base/try.h"
#include "base/terminal.h"
#include "infer/files/letter-names.h"
#include "infer/files/output.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/operand.h"
#include "infer/ktail/statistics.h"

struct infer {
	struct kt_operand_options operand; /* must be first: see KT_LOAD_ROWS */
	bool has_output;
	struct kt_outputs outputs;
	struct kt_outputs statistics;
};

static int add_output(void *context, const char *value)
{
	struct infer *infer = context;

	infer->has_output = true;
	if (kt_statistics_is_named(value)) {
		return kt_outputs_add(&infer->statistics, value);
	}
	return kt_outputs_add(&infer->outputs, value);
}

static int add_statistics(void *context, const char *value)
{
	return kt_outputs_add(&((struct infer *)context)->statistics, value);
}

static const struct kt_option table[] = {
	{"k", 'k', "N|auto",
	 "length of the tails by which states are merged (default: auto)",
	 KT_SET(kt_operand_set_k), KT_PROPOSE("auto")},
	{"machine", 'm', "KIND", "the canonical machine: chains (default) or pta",
	 KT_SET(kt_operand_set_machine), KT_PROPOSE(KT_MACHINE_KIND_NAMES)},
	KT_LOAD_ROWS,
	KT_FILTER_ROWS,
	KT_PART_ROWS,
	{"output", 'o', "FILE",
	 "output: .dot .svg .png .pdf .json .txt .tsv .csv .gv .graphml .kgrams; may be "
	 "repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: dot)",
	 KT_TEXT(struct infer, outputs.format)},
	{"kgrams", 0, "FILE.kgrams",
	 "write statistics, to which words can be added later: see ktail-merge(1)",
	 KT_SET(add_statistics)},
	KT_NAMES_ROW(struct kt_load_options, names),
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail [infer] [--k N|auto] [OPTION]... [-o FILE]... TRACE...",
	.summary =
		"Infer the state machine of the words in traces: folders of CTF "
		"traces, .events files, - for\nstandard input. Without -o: DOT on standard "
		"output, or on a terminal a\nsummary.",
	.table = table,
};

static void warn_large_k(uint64_t k, const kt_words *words)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		if (kt_words_get(words, i, &info, &n) == KT_OK && n > longest) {
			longest = n;
		}
	}
	if (k > longest) {
		kt_warn("k = %" PRIu64
			" is larger than all words, the longest of which has %" PRIu64
			" letter%s: only states with the same continuations are merged",
			k, longest, longest == 1 ? "" : "s");
	}
}

int kt_cmd_infer(int argc, char **argv)
{
	struct infer infer = {.operand = KT_OPERAND_OPTIONS_INIT};
	struct kt_output_group groups[] = {
		{&infer.outputs, NULL, &kt_output_machine},
		{&infer.statistics, NULL, &kt_output_statistics},
	};
	struct kt_infer_options options;
	struct kt_fsm *fsm = NULL;
	kt_kgrams *kgrams = NULL;
	char *alphabet = NULL;
	kt_words *words = NULL;
	int status;
	int code;
	int n = 0;

	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &infer)) {
		kt_outputs_clear(&infer.outputs);
		kt_outputs_clear(&infer.statistics);
		kt_load_options_clear(&infer.operand.load);
		return status;
	}
	if (n == 0) {
		code = kt_error(KT_E_USAGE, "no trace given; see ktail --help");
		goto end;
	}
	KT_TRY_END(kt_outputs_check(&infer.outputs, &kt_output_machine));
	KT_TRY_END(kt_outputs_check(&infer.statistics, &kt_output_statistics));
	if (infer.outputs.format && infer.has_output && infer.outputs.n == 0) {
		code = kt_error(
			KT_E_USAGE,
			"--format applies to the machine, but only statistics are written");
		goto end;
	}
	infer.operand.load.all = true;
	KT_TRY_END(kt_load(&words, &alphabet, argv, n, &infer.operand.load));
	KT_TRY_END(kt_operand_infer_options(&options, words, alphabet, &infer.operand));
	warn_large_k(options.k, words);
	KT_TRY_END(kt_infer(&fsm, words, &options));
	KT_TRY_END(kt_machine_name_letters(fsm, infer.operand.load.names));
	if (infer.statistics.n) {
		KT_TRY_END(kt_kgrams_count(&kgrams, words, &options));
	}
	kt_words_free(words);
	words = NULL;
	/*
	 * Without -o the machine goes to standard output; a terminal gets a summary
	 * instead.
	 */
	if (!infer.has_output && !infer.outputs.format && isatty(STDOUT_FILENO)) {
		KT_TRY_END(kt_output_machine_summary(stdout, fsm));
		puts("-o FILE.svg draws it; -o - writes DOT, -f json JSON");
	} else if (!infer.has_output) {
		KT_TRY_END(kt_outputs_write(&infer.outputs, fsm, &kt_output_machine));
	}
	groups[0].result = fsm;
	groups[1].result = kgrams;
	code = kt_outputs_write_groups(groups, 2);
end:
	kt_words_free(words);
	free(alphabet);
	kt_fsm_free(fsm);
	kt_kgrams_free(kgrams);
	kt_outputs_clear(&infer.outputs);
	kt_outputs_clear(&infer.statistics);
	kt_load_options_clear(&infer.operand.load);
	return code ? kt_cmd_fail(code) : 0;
}
