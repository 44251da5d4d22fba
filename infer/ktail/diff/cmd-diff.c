/* SPDX-License-Identifier: MIT */
/* ktail diff: the differences of two machines, or of the machines inferred from traces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "base/terminal.h"
#include "base/try.h"
#include "infer/files/output.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/distilled.h"
#include "infer/ktail/diff/diff-explain.h"
#include "infer/ktail/diff/diff-versions.h"
#include "infer/ktail/diff/diff-text.h"

struct diff {
	struct kt_diff_versions versions; /* must be first: see KT_LOAD_ROWS */
	struct kt_diff_list more[2];      /* Owned by this: arguments of --old, of --new */
	unsigned long most_words;
	struct kt_outputs outputs;
};

static const struct kt_output_format formats[] = {
	{".txt", NULL, kt_diff_write_text},
	{".json", NULL, kt_diff_report_write_json},
	{".dot", "dot", NULL},
	{".svg", "svg", NULL},
	{".png", "png", NULL},
	{".pdf", "pdf", NULL},
	{NULL, NULL, NULL},
};

static const struct kt_output_kind output_diff = {
	.what = "difference",
	.formats = formats,
	.json = kt_diff_report_write_json,
};

static int add_old(void *context, const char *value)
{
	return kt_diff_list_add(&((struct diff *)context)->more[0], value);
}

static int add_new(void *context, const char *value)
{
	return kt_diff_list_add(&((struct diff *)context)->more[1], value);
}

static int add_runs(void *context, const char *value)
{
	return kt_diff_list_add(&((struct diff *)context)->versions.runs, value);
}

static int add_without(void *context, const char *value)
{
	return kt_diff_list_add(&((struct diff *)context)->versions.without, value);
}

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct diff *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"k", 'k', "N|auto",
	 "for traces: length of the tails (default: that of the other side's machine, else "
	 "auto)",
	 KT_SET(kt_operand_set_k), KT_PROPOSE("auto")},
	{"machine", 'm', "KIND",
	 "for traces: the canonical machine, chains (default) or pta",
	 KT_SET(kt_operand_set_machine), KT_PROPOSE(KT_MACHINE_KIND_NAMES)},
	{"old", 0, "TRACE", "another trace of the old side; may be repeated",
	 KT_SET(add_old)},
	{"new", 0, "TRACE", "another trace of the new side; may be repeated",
	 KT_SET(add_new)},
	{"without", 'x', "LETTER", "leave this letter out; may be repeated",
	 KT_SET(add_without)},
	{"runs", 'r', "LETTER",
	 "a run of this letter, or of all letters given so, counts as one",
	 KT_SET(add_runs)},
	{"words", 'n', "N", "words of each side in the summary (default 5)",
	 KT_NUMBER(struct diff, most_words, 0, INT64_MAX)},
	KT_LOAD_ROWS,
	{"output", 'o', "FILE", "output: .txt .json .dot .svg .png .pdf; may be repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: txt)",
	 KT_TEXT(struct diff, outputs.format)},
	KT_NAMES_ROW(struct kt_load_options, names),
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

static bool given[sizeof(table) / sizeof(table[0])];

static const struct kt_command_line command = {
	.usage = "ktail diff [OPTION]... OLD NEW [-o FILE]...",
	.summary =
		"Compare two machines (.json .gv .dot .graphml), or those of traces: "
		"whether "
		"they "
		"accept the same\nwords, what only one does, which states and transitions "
		"were kept. Exit status 1 if the\nwords differ. Two distilled machines: "
		"which states, transitions and letters only one\nhas; exit status 1 if "
		"any. Without -o: a summary on "
		"standard output.",
	.table = table,
	.given = given,
};

/* If no report of a difference goes to standard output, says which file has it. */
static void say_where(const struct kt_outputs *outputs)
{
	if (!kt_outputs_have_standard(outputs)) {
		fprintf(stderr, "ktail: the machines differ: see %s\n",
			outputs->paths[outputs->n - 1]);
	}
}

/*
 * Compares the machines and writes all outputs. *differ becomes 1 if they accept different
 * words, else 0.
 */
