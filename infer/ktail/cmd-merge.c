/* SPDX-License-Identifier: MIT */
/*
 * ktail merge: adds up statistics and the words of traces, and writes the sum and its
 * machine. If the files are distilled machines, merges these.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/ktail.h>

#include "base/try.h"
#include "base/terminal.h"
#include "infer/files/letter-names.h"
#include "infer/files/output.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/distilled.h"
#include "infer/ktail/load.h"
#include "infer/ktail/statistics.h"

struct merge {
	struct kt_load_options load; /* must be first: see KT_LOAD_ROWS */
	const char *update; /* Weak: path of the statistics to update; NULL: none */
	unsigned long k;
	bool has_k;
	bool has_output;
	struct kt_outputs outputs;
	struct kt_outputs statistics;

	int lock;      /* Owned by this: lock of the file to update; -1: none */
	char **traces; /* Owned by this; the strings are argv's */
	int n_traces;
	kt_kgrams **parts; /* Owned by this */
	const char *first; /* Weak: path of the first part */
	size_t n_parts;
};

static int set_update(void *context, const char *value)
{
	struct merge *merge = context;

	if (merge->update) {
		return kt_error(KT_E_USAGE, "--update is given twice");
	}
	merge->update = value;
	return kt_outputs_add(&merge->statistics, value);
}

static int set_k(void *context, const char *value)
{
	struct merge *merge = context;

	merge->has_k = true;
	return kt_parse_number(&merge->k, value, 0, INT64_MAX, "--k");
}

static int add_output(void *context, const char *value)
{
	struct merge *merge = context;

	merge->has_output = true;
	if (kt_statistics_is_named(value)) {
		return kt_outputs_add(&merge->statistics, value);
	}
	return kt_outputs_add(&merge->outputs, value);
}

static const struct kt_option table[] = {
	{"update", 'u', "FILE.kgrams", "a part, which is replaced by the sum of all parts",
	 KT_SET(set_update)},
	{"k", 'k', "N", "length of the tails: that of the statistics (default) or less",
	 KT_SET(set_k)},
	KT_LOAD_ROWS,
	KT_FILTER_ROWS,
	KT_PART_ROWS,
	{"output", 'o', "FILE",
	 "output: .kgrams, or any output of ktail infer; may be repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: dot)",
	 KT_TEXT(struct merge, outputs.format)},
	KT_NAMES_ROW(struct kt_load_options, names),
	KT_LAST_ROWS,
};

static bool given[sizeof(table) / sizeof(table[0])];

static const struct kt_command_line command = {
	.usage = "ktail merge [OPTION]... KGRAMS... [TRACE...] [-o FILE]...\n"
		 "       ktail merge --update FILE.kgrams [OPTION]... [KGRAMS...] "
		 "[TRACE...] "
		 "[-o FILE]...\n"
		 "       ktail merge DISTILLED.json... [-o FILE]...",
	.summary =
		"Add up statistics that ktail --kgrams wrote, in any order and grouping, "
		"and words of\ntraces: the machine is that of all words at once. Without "
		"-o: DOT on standard output,\nor with --update nothing. Or merge distilled "
		"machines:\nwhat all do, and what only some do.",
	.table = table,
	.given = given,
};

/* --- parts --- */

/* Returns KT_E_USAGE, naming the file, if a part is not compatible with the first one. */
static int check_part(const struct merge *merge, const kt_kgrams *part, const char *path)
{
	const kt_kgrams *first = merge->parts[0];

	if (kt_kgrams_k(part) != kt_kgrams_k(first)) {
		return kt_error(KT_E_USAGE,
				"merge %s: its k is %" PRIu64 ", that of %s %" PRIu64, path,
				kt_kgrams_k(part), merge->first, kt_kgrams_k(first));
	}
	if (strcmp(kt_kgrams_word(part), kt_kgrams_word(first)) != 0) {
		return kt_error(
			KT_E_USAGE,
			"merge %s: its words are of unit %s, those of %s of unit %s", path,
			kt_kgrams_word(part), merge->first, kt_kgrams_word(first));
	}
	return KT_OK;
}

static int read_part(struct merge *merge, const char *path)
{
	kt_kgrams *part;

	KT_TRY(kt_statistics_read(&part, path));
	if (merge->n_parts == 0) {
		merge->first = path;
	}
	merge->parts[merge->n_parts++] = part;
	return check_part(merge, part, path);
}

/*
 * Reads all parts. The words of all traces make one more part, which is counted with the k
 * of the first part.
 */
