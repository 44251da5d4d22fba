/* SPDX-License-Identifier: MIT */
/*
 * check-truth: checks whether the machine of a driver's program points accepts words,
 * reports how they cover the points, and compares the machines of two drivers.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "infer/words/file/events-file.h"
#include "tests/softgpu/truth/coverage.h"
#include "tests/softgpu/truth/only-in.h"
#include "tests/softgpu/truth/walk.h"

#define SHOWN_BEFORE 12 /* letters shown before a rejected letter */

struct options {
	const char *only_in; /* not owned; NULL: none */
	bool tsv;
	bool help;
};

static int set_only_in(void *context, const char *value)
{
	((struct options *)context)->only_in = value;
	return KT_OK;
}

static int set_tsv(void *context, const char *value)
{
	(void)value;
	((struct options *)context)->tsv = true;
	return KT_OK;
}

static int set_help(void *context, const char *value)
{
	(void)value;
	((struct options *)context)->help = true;
	return KT_OK;
}

static const struct kt_option table[] = {
	{"tsv", 0, NULL, "tab-separated lines, the kind of line first", KT_SET(set_tsv)},
	{"only-in", 0, "OTHER.json",
	 "print the shortest word that OTHER accepts and TRUTH does not",
	 KT_SET(set_only_in)},
	{"help", 'h', NULL, "show this help; status 0: all fits, 1: not", KT_SET(set_help)},
	{0},
};

static const struct kt_command_line command = {
	.usage = "check-truth [--tsv] TRUTH.json WORDS...\n"
		 "       check-truth [--tsv] TRUTH.json --only-in OTHER.json",
	.summary = "Reads words (.events files, or folders of them) with a machine, says "
		   "which fit and what they cover of it.",
	.table = table,
};

/* --- input --- */

static int read_machine(struct kt_fsm **out, const char *path)
{
	FILE *in = fopen(path, "re");
	int code;

	*out = NULL;
	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	code = kt_fsm_read_json(out, in, path);
	fclose(in);
	return code;
}

static int is_events(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && strcmp(dot, ".events") == 0;
}

static int read_folder(kt_words *words, const char *path, struct dirent **entries, int n)
{
	int code = KT_OK;

	for (int i = 0; i < n; i++) {
		char *file = NULL;

		if (!code && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0) {
			file = NULL;
			code = kt_error(KT_E_MEMORY, "read %s: out of memory", path);
		}
		code = code ? code : kt_events_read(words, file);
		free(file);
		free(entries[i]);
	}
	free(entries);
	return code;
}

static int read_words(kt_words *words, const char *path)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, is_events, alphasort);

	if (n < 0 && errno == ENOTDIR) {
		return kt_events_read(words, path);
	}
	if (n < 0) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	return read_folder(words, path, entries, n);
}

/* --- words --- */

/* Prints the letters that the state accepts, each with the points that yield it. */
static void print_expected(const struct walk *walk, uint32_t state)
{
	const struct kt_fsm_state *s = &walk->fsm->states[state];

	printf("  in state %" PRIu32 " there would fit:\n", state);
	for (size_t i = walk->first[state]; i < walk->first[state + (size_t)1]; i++) {
		const char *letter = walk->fsm->letters[walk->fsm->transitions[i].letter];

		printf("    %s\n", letter);
		for (size_t j = 0; j < s->n_points; j++) {
			if (coverage_gives(s->points[j], letter)) {
				printf("      %s\n", s->points[j]);
			}
		}
	}
}

static int print_refusal(const struct walk *walk, const kt_words *words, size_t word,
			 const struct verdict *v)
{
	uint64_t from = v->position < SHOWN_BEFORE ? 0 : v->position - SHOWN_BEFORE;
	uint32_t letters[SHOWN_BEFORE + 1];
	size_t n = (size_t)(v->position - from) + 1;
	int code = kt_words_read(words, word, from, n, letters);

	if (code) {
		return code;
	}
	printf("  letter %" PRIu64 " does not fit: %s\n  before it:", v->position + 1,
	       kt_words_letter_name(words, letters[n - 1]));
	for (size_t i = 0; i + 1 < n; i++) {
		printf(" %s", kt_words_letter_name(words, letters[i]));
	}
	putchar('\n');
	for (size_t i = 0; i < v->n_states; i++) {
		print_expected(walk, v->states[i]);
	}
	return KT_OK;
}