static int report(int *differ, const struct diff *diff)
{
	const struct kt_diff_versions *versions = &diff->versions;
	const struct kt_operand *old = &versions->version[0].input;
	const struct kt_operand *new = &versions->version[1].input;
	const struct kt_fsm *const fsm[2] = {old->fsm, new->fsm};
	const json_t *const annotation[2] = {old->annotation, new->annotation};
	const char *const names[2] = {versions->version[0].paths.items[0],
				      versions->version[1].paths.items[0]};
	struct kt_diff_reason reason = {.n = 0};
	struct kt_diff_seen seen = {0};
	struct kt_diff_shown shown = {0};
	struct kt_diff_meanings meanings = {0};
	struct kt_diff_calls calls = {0};
	struct kt_changes changes = {.n = 0};
	struct kt_diff_report report = {.versions = versions,
					.reason = &reason,
					.seen = &seen,
					.shown = &shown,
					.most_words = diff->most_words,
					.meanings = &meanings,
					.calls = &calls};
	const kt_compare *compare;
	kt_diff *compared;
	int code;

	KT_TRY(kt_diff_new(&compared, fsm[0], fsm[1], NULL));
	report.diff = compared;
	compare = kt_diff_compare(compared);
	*differ = !kt_compare_summary(compare)->equal;
	KT_TRY_END(*differ ? kt_diff_explain(&reason, versions, compare)
			   : kt_diff_find_k(&reason.words_differ, &reason.telling_k,
					    versions));
	KT_TRY_END(kt_diff_count_seen(&seen, versions, compared));
	KT_TRY_END(kt_diff_find_shown(&shown, versions));
	if (old->words && new->words) {
		KT_TRY_END(kt_changes_find(&changes, old->words, new->words));
		report.changes = &changes;
	}
	KT_TRY_END(kt_diff_meanings(&meanings, fsm));
	KT_TRY_END(kt_diff_calls(&calls, annotation, names));
	code = kt_outputs_write(&diff->outputs, &report, &output_diff);
	if (!code && *differ) {
		say_where(&diff->outputs);
	}
end:
	free(seen.times);
	kt_diff_shown_free(&shown);
	kt_changes_free(&changes);
	kt_diff_meanings_free(&meanings);
	kt_diff_calls_free(&calls);
	kt_diff_free(compared);
	return code;
}

int kt_cmd_diff(int argc, char **argv)
{
	struct diff diff = {.versions = KT_DIFF_VERSIONS_INIT, .most_words = 5};
	int differ = 0;
	bool parsed;
	int status;
	int code = KT_OK;
	int n = 0;

	parsed = kt_cmd_parse(&status, &n, &command, argc, argv, &diff);
	if (!parsed) {
		goto end;
	}
	if (n != 2) {
		code = kt_error(KT_E_USAGE,
				"expected an old and a new machine or trace, not %d; see "
				"ktail diff --help",
				n);
		goto end;
	}
	if (kt_distilled_any_named(argv, n)) {
		KT_TRY_END(kt_distilled_check(&command, argv, n));
		KT_TRY_END(kt_outputs_check(&diff.outputs, &kt_output_distilled_diff));
		code = kt_distilled_diff_files(
			&differ, argv, diff.versions.operand.load.names, &diff.outputs);
		if (!code && differ) {
			say_where(&diff.outputs);
		}
		goto end;
	}
	KT_TRY_END(kt_outputs_check(&diff.outputs, &output_diff));
	/* List OLD, then the arguments of --old; and NEW, then the arguments of --new. */
	for (int s = 0; s < 2; s++) {
		struct kt_diff_list *paths = &diff.versions.version[s].paths;

		KT_TRY_END(kt_diff_list_add(paths, argv[s]));
		for (size_t i = 0; i < diff.more[s].n; i++) {
			KT_TRY_END(kt_diff_list_add(paths, diff.more[s].items[i]));
		}
	}
	KT_TRY_END(kt_diff_versions_load(&diff.versions));
	code = report(&differ, &diff);
end:
	status = !parsed ? status : code ? kt_cmd_fail(code) : differ;
	kt_diff_versions_clear(&diff.versions);
	free(diff.more[0].items);
	free(diff.more[1].items);
	kt_outputs_clear(&diff.outputs);
	return status;
}
