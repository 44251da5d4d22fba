/* SPDX-License-Identifier: MIT */
/* ktail annotate: explains the states and transitions of a machine. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/annotate.h"
#include "annotate/annotate-options.h"
#include "annotate/merges/merges.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/path-list.h"
#include "base/progress.h"
#include "base/standard-files.h"
#include "base/try.h"
#include "base/terminal.h"
#include "infer/files/inputs.h"
#include "infer/files/letter-names.h"
#include "infer/files/machine.h"
#include "infer/files/output.h"

static int read_rules(kt_label_rules **out, const char *path)
{
	FILE *in;
	int code;

	if (!path) {
		return kt_label_rules_default(out);
	}
	in = fopen(path, "re");
	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	code = kt_label_rules_read(out, in, path);
	fclose(in);
	return code;
}

/*
 * Rejects a machine without an alphabet, because traces cannot be read without one. Also
 * rejects a difference of two machines.
 */
static int check_machine(const struct kt_fsm *fsm, const char *path)
{
	if (!fsm->alphabet_json || (!strstr(fsm->alphabet_json, "\"name\"") &&
				    !strstr(fsm->alphabet_json, "\"rules\""))) {
		return kt_error(KT_E_USAGE,
				"annotate %s: the machine does not name its alphabet (it "
				"was inferred from .events files, or imported); infer it "
				"from the trace: ktail -o FSM.json TRACE",
				path);
	}
	if (strcmp(fsm->machine, "diff") == 0) {
		return kt_error(KT_E_USAGE,
				"annotate %s: it is a difference of two machines; annotate "
				"those, then compare them",
				path);
	}
	return KT_OK;
}

/*
 * Writes each result to its files. If no option names a file, writes the report to
 * standard output.
 */
static int write_results(const struct kt_annotate *annotate,
			 const struct kt_annotate_options *options)
{
	struct kt_output_group groups[KT_PART_FILES + 1];
	size_t n_files = options->outputs.n;

	groups[0] =
		(struct kt_output_group){&options->outputs, annotate, &kt_annotate_output};
	for (size_t i = 0; i < options->n_part_files; i++) {
		size_t part = options->part_of[i];

		groups[i + 1] = (struct kt_output_group){&options->part_outputs[i],
							 annotate->parts[part],
							 annotate->table[part]->file->kind};
		n_files += options->part_outputs[i].n;
	}
	if (n_files == 0) {
		return kt_outputs_write(&options->outputs, annotate, &kt_annotate_output);
	}
	return kt_outputs_write_groups(groups, options->n_part_files + 1);
}

/*
 * Annotates the machine before states are merged, so that rules can choose states by label,
 * role or phase. The warnings are given later, when the merged machine is annotated.
 */
static int choose_by_labels(struct kt_merges *merges,
			    const struct kt_annotation_input *input, struct kt_fsm *fsm)
{
	struct kt_annotate annotate = {.table = kt_annotation_parts, .input = *input};
	FILE *warnings = fopen("/dev/null", "we");
	int code;

	if (!warnings) {
		return kt_error_errno(KT_E_IO, "write /dev/null");
	}
	KT_TRY_END(kt_annotate_begin(&annotate, fsm));
	for (size_t i = 0; i < input->n_paths; i++) {
		KT_TRY_END(kt_annotate_read(&annotate, i, warnings));
	}
	KT_TRY_END(kt_annotate_finish(&annotate));
	code = kt_merges_choose(merges, fsm, annotate.annotation.state_roles);
end:
	kt_annotate_free(&annotate);
	fclose(warnings);
	return code;
}

/* Merges the states that the rules and --merge choose. */
static int merge_states(struct kt_merges *merges, const struct kt_annotation_input *input,
			const struct kt_annotate_options *options, struct kt_fsm *fsm)
{
	merges->rules = input->rules;
	merges->rules_name = input->rules_name;
	merges->fsm_name = input->fsm_name;
	KT_TRY(kt_merges_begin(merges, fsm));
	KT_TRY(kt_merges_need_labels(input->rules) ? choose_by_labels(merges, input, fsm)
						   : kt_merges_choose(merges, fsm, NULL));
	for (size_t i = 0; i < options->n_merges; i++) {
		KT_TRY(kt_merges_add(merges, fsm, options->merges[i]));
	}
	return kt_merges_apply(merges, fsm);
}

