/* SPDX-License-Identifier: MIT */
/*
 * ktail learn: infers, from several recordings of a program, a machine that new recordings
 * must fit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "base/array.h"
#include "base/try.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "decode/letter-names.h"
#include "infer/changes/noise.h"
#include "infer/check/checker.h"
#include "infer/check/sources.h"
#include "infer/files/letter-names.h"
#include "infer/files/output.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/copy-words.h"
#include "infer/ktail/operand.h"

struct learn {
	struct kt_operand_options operand; /* must be first: see KT_LOAD_ROWS */
	struct kt_outputs outputs;
	char **others; /* Owned by this: arguments of --other; the strings are argv's */
	size_t n_others;
	size_t capacity;
};

static int add_other(void *context, const char *value)
{
	struct learn *learn = context;
	union {
		const char *read_only;
		char *text;
	} kept = {.read_only = value};

	KT_TRY(kt_array_reserve(&learn->others, &learn->capacity, learn->n_others + 1));
	learn->others[learn->n_others++] = kept.text;
	return KT_OK;
}

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct learn *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"k", 'k', "N",
	 "length of the tails (default: the greatest with which each recording fits the "
	 "others' machine)",
	 KT_SET(kt_operand_set_k)},
	{"other", 0, "TRACE",
	 "a recording that must not fit, such as one of another version; may be repeated",
	 KT_SET(add_other)},
	KT_ALPHABET_ROW(
		"alphabet: rm (default), table1, atc13, roles, api, calls, submission, "
		"methods, or a file"),
	KT_LOAD_MORE_ROWS,
	KT_FILTER_ROWS,
	{"output", 'o', "FILE",
	 "output: .json .dot .svg .png .pdf .txt ...; may be repeated", KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: json)",
	 KT_TEXT(struct learn, outputs.format)},
	KT_NAMES_ROW(struct kt_load_options, names),
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail learn [OPTION]... [-o FILE]... TRACE...",
	.summary = "Make a machine that ktail check accepts new recordings with: from "
		   "several recordings of one\nprogram, without letters whose number "
		   "depends on time.",
	.table = table,
};

/* --- letters --- */

static int has_letter(bool *has, const kt_words *words, size_t number, uint32_t letter)
{
	struct kt_word_info info;
	uint64_t n;

	*has = false;
	KT_TRY(kt_words_get(words, number, &info, &n));
	for (uint64_t i = 0; i < n && !*has; i++) {
		uint32_t next;

		KT_TRY(kt_words_read(words, number, i, 1, &next));
		*has = next == letter;
	}
	return KT_OK;
}

/* Sets *shared to whether several threads of a process write doorbells. */
static int find_shared_doorbells(bool *shared, const kt_words *words)
{
	const uint32_t n_letters = kt_words_letter_count(words);
	const char *before = ""; /* name of the previous word with a doorbell */
	uint32_t doorbell = 0;

	*shared = false;
	while (doorbell < n_letters &&
	       strcmp(kt_words_letter_name(words, doorbell), "W:reg") != 0) {
		doorbell++;
	}
	for (size_t i = 0; i < kt_words_count(words) && !*shared; i++) {
		struct kt_word_info info;
		uint64_t n;
		size_t length;
		bool has;

		KT_TRY(kt_words_get(words, i, &info, &n));
		KT_TRY(has_letter(&has, words, i, doorbell));
		length = kt_noise_process_length(info.name);
		if (has) {
			*shared = length > 0 && kt_noise_process_length(before) == length &&
				  strncmp(before, info.name, length) == 0 &&
				  strcmp(before, info.name) != 0;
			before = info.name;
		}
	}
	return KT_OK;
}

/* Replaces the words by filtered ones. */
static int filter_words(kt_words **words, const struct kt_letter_filter *filter)
{
	kt_words *filtered;
	uint64_t lost = 0;
	int code;

	KT_TRY(kt_words_new(&filtered));
	KT_TRY_END(kt_copy_words(filtered, *words, KT_COPY_ALL, filter, &lost));
	if (kt_words_count(filtered) == 0) {
		code = kt_error(KT_E_EMPTY, "learn: no letters remain");
		goto end;
	}
	kt_words_free(*words);
	*words = filtered;
	filtered = NULL;
end:
	kt_words_free(filtered);
	return code;
}

/*
 * Adds all letters of accesses to the filter, even letters that are in no word, since new
 * recordings may have them. *met gets only letters that are in a word. If several threads
 * of a process write doorbells, consecutive doorbells count as one, because their number
 * varies with time: the driver submits a wait between two streams only if their channels
 * differ, and which streams share a channel depends on time.
 */
