/* SPDX-License-Identifier: MIT */
#include "infer/files/inputs.h"
#include "infer/ktail/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ktail/exchange.h>
#include <ktail/status.h>

#include "base/file-type.h"
#include "base/path-list.h"
#include "base/ends-in.h"
#include "base/try.h"
#include "base/utf8.h"
#include "base/terminal.h"
#include "base/versions.h"
#include "decode/api-functions.h"
#include "infer/ktail/copy-words.h"
#include "infer/words/file/events-file.h"
#include "infer/words/read/report.h"

/* --- options --- */

int kt_load_add_runs(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_load_options *)context)->filter.runs, value);
}

int kt_load_add_without(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_load_options *)context)->filter.without,
				  value);
}

void kt_load_options_clear(struct kt_load_options *options)
{
	kt_letter_filter_clear(&options->filter);
	kt_trace_filter_clear(&options->part);
}

/* Arguments for "%s%s": the group's name and a colon, or nothing. */
#define GROUP(options)                                                                     \
	(options)->group ? (options)->group : "", (options)->group ? ": " : ""

/* --- traces --- */

struct loader {
	kt_words *words;
	kt_alphabet *alphabet;
	enum kt_word_unit unit;
	bool read_standard_input;
	bool uses_alphabet; /* a trace was read, and the alphabet gave its letters */
	const struct kt_load_options *options;
	struct kt_trace_losses losses; /* of all inputs */
	/*
	 * events lost in words whose letters were all left out, to be added to the next
	 * word
	 */
	uint64_t emptied;
	/* Owned by this: for each letter of --without, whether an input has it */
	bool *met_without;
	bool *met_runs; /* Owned by this: likewise for --runs */
};

/* Notes that an input has the letter `name`, if --without or --runs names that letter. */
static void note_letter(struct loader *l, const char *name)
{
	const struct kt_letter_filter *filter = &l->options->filter;

	for (size_t i = 0; i < filter->without.n; i++) {
		l->met_without[i] |= strcmp(filter->without.items[i], name) == 0;
	}
	for (size_t i = 0; i < filter->runs.n; i++) {
		l->met_runs[i] |= strcmp(filter->runs.items[i], name) == 0;
	}
}

/* Warns of letters of --without or --runs that are in no word: they may be mistyped. */
static void warn_unmet(const struct kt_load_options *options,
		       const struct kt_letter_list *list, const bool *met,
		       const char *option)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!met[i]) {
			kt_warn("%s%s%s %s has no effect: no word has this letter",
				GROUP(options), option, list->items[i]);
		}
	}
}

static int load_folder(struct loader *l, const char *path)
{
	struct kt_trace_options options = {.source = l->options->source,
					   .filter = &l->options->part};
	const struct kt_trace_report *report;
	kt_trace *trace;
	uint64_t letters = 0;
	uint64_t unread = 0;
	int code;

	options.alphabet = l->alphabet;
	options.word = l->unit;
	l->uses_alphabet = true;
	KT_TRY(kt_trace_open(&trace, path, &options));
	report = kt_trace_report(trace);
	kt_trace_report_warn(stderr, path, report);
	kt_trace_losses_add(&l->losses, report);
	if (report->totals.events == 0) {
		code = kt_error(KT_E_EMPTY, "read %s: no gpu_stack events", path);
		goto end;
	}
	/*
	 * Warn of unread commands: if a trace has no pushbuffer contents, every submission
	 * has the letter `submit:unread`, so the machine cannot tell submissions apart.
	 */
	for (size_t i = 0;
	     kt_alphabet_has_channels(l->alphabet) && i < kt_trace_words(trace); i++) {
		struct kt_word_info info;
		struct kt_trace_letter letter;
		uint64_t n = 0;

		kt_trace_word(trace, i, &info, &n);
		for (uint64_t j = 0; j < n; j++) {
			unread += kt_trace_letter(trace, i, j, &letter) == KT_OK &&
				  kt_ends_in(kt_trace_letter_name(trace, letter.letter),
					     "unread");
		}
		letters += n;
	}
	if (unread > 0) {
		kt_warn("read %s: %" PRIu64 " of %" PRIu64
			" letters stand for commands that are not in the trace (unread)",
			path, unread, letters);
	}
	for (uint32_t i = 0; i < kt_trace_letter_count(trace); i++) {
		note_letter(l, kt_trace_letter_name(trace, i));
	}
	code = kt_trace_append(trace, l->words);
end:
	kt_trace_free(trace);
	return code;
}