static int check_word(struct walk *walk, const kt_words *words, size_t word, bool tsv,
		      bool *accepted)
{
	struct kt_word_info info;
	struct verdict v = {0};
	uint64_t n = 0;
	int code = kt_words_get(words, word, &info, &n);

	code = code ? code : walk_word(walk, words, word, &v);
	*accepted = v.accepted;
	if (!code && tsv) {
		printf("word\t%s\t%" PRIu64 "\t%s\t%" PRIu64 "\n", info.name, n,
		       v.accepted ? "accepted" : "refused", v.position);
	} else if (!code) {
		printf("%-40s %8" PRIu64 " letters  %s\n", info.name, n,
		       v.accepted ? "accepted" : "REFUSED");
		code = v.accepted ? KT_OK : print_refusal(walk, words, word, &v);
	}
	free(v.states);
	return code;
}

static int check_words(const struct kt_fsm *fsm, const kt_words *words, bool tsv,
		       bool *fits)
{
	struct walk walk;
	size_t n = kt_words_count(words);
	size_t refused = 0;
	size_t uncovered;
	int code = walk_new(&walk, fsm);

	for (size_t i = 0; i < n && !code; i++) {
		bool accepted = false;

		code = check_word(&walk, words, i, tsv, &accepted);
		refused += !accepted;
	}
	if (!code) {
		printf(tsv ? "words\t%zu\t%zu\n" : "words accepted: %zu of %zu\n",
		       n - refused, n);
		code = coverage_print(stdout, &walk, tsv, &uncovered);
	}
	walk_free(&walk);
	*fits = refused == 0;
	return code ? code : n ? KT_OK : kt_error(KT_E_EMPTY, "read words: there is none");
}

static int check(const struct kt_fsm *fsm, char **paths, int n, bool tsv, bool *fits)
{
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	for (int i = 0; i < n && !code; i++) {
		code = read_words(words, paths[i]);
	}
	code = code ? code : check_words(fsm, words, tsv, fits);
	kt_words_free(words);
	return code;
}

/* --- comparison of two machines --- */

static int compare(const struct kt_fsm *fsm, const char *path, bool tsv, bool *fits)
{
	struct kt_fsm *other = NULL;
	uint32_t *letters = NULL;
	uint32_t state = 0;
	size_t n = 0;
	int code = read_machine(&other, path);

	code = code ? code : only_in_find(&letters, &n, &state, other, fsm);
	*fits = n == 0;
	if (!code && !tsv) {
		printf(n ? "The shortest word that only %s accepts has %zu letters:\n"
			 : "There is no word that only %s accepts.\n",
		       path, n);
	}
	for (size_t i = 0; i < n; i++) {
		printf("%s\n", other->letters[letters[i]]);
	}
	if (n && !tsv) {
		printf("where %s may be at:\n", path);
		for (size_t i = 0; i < other->states[state].n_points; i++) {
			const char *point = other->states[state].points[i];

			if (coverage_gives(point, other->letters[letters[n - 1]])) {
				printf("  %s\n", point);
			}
		}
	}
	free(letters);
	kt_fsm_free(other);
	return code;
}

static int run(int argc, char **argv, bool *fits)
{
	struct options o = {0};
	struct kt_fsm *fsm = NULL;
	int n = 0;
	int code = kt_options_parse(&command, argc, argv, &o, &n);

	if (!code && o.help) {
		kt_options_help(&command, stdout);
		return KT_OK;
	}
	if (!code && (o.only_in ? n != 1 : n < 2)) {
		return kt_error(KT_E_USAGE, "expected a machine, then words or --only-in");
	}
	code = code ? code : read_machine(&fsm, argv[0]);
	if (!code) {
		code = o.only_in ? compare(fsm, o.only_in, o.tsv, fits)
				 : check(fsm, argv + 1, n - 1, o.tsv, fits);
	}
	kt_fsm_free(fsm);
	return code;
}

int main(int argc, char **argv)
{
	bool fits = true;
	int code = run(argc, argv, &fits);

	if (code) {
		fprintf(stderr, "check-truth: %s\n", kt_error_message());
		return kt_exit_status(code);
	}
	return fits ? 0 : 1;
}
