/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/file/events-file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/atomic-file.h"
#include "base/cleanup.h"
#include "base/output-target.h"
#include "base/try.h"
#include "base/utf8.h"

#define ENDING     ".events"
#define BASE_MAX   200
#define LINES_SIZE 16384

/* A word and the name of its file. */
struct output {
	const struct kt_events_word *word; /* Weak */
	char *base;                        /* Owned by this */
	char *file; /* Owned by this: base, number if above 1, and ".events" */
	char *path; /* Owned by this: folder and file */
};

/* Orders by base, then by position in the caller's array of words. */
static int compare_outputs(const void *a, const void *b)
{
	const struct output *x = a;
	const struct output *y = b;
	int order = strcmp(x->base, y->base);

	return order ? order : (x->word > y->word) - (x->word < y->word);
}

static int compare_files(const void *key, const void *output)
{
	return strcmp(key, ((const struct output *)output)->file);
}

static int compare_output_files(const void *a, const void *b)
{
	return compare_files(((const struct output *)a)->file, b);
}

/*
 * Chooses a file name for each word: the first BASE_MAX bytes of the word's name, in which
 * "_" replaces "/", "~" and a leading ".". If several words get the same file name, "~2",
 * "~3", ... is added from the second one on.
 */
static int name_files(struct output *outputs, const struct kt_events_word *words, size_t n,
		      const char *dir)
{
	size_t same = 1;

	for (size_t i = 0; i < n; i++) {
		char *base;

		if (!kt_utf8_is_printable(words[i].info.name, strlen(words[i].info.name))) {
			return kt_error(KT_E_USAGE,
					"write words to %s: a name contains control "
					"characters or invalid UTF-8",
					dir);
		}
		base = strndup(words[i].info.name, BASE_MAX);
		if (!base) {
			return kt_error(KT_E_MEMORY, "write words to %s: out of memory",
					dir);
		}
		for (char *c = base; *c; c++) {
			if (*c == '/' || *c == '~' || (*c == '.' && c == base)) {
				*c = '_';
			}
		}
		outputs[i].word = &words[i];
		outputs[i].base = base;
	}
	qsort(outputs, n, sizeof(*outputs), compare_outputs);
	for (size_t i = 0; i < n; i++) {
		same = i > 0 && strcmp(outputs[i].base, outputs[i - 1].base) == 0 ? same + 1
										  : 1;
		if (asprintf(&outputs[i].file, same > 1 ? "%s~%zu" ENDING : "%s" ENDING,
			     outputs[i].base, same) < 0) {
			outputs[i].file = NULL;
			return kt_error(KT_E_MEMORY, "write words to %s: out of memory",
					dir);
		}
	}
	qsort(outputs, n, sizeof(*outputs), compare_output_files);
	return KT_OK;
}

/*
 * Refuses a folder that has .events files besides the outputs, because a reader of the
 * folder would take those files for words of the same trace.
 */
static int check_folder(const char *dir, const struct output *outputs, size_t n)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	int code = KT_OK;

	if (!folder) {
		return kt_error_errno(KT_E_IO, "write words to %s", dir);
	}
	while (!code && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);
		size_t ending = strlen(ENDING);

		if (entry->d_name[0] != '.' && length >= ending &&
		    strcmp(entry->d_name + length - ending, ENDING) == 0 &&
		    !bsearch(entry->d_name, outputs, n, sizeof(*outputs), compare_files)) {
			code = kt_error(
				KT_E_USAGE,
				"write words to %s: %s already exists, from another run",
				dir, entry->d_name);
		}
	}
	closedir(folder);
	return code;
}

/*
 * Buffers lines, because one stdio call per letter would take longer than all other work of
 * writing.
 */
struct lines {
	FILE *out; /* Weak */
	size_t n;
	char text[LINES_SIZE];
};

static void flush_lines(struct lines *lines)
{
	fwrite(lines->text, 1, lines->n, lines->out);
	lines->n = 0;
}

