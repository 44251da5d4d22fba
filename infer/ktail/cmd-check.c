/* SPDX-License-Identifier: MIT */
/* ktail check: reports where the words of traces do not fit a machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/path-list.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "base/try.h"
#include "infer/check/print.h"
#include "infer/check/sources.h"
#include "infer/files/inputs.h"
#include "infer/files/machine.h"
#include "infer/files/output.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/load.h"
#include "infer/ktail/operand.h"
#include "infer/words/read/graph.h"
#include "infer/words/read/stop-live.h"

struct check {
	struct kt_load_options load; /* must be first: see KT_LOAD_ROWS */
	struct kt_checker_options options;
	struct kt_outputs outputs;
	bool file_on_stdout; /* standard output gets JSON, XML or SARIF, so no text */
	const char *machine; /* Weak: path of the machine */
	struct kt_fsm *fsm;
	kt_alphabet *alphabet; /* NULL: neither --alphabet nor the machine names an
				* alphabet */
	enum kt_word_unit unit;
	kt_checker *checker;
	struct kt_checked_trace trace; /* the current trace */
	struct kt_trace_losses losses;
	/*
	 * events lost in words whose letters were all left out, to be added to the next
	 * word
	 */
	uint64_t emptied;
	bool read_standard_input;
	struct kt_inputs inputs;
	unsigned long most_misfits;
};

/* --- options --- */

/* What the functions that write outputs get as `context`. */
struct result {
	const kt_checker *checker; /* Weak */
	const char *machine;       /* Weak: path of the machine */
};

static int write_json(FILE *out, const void *context)
{
	const struct result *result = context;

	return kt_check_write_json(out, result->checker);
}

static int write_junit(FILE *out, const void *context)
{
	const struct result *result = context;

	return kt_check_write_junit(out, result->checker, result->machine);
}

static int write_sarif(FILE *out, const void *context)
{
	return kt_check_write_sarif(out, ((const struct result *)context)->checker);
}

/*
 * Writes the misfits, then the summary. Not used for standard output, which gets the
 * misfits during the check.
 */
static int write_text(FILE *out, const void *context)
{
	const kt_checker *checker = ((const struct result *)context)->checker;

	for (size_t i = 0; i < kt_checker_count(checker); i++) {
		const struct kt_checked_word *word = kt_checker_word(checker, i);

		for (size_t j = 0; j < word->n_listed; j++) {
			KT_TRY(kt_print_misfit(out, checker, i,
					       word->name ? word->name : "unknown",
					       &word->misfits[j]));
		}
	}
	return kt_print_checked(out, checker);
}

static const struct kt_output_format formats[] = {
	{".txt", NULL, write_text},  {".json", NULL, write_json},
	{".xml", NULL, write_junit}, {".sarif", NULL, write_sarif},
	{NULL, NULL, NULL},
};

static const struct kt_output_kind kind = {
	.what = "misfits",
	.formats = formats,
	.json = write_json,
};

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct check *)context)->outputs, value);
}

/*
 * If the format of standard output is text, removes standard output from the outputs,
 * because that text is written during the check.
 */
static int settle_outputs(struct check *c)
{
	struct kt_outputs *outputs = &c->outputs;
	size_t kept = 0;

	KT_TRY(kt_outputs_check(outputs, &kind));
	if (!kt_outputs_have_standard(outputs)) {
		return KT_OK;
	}
	c->file_on_stdout = outputs->format && strcmp(outputs->format, "txt") != 0;
	for (size_t i = 0; i < outputs->n; i++) {
		if (c->file_on_stdout || strcmp(outputs->paths[i], "-") != 0) {
			outputs->paths[kept++] = outputs->paths[i];
		}
	}
	outputs->n = kept;
	outputs->had_standard = true;
	return KT_OK;
}