static int leave_out_accesses(struct kt_letter_filter *filter, struct kt_letter_list *met,
			      const kt_words *words)
{
	static const char *const spaces[] = {"fb", "pin", "reg", "sys", "uvm"};
	char letter[16];
	bool shared;

	for (size_t i = 0; i < 2 * sizeof(spaces) / sizeof(spaces[0]); i++) {
		snprintf(letter, sizeof(letter), "%c:%s", i % 2 ? 'W' : 'R', spaces[i / 2]);
		if (kt_letter_is_access(letter)) {
			KT_TRY(kt_letter_list_add(&filter->without, letter));
		}
	}
	for (uint32_t l = 0; l < kt_words_letter_count(words); l++) {
		const char *name = kt_words_letter_name(words, l);

		if (kt_letter_is_access(name)) {
			KT_TRY(kt_letter_list_add(&filter->without, name));
			KT_TRY(kt_letter_list_add(met, name));
		}
	}
	KT_TRY(find_shared_doorbells(&shared, words));
	if (shared) {
		fputs("ktail: several threads write doorbells, so consecutive ones count "
		      "as one\n",
		      stderr);
	}
	return shared ? kt_letter_list_add(&filter->runs, "W:reg") : KT_OK;
}

/* Adds the noisy letters of the words to the filter and to *met, and reports *met. */
static int leave_out_noise(struct kt_letter_filter *filter, struct kt_letter_list *met,
			   const struct kt_noise *noise, const kt_words *words,
			   enum kt_names names)
{
	struct kt_wrap line = kt_wrap_line(stderr, 2);

	for (uint32_t l = 0; l < kt_words_letter_count(words); l++) {
		const char *name = kt_words_letter_name(words, l);

		if (noise->letters[l]) {
			KT_TRY(kt_letter_list_add(&filter->without, name));
			KT_TRY(kt_letter_list_add(met, name));
		}
	}
	kt_wrap_put(&line, "ktail: %zu recordings", noise->recordings);
	if (met->n > 0) {
		kt_wrap_put(&line, ";");
		kt_wrap_words(&line, "left out (accesses, and what varies):");
	}
	for (size_t i = 0; i < met->n; i++) {
		char buffer[KT_LETTER_NAME];
		const char *name = names == KT_NAMES_OFF
					   ? NULL
					   : kt_letter_name(met->items[i], buffer);

		kt_wrap_put(&line, "%s", i ? "," : "");
		kt_wrap_put(&line, " %s", name ? name : met->items[i]);
	}
	kt_wrap_end(&line);
	return KT_OK;
}

/* Records the filter in the words' alphabet. */
static int record_filter(char **alphabet, const struct kt_letter_filter *filter)
{
	kt_alphabet *parsed = NULL;
	char *json = NULL;
	int code;

	if (*alphabet) {
		KT_TRY_END(kt_alphabet_from_json(&parsed, *alphabet, "the traces"));
	}
	if (parsed) {
		KT_TRY_END(kt_letter_filter_copy(&parsed->filter, filter));
		KT_TRY_END(kt_alphabet_json(&json, parsed));
	} else {
		KT_TRY_END(kt_letter_filter_json(&json, filter));
	}
	free(*alphabet);
	*alphabet = json;
end:
	kt_alphabet_free(parsed);
	return code;
}

/* --- k --- */

/* Sets *out to whether each word fits the machine of the other words. */
static int fits(bool *out, const kt_words *words, struct kt_infer_options options)
{
	struct kt_fsm *fsm = NULL;
	kt_check *check = NULL;
	kt_words *rest = NULL;
	uint64_t *fitting = calloc(kt_words_count(words) + 1, sizeof(*fitting));
	int code = KT_OK;

	*out = true;
	if (!fitting) {
		return kt_no_memory("choose k");
	}
	for (size_t i = 0; i < kt_words_count(words) && *out; i++) {
		struct kt_word_info info;
		uint64_t n;

		KT_TRY_END(kt_words_get(words, i, &info, &n));
		KT_TRY_END(kt_words_new(&rest));
		KT_TRY_END(kt_copy_words(rest, words, i, NULL, NULL));
		KT_TRY_END(kt_infer(&fsm, rest, &options));
		KT_TRY_END(kt_check_new(&check, fsm));
		KT_TRY_END(kt_check_words(fitting, check, words));
		*out = fitting[i] == n;
		kt_check_free(check);
		kt_fsm_free(fsm);
		kt_words_free(rest);
		check = NULL;
		fsm = NULL;
		rest = NULL;
	}
end:
	kt_check_free(check);
	kt_fsm_free(fsm);
	kt_words_free(rest);
	free(fitting);
	return code;
}

static uint64_t longest_word(const kt_words *words)
{
	uint64_t longest = 1;

	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		if (kt_words_get(words, i, &info, &n) == KT_OK && n > longest) {
			longest = n;
		}
	}
	return longest;
}

/*
 * Chooses the greatest candidate k with which each word fits the machine of the other
 * words, and reports the k. If all words are `equal`, chooses the length of the longest
 * word.
 */