static int read_parts(struct merge *merge, char **paths, int n)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	char *alphabet = NULL;
	kt_words *words;
	kt_kgrams **part;
	int code;

	merge->parts = calloc((size_t)n + 2, sizeof(*merge->parts));
	merge->traces = calloc((size_t)n + 1, sizeof(*merge->traces));
	if (!merge->parts || !merge->traces) {
		return kt_no_memory("merge statistics");
	}
	if (merge->update) {
		KT_TRY(kt_statistics_lock(&merge->lock, merge->update));
		KT_TRY(read_part(merge, merge->update));
	}
	for (int i = 0; i < n; i++) {
		if (kt_statistics_is_named(paths[i])) {
			KT_TRY(read_part(merge, paths[i]));
		} else {
			merge->traces[merge->n_traces++] = paths[i];
		}
	}
	if (!merge->n_parts) {
		return kt_error(KT_E_USAGE,
				"merge %s: no .kgrams file is given; ktail --k N --kgrams "
				"FILE.kgrams creates one",
				paths[0]);
	}
	if (!merge->n_traces) {
		return kt_trace_filter_refuse(&merge->load.part, paths[0]);
	}
	if (!merge->load.word) {
		merge->load.word = kt_kgrams_word(merge->parts[0]);
	}
	KT_TRY(kt_letter_filter_agree(&merge->load.filter,
				      kt_kgrams_alphabet(merge->parts[0]), merge->first));
	KT_TRY(kt_load(&words, &alphabet, merge->traces, merge->n_traces, &merge->load));
	options.k = kt_kgrams_k(merge->parts[0]);
	options.word = merge->load.word;
	options.alphabet_json = alphabet;
	part = &merge->parts[merge->n_parts];
	KT_TRY_END(kt_kgrams_count(part, words, &options));
	merge->n_parts++;
	code = check_part(merge, *part, "the traces");
end:
	kt_words_free(words);
	free(alphabet);
	return code;
}

/* --- the sum --- */

static int merge_parts(struct merge *merge)
{
	struct kt_output_group groups[] = {
		{&merge->outputs, NULL, &kt_output_machine},
		{&merge->statistics, NULL, &kt_output_statistics},
	};
	bool to_standard_output = !merge->has_output && !merge->update;
	kt_kgrams *sum = NULL;
	struct kt_fsm *fsm = NULL;
	size_t twins;
	int code;

	KT_TRY(kt_kgrams_merge(&sum, (const kt_kgrams *const *)merge->parts,
			       merge->n_parts));
	/*
	 * Warn of words that are equal in several parts: adding their counts is correct if
	 * a program was recorded twice, but wrong if a trace was given twice.
	 */
	twins = kt_kgrams_twins(sum);
	for (size_t i = 0; i < merge->n_parts; i++) {
		twins -= kt_kgrams_twins(merge->parts[i]);
	}
	if (twins) {
		kt_warn("merge statistics: equal words in several parts, by name and hash, "
			"count again: %zu of %zu words",
			twins, kt_kgrams_words(sum));
	}
	if (merge->outputs.n || to_standard_output) {
		KT_TRY_END(kt_kgrams_infer(&fsm, sum,
					   merge->has_k ? merge->k : kt_kgrams_k(sum)));
		KT_TRY_END(kt_machine_name_letters(fsm, merge->load.names));
	}
	groups[0].result = fsm;
	groups[1].result = sum;
	code = to_standard_output
		       ? kt_outputs_write(&merge->outputs, fsm, &kt_output_machine)
		       : kt_outputs_write_groups(groups, 2);
end:
	kt_fsm_free(fsm);
	kt_kgrams_free(sum);
	return code;
}

static int merge_distilled(const struct merge *merge, char **paths, int n)
{
	KT_TRY(kt_distilled_check(&command, paths, n));
	if (merge->statistics.n) {
		return kt_error(KT_E_USAGE,
				"merge %s: .kgrams is for statistics, not for distilled "
				"machines",
				paths[0]);
	}
	KT_TRY(kt_outputs_check(&merge->outputs, &kt_output_distilled));
	return kt_distilled_merge_files(paths, n, merge->load.names, &merge->outputs);
}

int kt_cmd_merge(int argc, char **argv)
{
	struct merge merge = {.load = KT_LOAD_OPTIONS_INIT, .lock = -1};
	int status;
	int code;
	int n = 0;

	/* The unit comes from the statistics, unless --word is given. */
	merge.load.word = NULL;
	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &merge)) {
		goto end;
	}
	if (kt_distilled_any_named(argv, n)) {
		code = merge_distilled(&merge, argv, n);
		goto failed;
	}
	code = kt_outputs_check(&merge.outputs, &kt_output_machine);
	if (!code) {
		code = kt_outputs_check(&merge.statistics, &kt_output_statistics);
	}
	if (!code && merge.outputs.format && merge.outputs.n == 0 &&
	    (merge.has_output || merge.update)) {
		code = kt_error(
			KT_E_USAGE,
			"--format applies to the machine, but only statistics are written");
	}
	if (code) {
		goto failed;
	}
	code = n > 0 ? read_parts(&merge, argv, n)
		     : kt_error(KT_E_USAGE, "no statistics given; see ktail merge --help");
	if (!code) {
		code = merge_parts(&merge);
	}
failed:
	status = code ? kt_cmd_fail(code) : 0;
end:
	for (size_t i = 0; i < merge.n_parts; i++) {
		kt_kgrams_free(merge.parts[i]);
	}
	free(merge.parts);
	free(merge.traces);
	kt_load_options_clear(&merge.load);
	kt_outputs_clear(&merge.outputs);
	kt_outputs_clear(&merge.statistics);
	if (merge.lock >= 0) {
		close(merge.lock);
	}
	return status;
}