static const struct kt_option table[] = {
	{"all", 0, NULL,
	 "continue after a letter that does not fit, and count such letters",
	 KT_FLAG(struct check, options.all)},
	{"complete", 0, NULL,
	 "a word must end where a complete word of the machine ends (default for ktail "
	 "learn's)",
	 KT_FLAG(struct check, options.whole)},
	{"max-misfits", 0, "N",
	 "succeed with up to N misfits in all, with --all (default 0)",
	 KT_NUMBER(struct check, most_misfits, 0, UINT32_MAX)},
	{"coverage", 0, NULL,
	 "also report what the machine has and no word does: transitions not taken",
	 KT_FLAG(struct check, options.coverage)},
	{"limit", 0, "N", "report the first N of each word (default 100)",
	 KT_NUMBER(struct check, options.limit, 0, UINT32_MAX)},
	{"alphabet", 'a', "NAME|FILE", "alphabet, if the machine does not name it",
	 KT_TEXT(struct kt_load_options, alphabet), KT_PROPOSE(KT_ALPHABET_NAMES)},
	{"word", 'w', "UNIT", "unit of words, if the machine does not name it",
	 KT_CHOICE(struct kt_load_options, word, KT_WORD_UNIT_NAMES)},
	KT_FILTER_ROWS,
	KT_PART_ROWS,
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default), kernel or both",
	 KT_ENUM(struct kt_load_options, source, KT_WORD_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail if events are missing or a word is truncated",
	 KT_FLAG(struct kt_load_options, strict)},
	{"output", 'o', "FILE",
	 "additional output: .txt .json .xml (JUnit) .sarif; may be repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: txt)",
	 KT_TEXT(struct check, outputs.format)},
	KT_NAMES_ROW(struct check, options.names),
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail check [OPTION]... FSM TRACE...",
	.summary = "Report where the words of traces do not fit a machine. Exit status 1 "
		   "if one does not.",
	.table = table,
};

/* --- traces --- */

static int on_misfit(void *context, const kt_checker *checker, size_t word,
		     const struct kt_misfit *misfit)
{
	const struct check *c = context;
	char *name;
	int code;

	if (c->file_on_stdout) {
		return KT_OK;
	}
	kt_progress_hide();
	KT_TRY(kt_check_name(&name, checker, word, &c->trace));
	code = kt_print_misfit(stdout, checker, word, name, misfit);
	free(name);
	/* Flushes each line, so that the user sees misfits of a live session at once. */
	return !code && fflush(stdout) != 0 ? kt_error_errno(KT_E_IO, "write misfits")
					    : code;
}

static int check_folder(struct check *c, const char *path)
{
	struct kt_trace_options options = {.alphabet = c->alphabet,
					   .word = c->unit,
					   .source = c->load.source,
					   .filter = &c->load.part};
	struct kt_trace_report report;
	int code;

	if (!c->alphabet) {
		return kt_error(KT_E_USAGE,
				"read %s: the machine %s does not name its alphabet; give "
				"--alphabet",
				path, c->machine);
	}
	KT_TRY(kt_check_source(c->alphabet, c->load.source, c->machine));
	if (kt_graph_is_live(path)) {
		KT_TRY(kt_check_live_alphabet(c->alphabet, c->machine));
		KT_TRY(kt_stop_live_begin(&options.stop));
		code = kt_check_trace(c->checker, &c->trace, path, &options, &report);
		kt_stop_live_end();
	} else {
		code = kt_check_trace(c->checker, &c->trace, path, &options, &report);
	}
	if (code) {
		return code;
	}
	kt_trace_report_warn(stderr, path, &report);
	kt_operand_warn_calls(c->fsm, c->machine, c->trace.api_calls, path);
	kt_trace_losses_add(&c->losses, &report);
	return report.totals.events == 0
		       ? kt_error(KT_E_EMPTY, "read %s: no gpu_stack events", path)
		       : KT_OK;
}

static int check_words(struct check *c, const char *path, enum kt_load_kind what)
{
	kt_words *words;
	int code;

	if (what != KT_LOAD_EXAMPLES) {
		return kt_check_events(c->checker, path, &c->load.filter, &c->emptied);
	}
	KT_TRY(kt_words_new(&words));
	KT_TRY_END(kt_load_examples(words, path));
	code = kt_check_set(c->checker, words, &c->load.filter, &c->emptied);
end:
	kt_words_free(words);
	return code;
}

static int check_path(struct check *c, const char *path)
{
	enum kt_load_kind what = KT_LOAD_FOLDER;
	const size_t first = kt_checker_count(c->checker);

	if (!kt_graph_is_live(path)) {
		KT_TRY(kt_load_kind(&what, path, &c->read_standard_input));
	}
	if (what == KT_LOAD_FOLDER) {
		return check_folder(c, path);
	}
	KT_TRY(kt_load_refuse_parts(&c->load, path));
	KT_TRY(check_words(c, path, what));
	for (size_t i = first; i < kt_checker_count(c->checker); i++) {
		const struct kt_checked_word *word = kt_checker_word(c->checker, i);

		c->losses.truncated += word->cut_begin || word->cut_end;
		c->losses.lost += word->lost;
	}
	return KT_OK;
}