int kt_load_examples(kt_words *words, const char *path)
{
	struct kt_abbadingo_report report = {0};
	const char *slash = strrchr(path, '/');
	FILE *in = fopen(path, "re");
	uint64_t skipped;
	char *name; /* printable name of the words: "a" for "dir/a.dat" */
	int code;

	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	name = kt_utf8_printable_copy(slash ? slash + 1 : path);
	if (name) {
		name[strlen(name) - strlen(".dat")] = '\0';
		code = kt_words_read_abbadingo(words, in, path, name, &report);
	} else {
		code = kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	}
	free(name);
	fclose(in);
	skipped = report.negative + report.unlabelled;
	if (skipped > 0) {
		kt_warn("read %s: skipped %" PRIu64 " of %" PRIu64
			" examples, negative or without a label",
			path, skipped, skipped + report.words);
	}
	if (report.attributes > 0) {
		kt_warn("read %s: skipped attributes or data; symbols with them: %" PRIu64,
			path, report.attributes);
	}
	return code;
}

int kt_load_kind(enum kt_load_kind *out, const char *path, bool *read_standard_input)
{
	struct stat st;

	*out = KT_LOAD_EVENTS;
	if (strcmp(path, "-") == 0) {
		if (*read_standard_input) {
			return kt_error(KT_E_USAGE, "read standard input: it is given "
						    "twice, but can be read only once");
		}
		*read_standard_input = true;
		return KT_OK;
	}
	if (stat(path, &st) != 0) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	if (S_ISDIR(st.st_mode)) {
		*out = KT_LOAD_FOLDER;
	} else if (kt_ends_in(path, ".dat")) {
		*out = KT_LOAD_EXAMPLES;
	} else if (kt_ends_in(path, ".kgrams")) {
		return kt_error(
			KT_E_MALFORMED,
			"read %s: it is statistics of words, which ktail merge reads",
			path);
	} else if (S_ISREG(st.st_mode) && !kt_ends_in(path, ".events")) {
		return kt_file_type(path)
			       ? kt_file_type_refuse(path, "a trace")
			       : kt_error(KT_E_MALFORMED,
					  "read %s: neither a folder nor an "
					  ".events, .events.zst, .tar.zst or .dat file",
					  path);
	}
	return KT_OK;
}

int kt_load_refuse_parts(const struct kt_load_options *options, const char *path)
{
	if (options->source != KT_SOURCE_USER) {
		return kt_error(KT_E_USAGE,
				"read %s: it holds words, and --source has no effect on "
				"them: give it when words are made of a trace",
				kt_path_name(path));
	}
	return kt_trace_filter_refuse(&options->part, path);
}

int kt_load_judge_losses(const struct kt_load_options *options, const char *name,
			 const struct kt_trace_losses *losses, size_t n)
{
	const uint64_t cut = losses->truncated;
	const char *are = n == 1 ? "word is" : cut == 1 ? "words is" : "words are";
	char list[512] = "";
	char words[64];

	if (!options->strict) {
		if (cut > 0) {
			kt_warn("%s%s%" PRIu64
				" of %zu %s truncated at the beginning or end",
				GROUP(options), cut, n, are);
		}
		return KT_OK;
	}
	if (!kt_trace_losses_any(losses)) {
		return KT_OK;
	}
	snprintf(words, sizeof(words), "of %zu %s truncated", n, are);
	kt_reason_add(list, sizeof(list), cut, words, words);
	kt_trace_losses_list(list, sizeof(list), losses);
	return kt_error(KT_E_LOSS, "read %s: %s", name, list);
}

