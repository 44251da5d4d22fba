/* SPDX-License-Identifier: MIT */
/* ktail words: writes the words of traces as .events files, or as one .dat file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ktail/exchange.h>
#include <ktail/status.h>
#include <ktail/words.h>

#include "base/atomic-file.h"
#include "base/output-format.h"
#include "base/try.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/load.h"
#include "infer/words/file/events-file.h"

struct words {
	struct kt_load_options load; /* must be first: see KT_LOAD_ROWS */
	const char *output;          /* Weak */
	const char *format;          /* Weak: argument of -f; NULL: not given */
};

/* The i-th word of a set, read through a window of letters. */
struct source {
	const kt_words *words; /* Weak */
	size_t i;
	uint64_t n;
	/* the window has the letters from index `from` up to, not including, `to` */
	uint64_t from;
	uint64_t to;
	/* Weak: shared by all words, since they are written one after another */
	uint32_t *window;
};

static int set_output(void *context, const char *value)
{
	struct words *words = context;

	if (words->output) {
		return kt_error(KT_E_USAGE, "--output is given twice");
	}
	words->output = value;
	return KT_OK;
}

static const struct kt_option table[] = {
	KT_LOAD_ROWS,
	KT_FILTER_ROWS,
	KT_PART_ROWS,
	{"output", 'o', "DIR|FILE.dat",
	 "folder for .events files, created if needed; or an Abbadingo file",
	 KT_SET(set_output)},
	{"format", 'f', "NAME",
	 "dat, or events, with which DIR may have any ending (default for -o -: dat)",
	 KT_TEXT(struct words, format)},
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail words [OPTION]... TRACE... -o DIR|FILE.dat",
	.summary = "Write each word of the traces to an .events file; they give the same "
		   "machine as the traces.\nOr write all words to one file in the "
		   "Abbadingo format.",
	.table = table,
};

#define WINDOW 4096

static const char *letter_of(void *source, uint64_t i)
{
	struct source *s = source;

	if (i < s->from || i >= s->to) {
		size_t n = s->n - i < WINDOW ? (size_t)(s->n - i) : WINDOW;

		if (kt_words_read(s->words, s->i, i, n, s->window)) {
			return NULL;
		}
		s->from = i;
		s->to = i + n;
	}
	return kt_words_letter_name(s->words, s->window[i - s->from]);
}

static int write_words(const kt_words *words, const char *dir)
{
	size_t n = kt_words_count(words);
	struct kt_events_word *outputs = calloc(n + 1, sizeof(*outputs));
	struct source *sources = calloc(n + 1, sizeof(*sources));
	uint32_t *window = malloc(WINDOW * sizeof(*window));
	int code;

	if (!outputs || !sources || !window) {
		code = kt_no_memory("write words");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		outputs[i].source = &sources[i];
		outputs[i].letter = letter_of;
		KT_TRY_END(kt_words_get(words, i, &outputs[i].info, &outputs[i].n));
		sources[i] = (struct source){words, i, outputs[i].n, 0, 0, window};
	}
	code = kt_events_write(dir, outputs, n);
end:
	free(outputs);
	free(sources);
	free(window);
	return code;
}

/*
 * Writes the words to one file in the Abbadingo format. That format cannot mark truncated
 * words.
 */
static int write_examples(const kt_words *words, const char *path)
{
	struct kt_atomic_file file;
	int code = kt_atomic_file_open(&file, path);

	if (!code) {
		code = kt_words_write_abbadingo(words, file.stream);
		if (!code) {
			code = kt_atomic_file_commit(&file);
		}
		kt_atomic_file_abort(&file);
	}
	return code ? kt_error_prepend(code, "write %s", path) : KT_OK;
}

/*
 * Sets *one_file to whether the words go to one file. Without -f, a path with the suffix of
 * another format is an error, unless the path is an existing folder or ends in '/'.
 */
static int choose_format(bool *one_file, const struct words *options)
{
	static const char *const names[] = {"dat", "events", NULL};
	static const char *const slips[] = {".events", ".txt", ".json",    ".tsv",  ".csv",
					    ".kgrams", ".gv",  ".dot",     ".svg",  ".png",
					    ".pdf",    ".xml", ".graphml", ".html", NULL};
	const char *path = options->output;
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash + 1 : path, '.');
	bool standard = kt_output_is_standard(path);
	struct stat st;
	int format = 0;

	if (options->format) {
		KT_TRY(kt_parse_enum(&format, options->format, names, "--format"));
	}
	*one_file = options->format ? format == 0
				    : standard || (dot && strcmp(dot, ".dat") == 0);
	if (*one_file) {
		return kt_output_check_folder(path);
	}
	if (standard) {
		return kt_error(
			KT_E_USAGE,
			"write words: .events files hold one word each and need a folder");
	}
	for (size_t i = 0; !options->format && dot && slips[i]; i++) {
		if (strcmp(dot, slips[i]) == 0 &&
		    (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))) {
			return kt_error(KT_E_USAGE,
					"write %s: this version writes .dat, or .events "
					"files into a folder (%s/)",
					path, path);
		}
	}
	return KT_OK;
}

int kt_cmd_words(int argc, char **argv)
{
	struct words options = {.load = KT_LOAD_OPTIONS_INIT};
	char *alphabet = NULL;
	kt_words *words = NULL;
	bool one_file;
	int status;
	int code;
	int n = 0;

	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &options)) {
		kt_load_options_clear(&options.load);
		return status;
	}
	if (n == 0) {
		code = kt_error(KT_E_USAGE, "no trace given; see ktail words --help");
		goto end;
	}
	if (!options.output) {
		code = kt_error(KT_E_USAGE, "-o DIR is missing; see ktail words --help");
		goto end;
	}
	KT_TRY_END(choose_format(&one_file, &options));
	options.load.all = true;
	KT_TRY_END(kt_load(&words, &alphabet, argv, n, &options.load));
	code = one_file ? write_examples(words, kt_output_is_standard(options.output)
							? "-"
							: options.output)
			: write_words(words, options.output);
end:
	kt_words_free(words);
	free(alphabet);
	kt_load_options_clear(&options.load);
	return code ? kt_cmd_fail(code) : 0;
}