static int choose_k(struct kt_infer_options *options, const kt_words *words, bool equal)
{
	static const uint64_t candidates[] = {100, 50, 20, 10, 5, 3, 2, 1};
	bool good = equal;

	options->k = longest_word(words);
	if (equal) {
		fprintf(stderr,
			"ktail: k = %" PRIu64 " (the longest word), since the recordings "
			"are otherwise equal\n",
			options->k);
		return KT_OK;
	}
	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]) && !good; i++) {
		options->k = candidates[i];
		KT_TRY(fits(&good, words, *options));
	}
	if (good) {
		fprintf(stderr,
			"ktail: k = %" PRIu64 ", the greatest with which each recording "
			"fits the others' machine\n",
			options->k);
	} else {
		kt_warn("the recordings differ in more than letters that depend on time: "
			"even with k = 1, one does not fit the others' machine, so new "
			"ones may not; record more, or compare threads (--word thread)");
	}
	return KT_OK;
}

/* --- recordings that must not fit --- */

/*
 * Reports at which letter the machine refuses each recording of the other version, or that
 * the recording ends too early. *all becomes false if the machine accepts a recording.
 */
static int try_others(bool *all, const struct kt_fsm *fsm, const kt_words *others,
		      const struct kt_letter_filter *filter)
{
	const struct kt_checker_options options = {.whole = true, .limit = 1};
	kt_checker *checker;
	uint64_t lost = 0;
	int code;

	KT_TRY(kt_checker_new(&checker, fsm, &options));
	code = kt_check_set(checker, others, filter, &lost);
	for (size_t i = 0; i < kt_checker_count(checker) && !code; i++) {
		const struct kt_checked_word *word = kt_checker_word(checker, i);

		if (word->n_misfits > 0) {
			fprintf(stderr,
				"ktail: %s does not fit, from letter %" PRIu64 " on\n",
				word->name, word->misfits[0].index);
		} else if (kt_checker_is_early(checker, word)) {
			fprintf(stderr, "ktail: %s does not fit: it ends too early\n",
				word->name);
		} else {
			*all = false;
			kt_warn("%s fits, too: what is different about it varies among the "
				"recordings, or was left out",
				word->name);
		}
	}
	kt_checker_free(checker);
	return code;
}

int kt_cmd_learn(int argc, char **argv)
{
	struct learn learn = {.operand = KT_OPERAND_OPTIONS_INIT};
	struct kt_load_options *load = &learn.operand.load;
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_noise noise = {.recordings = 0};
	/* only `without` is used: the letters of the words that are left out */
	struct kt_letter_filter met = {.without = {.n = 0}};
	struct kt_fsm *fsm = NULL;
	char *alphabet = NULL;
	kt_words *words = NULL;
	kt_words *others = NULL;
	char *other_alphabet = NULL;
	bool refuses = true;
	bool equal;
	int status;
	int code;
	int n = 0;

	/*
	 * The alphabet rm distinguishes controls and classes, so a changed control or class
	 * does not go unnoticed.
	 */
	load->alphabet = "rm";
	load->drops_accesses = true;
	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &learn)) {
		kt_outputs_clear(&learn.outputs);
		kt_load_options_clear(load);
		free(learn.others);
		return status;
	}
	if (n == 0) {
		code = kt_error(KT_E_USAGE, "no trace given; see ktail learn --help");
		goto end;
	}
	if (!learn.outputs.format && learn.outputs.n == 0) {
		learn.outputs.format = "json";
	}
	KT_TRY_END(kt_outputs_check(&learn.outputs, &kt_output_machine));
	KT_TRY_END(kt_load(&words, &alphabet, argv, n, load));
	if (learn.n_others > 0) {
		KT_TRY_END(kt_load(&others, &other_alphabet, learn.others,
				   (int)learn.n_others, load));
	}
	KT_TRY_END(leave_out_accesses(&load->filter, &met.without, words));
	KT_TRY_END(filter_words(&words, &load->filter));
	KT_TRY_END(kt_noise_find(&noise, words));
	equal = noise.equal;
	if (noise.recordings < 2) {
		code = kt_error(
			KT_E_USAGE,
			"learn from %s: one recording does not show what depends on "
			"time; give several of the same program",
			argv[0]);
		goto end;
	}
	KT_TRY_END(
		leave_out_noise(&load->filter, &met.without, &noise, words, load->names));
	KT_TRY_END(filter_words(&words, &load->filter));
	KT_TRY_END(record_filter(&alphabet, &load->filter));
	options.word = load->word;
	options.alphabet_json = alphabet;
	if (learn.operand.has_k) {
		options.k = learn.operand.k;
	} else {
		KT_TRY_END(choose_k(&options, words, equal));
	}
	KT_TRY_END(kt_infer(&fsm, words, &options));
	fsm->gate = true;
	KT_TRY_END(kt_machine_name_letters(fsm, load->names));
	if (others) {
		KT_TRY_END(try_others(&refuses, fsm, others, &load->filter));
	}
	code = kt_outputs_write(&learn.outputs, fsm, &kt_output_machine);
end:
	kt_words_free(others);
	free(other_alphabet);
	free(learn.others);
	kt_noise_free(&noise);
	kt_letter_filter_clear(&met);
	kt_words_free(words);
	free(alphabet);
	kt_fsm_free(fsm);
	kt_outputs_clear(&learn.outputs);
	kt_load_options_clear(load);
	return code ? kt_cmd_fail(code) : !refuses;
}