/* Reads the words of a file through the filter. */
static int read_file(struct loader *l, const char *path,
		     int (*read)(kt_words *words, const char *path))
{
	const struct kt_letter_filter *filter = &l->options->filter;
	kt_words *words;
	int code;

	if (kt_letter_filter_is_empty(filter)) {
		return read(l->words, path);
	}
	KT_TRY(kt_words_new(&words));
	KT_TRY_END(read(words, path));
	for (uint32_t i = 0; i < kt_words_letter_count(words); i++) {
		note_letter(l, kt_words_letter_name(words, i));
	}
	code = kt_copy_words(l->words, words, KT_COPY_ALL, filter, &l->emptied);
end:
	kt_words_free(words);
	return code;
}

static int load_file(struct loader *l, const char *path,
		     int (*read)(kt_words *words, const char *path))
{
	const size_t first = kt_words_count(l->words);

	KT_TRY(kt_load_refuse_parts(l->options, path));
	KT_TRY(read_file(l, path, read));
	for (size_t i = first; i < kt_words_count(l->words); i++) {
		struct kt_word_info info;
		uint64_t n;

		if (kt_words_get(l->words, i, &info, &n) == KT_OK) {
			l->losses.truncated += info.cut_begin || info.cut_end;
			l->losses.lost += info.lost;
		}
	}
	return KT_OK;
}

/*
 * If all letters of the last words read were left out, adds their lost events to the last
 * word that was kept.
 */
static int settle_emptied(struct loader *l)
{
	const size_t n = kt_words_count(l->words);
	struct kt_word_info info;
	uint64_t letters;

	if (l->emptied == 0 || n == 0) {
		return KT_OK;
	}
	l->losses.lost += l->emptied;
	KT_TRY(kt_words_get(l->words, n - 1, &info, &letters));
	info.lost += l->emptied;
	return kt_words_describe(l->words, &info);
}

/* Returns whether a letter of the words is a function of an API. */
static bool has_calls(const kt_words *words)
{
	for (uint32_t i = 0; i < kt_words_letter_count(words); i++) {
		if (kt_api_function_find(kt_words_letter_name(words, i))) {
			return true;
		}
	}
	return false;
}

/* Warns if words were recorded with different versions, or in different ways. */
static int warn_mixed(const struct loader *l)
{
	static const char *const parts[] = {"libcuda", "module", "gpu"};
	struct kt_versions all = {0};
	char text[KT_VERSIONS_MODE];
	int code = KT_OK;

	KT_TRY_END(kt_words_versions(&all, l->words));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct kt_versions *first = NULL;
		bool mixed = false;

		for (size_t j = 0; j < kt_words_count(l->words); j++) {
			struct kt_word_info info;
			uint64_t n;

			KT_TRY_END(kt_words_get(l->words, j, &info, &n));
			if (info.versions && kt_versions_find(info.versions, parts[i])) {
				first = first ? first : info.versions;
				mixed = mixed ||
					!kt_versions_agree(first, info.versions, parts[i]);
			}
		}
		if (mixed) {
			kt_versions_text(text, sizeof(text), &all, parts[i], true);
			kt_warn("%s%sthe words were recorded with different versions "
				"of %s: %s",
				GROUP(l->options),
				strcmp(parts[i], "module") == 0 ? "the kernel module"
				: strcmp(parts[i], "gpu") == 0  ? "the GPU"
								: parts[i],
				text);
		}
	}
	kt_versions_mode(text, sizeof(text), &all, "access");
	if (strcmp(text, "mixed") == 0) {
		kt_warn("%s%sthe words were recorded with different --access: letters R "
			"and W differ for that alone",
			GROUP(l->options));
	}
	kt_versions_api_calls(text, &all);
	if (strcmp(text, "mixed") == 0 && has_calls(l->words)) {
		kt_warn("%s%sthe words were recorded with different --api-calls: letters "
			"of API calls differ for that alone",
			GROUP(l->options));
	}