static int write_file(const char *dir, struct output *output, bool created)
{
	const struct kt_events_word *word = output->word;
	struct kt_atomic_file file;
	struct lines lines;
	int code = KT_OK;

	if (asprintf(&output->path, "%s/%s", dir, output->file) < 0) {
		output->path = NULL;
		return kt_error(KT_E_MEMORY, "write words to %s: out of memory", dir);
	}
	if (created) {
		KT_TRY(kt_cleanup_add(output->path));
	}
	KT_TRY(kt_atomic_file_open(&file, output->path));
	lines.out = file.stream;
	lines.n = 0;
	fprintf(lines.out, "#ktail name %s\n", word->info.name);
	if (word->info.lost) {
		fprintf(lines.out, "#ktail lost %" PRIu64 "\n", word->info.lost);
	}
	if (word->info.cut_begin) {
		fputs("#ktail cut-begin\n", lines.out);
	}
	if (word->info.cut_end) {
		fputs("#ktail cut-end\n", lines.out);
	}
	for (size_t i = 0; word->info.versions && i < word->info.versions->n; i++) {
		const struct kt_version *row = &word->info.versions->rows[i];

		fprintf(lines.out, "#ktail version %s\t%s\t%s\t%s\n", row->what,
			row->version, row->id, row->detail);
	}
	for (uint64_t i = 0; i < word->n && !code; i++) {
		const char *letter = word->letter(word->source, i);

		code = letter ? KT_OK : KT_E_INTERNAL;
		for (; letter && *letter; letter++) {
			lines.text[lines.n++] = *letter;
			if (lines.n == LINES_SIZE) {
				flush_lines(&lines);
			}
		}
		lines.text[lines.n++] = '\n';
		if (lines.n == LINES_SIZE) {
			flush_lines(&lines);
		}
	}
	flush_lines(&lines);
	if (!code) {
		code = kt_atomic_file_commit(&file);
	}
	kt_atomic_file_abort(&file);
	return code;
}

int kt_events_write(const char *dir, const struct kt_events_word *words, size_t n)
{
	struct output *outputs = calloc(n + 1, sizeof(*outputs));
	struct kt_output_target target = {0};
	sigset_t before;
	bool created = false;
	int error;
	int code;

	if (!outputs) {
		return kt_error(KT_E_MEMORY, "write words to %s: out of memory", dir);
	}
	KT_TRY_END(name_files(outputs, words, n, dir));
	/*
	 * Refuses a link to a folder under the same conditions as a link to a file
	 * (output-target.h).
	 */
	code = kt_output_target_find(&target, dir);
	free(target.path);
	if (code) {
		kt_error_prepend(code, "write words to %s", dir);
		goto end;
	}
	/*
	 * If mkdir() creates the folder, registers the folder, so that it is removed if a
	 * signal ends the program; write_file() then does the same for the files.
	 */
	kt_cleanup_hold(&before);
	created = mkdir(dir, 0777) == 0;
	error = created ? 0 : errno;
	code = created ? kt_cleanup_add(dir) : KT_OK;
	kt_cleanup_release(&before);
	if (error && error != EEXIST) {
		errno = error;
		code = kt_error_errno(KT_E_IO, "create folder %s", dir);
	}
	if (code) {
		goto end;
	}
	KT_TRY_END(check_folder(dir, outputs, n));
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(write_file(dir, &outputs[i], created));
	}
end:
	/*
	 * If mkdir() created the folder, ends the registration of its files, and removes
	 * them on failure.
	 */
	for (size_t i = n; created && i-- > 0;) {
		if (outputs[i].path) {
			if (code) {
				unlink(outputs[i].path);
			}
			kt_cleanup_forget(outputs[i].path);
		}
	}
	if (created && code) {
		rmdir(dir);
	}
	if (created) {
		kt_cleanup_forget(dir);
	}
	for (size_t i = 0; i < n; i++) {
		free(outputs[i].base);
		free(outputs[i].file);
		free(outputs[i].path);
	}
	free(outputs);
	return code;
}