/* --- the end --- */

static int judge(const struct check *c, const char *name)
{
	size_t n = kt_checker_count(c->checker);
	struct kt_trace_losses losses = c->losses;

	if (n == 0) {
		return kt_error(KT_E_EMPTY, "read %s: no words: no event gives a letter%s",
				name, c->load.part.any ? " in the selected part" : "");
	}
	losses.lost += c->emptied;
	kt_trace_losses_note(stderr, &losses);
	return kt_load_judge_losses(&c->load, name, &losses, n);
}

/* Checks the traces of one argument, which may be an archive or a folder of words. */
static int check_argument(struct check *c, char *const *argument)
{
	kt_checker_set_trace(c->checker, *argument);
	KT_TRY(kt_inputs_open(&c->inputs, argument, 1));
	for (size_t i = 0; i < c->inputs.n && !kt_stop_live_asked(); i++) {
		KT_TRY(check_path(c, c->inputs.paths[i]));
	}
	kt_inputs_free(&c->inputs);
	return KT_OK;
}

static int check_all(struct check *c, char **paths, int n)
{
	char name[1024];
	int judged;
	int code;

	KT_TRY(settle_outputs(c));
	KT_TRY(kt_trace_filter_settle(&c->load.part));
	KT_TRY(kt_machine_read(&c->fsm, c->machine));
	c->read_standard_input = strcmp(c->machine, "-") == 0;
	c->options.whole = c->options.whole || c->fsm->gate;
	code = kt_checker_new(&c->checker, c->fsm, &c->options);
	if (code) {
		return kt_error_prepend(code, "check with %s", c->machine);
	}
	KT_TRY(kt_check_agree(&c->alphabet, &c->unit, c->fsm, c->machine, c->load.alphabet,
			      c->load.word, c->load.source));
	KT_TRY(kt_letter_filter_agree(&c->load.filter, c->fsm->alphabet_json, c->machine));
	if (c->alphabet) {
		KT_TRY(kt_letter_filter_copy(&c->alphabet->filter, &c->load.filter));
	}
	for (int i = 0; i < n && !kt_stop_live_asked(); i++) {
		KT_TRY(check_argument(c, &paths[i]));
	}
	KT_TRY(kt_trace_filter_judge(&c->load.part));
	kt_path_list_name(name, sizeof(name), (const char *const *)paths, (size_t)n);
	judged = judge(c, name);
	if (judged && judged != KT_E_LOSS) {
		return judged;
	}
	/*
	 * Print the summary even if --strict fails. Printing may overwrite the error's
	 * message, so judge() is called again below.
	 */
	if (!c->file_on_stdout) {
		KT_TRY(kt_print_checked(stdout, c->checker));
	}
	if (c->file_on_stdout || c->outputs.n > 0) {
		const struct result result = {.checker = c->checker, .machine = c->machine};

		KT_TRY(kt_outputs_write(&c->outputs, &result, &kind));
	}
	return judged ? judge(c, name) : KT_OK;
}

int kt_cmd_check(int argc, char **argv)
{
	struct check check = {
		.options = {.limit = KT_CHECKER_LIMIT, .on_misfit = on_misfit}};
	size_t wrong = 0;
	int status;
	int code;
	int n = 0;

	check.options.context = &check;
	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &check)) {
		goto end;
	}
	if (n < 2) {
		code = kt_error(KT_E_USAGE, "a machine and a trace are needed; see "
					    "ktail check --help");
	} else {
		check.machine = argv[0];
		code = check_all(&check, argv + 1, n - 1);
	}
	if (code) {
		status = kt_cmd_fail(code);
		goto end;
	}
	status = kt_checker_misfits(check.checker, &wrong) > check.most_misfits;
end:
	kt_checker_free(check.checker);
	kt_alphabet_free(check.alphabet);
	kt_load_options_clear(&check.load);
	kt_fsm_free(check.fsm);
	kt_outputs_clear(&check.outputs);
	kt_inputs_free(&check.inputs);
	return status;
}