static int annotate_traces(struct kt_annotate *annotate, struct kt_fsm *fsm,
			   const struct kt_annotate_options *options)
{
	char list[512] = "";
	char name[1024];

	KT_TRY(kt_annotate_begin(annotate, fsm));
	for (size_t i = 0; i < annotate->input.n_paths; i++) {
		KT_TRY(kt_annotate_read(annotate, i, stderr));
	}
	KT_TRY(kt_trace_filter_judge(&options->part));
	KT_TRY(kt_annotate_finish(annotate));
	if (annotate->annotation.placed == 0 && annotate->annotation.unplaced == 0) {
		kt_path_list_name(name, sizeof(name), annotate->input.paths,
				  annotate->input.n_paths);
		return kt_error(KT_E_EMPTY, "read %s: no words: no event gives a letter",
				name);
	}
	if (annotate->annotation.placed == 0) {
		kt_warn("no letter of the traces is in the machine: nothing gets a label");
	}
	if (annotate->calls == 0) {
		kt_warn("no trace has API calls, so calls are not attributed to states "
			"(record them with ktail record --api=wrap)");
	}
	if (options->strict) {
		kt_reason_add(list, sizeof(list), annotate->annotation.unplaced,
			      "letter is not placed", "letters are not placed");
		kt_reason_add(list, sizeof(list), annotate->gaps.losses.truncated,
			      "word is cut at its beginning or end",
			      "words are cut at their beginning or end");
		kt_trace_losses_list(list, sizeof(list), &annotate->gaps.losses);
		kt_gaps_list_words(list, sizeof(list), &annotate->gaps);
	}
	if (list[0]) {
		kt_path_list_name(name, sizeof(name), annotate->input.paths,
				  annotate->input.n_paths);
		return kt_error(KT_E_LOSS, "read %s: %s", name, list);
	}
	return write_results(annotate, options);
}

/* Returns whether the command line names a file for the part with this option. */
static bool wants(const struct kt_annotate_options *options, const char *option)
{
	for (size_t i = 0; i < options->n_part_files; i++) {
		const struct kt_annotation_part *part =
			kt_annotation_parts[options->part_of[i]];

		if (strcmp(part->file->option, option) == 0) {
			return options->part_outputs[i].n > 0;
		}
	}
	return false;
}

static int run(struct kt_annotate_options *options, char **operands, int n)
{
	struct kt_annotate annotate = {.table = kt_annotation_parts};
	struct kt_inputs inputs = {.n = 0};
	struct kt_merges merges = {.n_names = 0};
	kt_label_rules *rules = NULL;
	struct kt_fsm *fsm = NULL;
	int code;

	if (wants(options, "save-rules") && !options->rules && options->n_merges == 0) {
		code = kt_error(KT_E_USAGE, "--save-rules needs --merge or --rules");
		goto end;
	}
	KT_TRY_END(read_rules(&rules, options->rules));
	KT_TRY_END(kt_inputs_open(&inputs, operands + 1, (size_t)n - 1));
	for (size_t i = 0; i < inputs.n; i++) {
		const char *dot = strrchr(inputs.paths[i], '.');

		if (dot && strcmp(dot, ".events") == 0) {
			code = kt_error(KT_E_MALFORMED,
					"read %s: it has only letters; give the trace that "
					"it was made from",
					inputs.paths[i]);
			goto end;
		}
	}
	KT_TRY_END(kt_machine_read(&fsm, operands[0]));
	KT_TRY_END(check_machine(fsm, operands[0]));
	KT_TRY_END(
		kt_letter_filter_agree(&options->filter, fsm->alphabet_json, operands[0]));
	KT_TRY_END(kt_machine_name_letters(fsm, options->names));
	annotate.input.fsm_name = operands[0];
	annotate.input.paths = (const char *const *)inputs.paths;
	annotate.input.n_paths = inputs.n;
	annotate.input.rules = rules;
	annotate.input.rules_name = options->rules;
	annotate.input.evidence = options->evidence;
	annotate.input.filter = &options->filter;
	annotate.input.source = options->source;
	annotate.input.part = &options->part;
	annotate.input.occurrences = wants(options, "occurrences");
	merges.keep_lines = wants(options, "save-rules");
	KT_TRY_END(merge_states(&merges, &annotate.input, options, fsm));
	annotate.input.merges = &merges;
	KT_TRY_END(annotate_traces(&annotate, fsm, options));
end:
	kt_annotate_free(&annotate);
	kt_merges_free(&merges);
	kt_label_rules_free(rules);
	kt_fsm_free(fsm);
	kt_inputs_free(&inputs);
	return code;
}

int main(int argc, char **argv)
{
	struct kt_annotate_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	kt_progress_enable("ktail");
	code = kt_annotate_options_parse(&options, argc, argv, &n);
	if (!code &&
	    !kt_options_answer(&kt_annotate_command, &options.asked, KT_ABOUT("ktail"))) {
		code = n >= 2 ? run(&options, argv, n)
			      : kt_error(KT_E_USAGE, "a machine and a trace are "
						     "needed; see ktail annotate --help");
	}
	kt_annotate_options_clear(&options);
	return kt_standard_files_end("ktail", code, 0);
}