end:
	kt_versions_clear(&all);
	return code;
}

static int judge(const struct loader *l, const char *name)
{
	size_t n = kt_words_count(l->words);

	KT_TRY(kt_trace_filter_judge(&l->options->part));
	if (n == 0) {
		return kt_error(KT_E_EMPTY, "read %s: no words: no event gives a letter%s",
				name,
				l->options->part.any ? " in the selected part"
				: kt_alphabet_has_channels(l->alphabet)
					? "; this alphabet needs traces with submissions"
					: "");
	}
	kt_trace_losses_note(stderr, &l->losses);
	KT_TRY(kt_load_judge_losses(l->options, name, &l->losses, n));
	KT_TRY(warn_mixed(l));
	if (l->options->all) {
		warn_unmet(l->options, &l->options->filter.without, l->met_without,
			   "--without");
		warn_unmet(l->options, &l->options->filter.runs, l->met_runs, "--runs");
	}
	return KT_OK;
}

int kt_load(kt_words **words, char **alphabet_json, char **paths, int n,
	    struct kt_load_options *options)
{
	struct loader l = {.options = options};
	struct kt_inputs inputs = {.n = 0};
	char name[1024];
	int code;

	*words = NULL;
	*alphabet_json = NULL;
	KT_TRY(kt_trace_filter_settle(&options->part));
	KT_TRY(kt_words_new(&l.words));
	l.met_without = calloc(options->filter.without.n + 1, sizeof(*l.met_without));
	l.met_runs = calloc(options->filter.runs.n + 1, sizeof(*l.met_runs));
	if (!l.met_without || !l.met_runs) {
		code = kt_no_memory("read words");
		goto end;
	}
	KT_TRY_END(options->source == KT_SOURCE_BOTH
			   ? kt_alphabet_open_both(&l.alphabet, options->alphabet)
			   : kt_alphabet_open(&l.alphabet, options->alphabet));
	KT_TRY_END(kt_letter_filter_copy(&l.alphabet->filter, &options->filter));
	l.alphabet->drops_accesses = options->drops_accesses;
	KT_TRY_END(kt_word_unit_of(options->word, &l.unit));
	l.unit = kt_word_unit_within(l.unit, &options->part);
	options->word = kt_word_unit_name(l.unit);
	KT_TRY_END(kt_word_unit_check(l.unit, l.alphabet));
	KT_TRY_END(kt_inputs_open(&inputs, paths, (size_t)n));
	for (size_t i = 0; i < inputs.n; i++) {
		const char *path = inputs.paths[i];
		enum kt_load_kind kind;

		KT_TRY_END(kt_load_kind(&kind, path, &l.read_standard_input));
		switch (kind) {
		case KT_LOAD_FOLDER: code = load_folder(&l, path); break;
		case KT_LOAD_EXAMPLES: code = load_file(&l, path, kt_load_examples); break;
		default: code = load_file(&l, path, kt_events_read);
		}
		if (code) {
			goto end;
		}
	}
	kt_path_list_name(name, sizeof(name), (const char *const *)paths, (size_t)n);
	KT_TRY_END(settle_emptied(&l));
	KT_TRY_END(judge(&l, name));
	if (l.uses_alphabet) {
		KT_TRY_END(kt_alphabet_json(alphabet_json, l.alphabet));
	} else {
		KT_TRY_END(kt_letter_filter_json(alphabet_json, &options->filter));
	}
	*words = l.words;
	l.words = NULL;
end:
	kt_inputs_free(&inputs);
	free(l.met_without);
	free(l.met_runs);
	kt_alphabet_free(l.alphabet);
	kt_words_free(l.words);
	return code;
}
