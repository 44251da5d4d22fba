/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/fsm-json.h"
#include "base/json.h"
#include "base/try.h"
#include "base/utf8.h"
#include "infer/engine/word-set.h"
#include "infer/merge/kgram-set.h"

#define CHUNK 4096

struct reader {
	const json_t *root; /* Weak */
	kt_kgrams *read;    /* Owned by this: contents of the file, not yet canonical */
	size_t counts_capacity;
	size_t n_pieces;
	/* Owned by this: for each piece, whether a word refers to it */
	unsigned char *used;
};

/* --- head --- */

static int read_head(struct reader *r)
{
	const json_t *object = json_object_get(r->root, "alphabet");
	char *word = NULL;
	char *alphabet = NULL;
	uint64_t k = 0;
	int code;

	KT_TRY(kt_json_check_text(r->root, "format", KT_KGRAMS_FORMAT));
	KT_TRY(kt_json_check_text(r->root, "machine", "chains"));
	KT_TRY(kt_json_get_number(&k, r->root, "k", INT64_MAX));
	KT_TRY_END(kt_json_get_string(&word, r->root, "word"));
	if (object && !json_is_null(object)) {
		if (!json_is_object(object)) {
			code = kt_json_mismatch("alphabet", object, "an object or null");
			goto end;
		}
		alphabet = json_dumps(object, JSON_PRESERVE_ORDER);
		if (!alphabet) {
			code = kt_error(KT_E_MEMORY, "out of memory");
			goto end;
		}
	}
	KT_TRY_END(kt_kgrams_new(&r->read, k, word, alphabet));
	code = kt_words_new(&r->read->strings);
end:
	free(word);
	free(alphabet);
	return code;
}

static int read_letters(struct reader *r)
{
	const json_t *array = NULL;
	const char *before = NULL;

	KT_TRY(kt_json_get_array(&array, r->root, "letters"));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		const char *text = json_string_value(value);
		uint32_t letter;
		int code = KT_OK;

		if (!text || !json_string_length(value) ||
		    !kt_utf8_is_printable(text, json_string_length(value))) {
			code = kt_json_mismatch("", value,
						"a string, not empty, without control "
						"characters");
		} else if (before && strcmp(before, text) >= 0) {
			code = kt_json_mismatch("", value,
						"greater than the previous one (sorted by "
						"bytes, without duplicates)");
		}
		KT_TRY(kt_json_within(code, "letters", i));
		before = text;
		KT_TRY(kt_words_letter(&letter, r->read->strings, text, strlen(text)));
	}
	return KT_OK;
}

/* --- strings of numbers --- */

/*
 * Reads a decimal number of at most `limit`, without leading zeros, and moves *text to its
 * end. Returns false if there is no such number.
 */
static bool take_number(uint64_t *out, const char **text, uint64_t limit)
{
	const char *at = *text;
	uint64_t number = 0;

	if (*at < '0' || *at > '9' || (*at == '0' && at[1] >= '0' && at[1] <= '9')) {
		return false;
	}
	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (number > (limit - digit) / 10) {
			return false;
		}
		number = number * 10 + digit;
	}
	*out = number;
	*text = at;
	return true;
}

/*
 * Reads the space between two numbers. Returns false if there is no space or nothing
 * follows it.
 */
static bool take_space(const char **text)
{
	if (**text != ' ') {
		return false;
	}
	(*text)++;
	return **text != '\0';
}

/*
 * Appends a string whose letters are the numbers in the JSON string `value`. `member` names
 * that string in error messages.
 */
static int read_string(struct reader *r, const json_t *value, const char *member)
{
	const char *text = json_string_value(value);
	const char *begin = text;
	size_t n_letters = kt_words_letter_count(r->read->strings);
	struct kt_word_info info = {.name = "", .cut_begin = true, .cut_end = true};
	uint32_t chunk[CHUNK];
	size_t n = 0;

	if (!text) {
		return kt_json_mismatch(member, value, "a string");
	}
	KT_TRY(kt_words_begin(r->read->strings, &info));
	while (*text) {
		uint64_t letter;

		if (!take_number(&letter, &text, UINT32_MAX) || letter >= n_letters ||
		    (*text && !take_space(&text))) {
			return kt_json_error(
				member,
				"must be numbers below %zu (of \"letters\") separated by "
				"single spaces, and is not from character %td on",
				n_letters, text - begin + 1);
		}
		chunk[n++] = (uint32_t)letter;
		if (n == CHUNK || !*text) {
			KT_TRY(kt_words_append(r->read->strings, chunk, n));
			n = 0;
		}
	}
	return KT_OK;
}

/*
 * Reads the counts of n windows. "COUNT*TIMES" stands for TIMES equal counts, "COUNT" for
 * one.
 */
static int read_counts(struct reader *r, const json_t *value, uint64_t n)
{
	const char *text = json_string_value(value);
	const char *begin = text;
	kt_kgrams *read = r->read;

	if (!text) {
		return kt_json_mismatch("counts", value, "a string");
	}
	KT_TRY(kt_array_reserve(&read->counts, &r->counts_capacity,
				read->n_windows + (size_t)n));
	while (n) {
		uint64_t count = 0;
		uint64_t times = 1;
		bool right = take_number(&count, &text, INT64_MAX) && count > 0;

		if (right && *text == '*') {
			text++;
			right = take_number(&times, &text, INT64_MAX) && times > 0;
		}
		if (!right || times > n) {
			return kt_json_error("counts",
					     "must be one number above 0 for each window, "
					     "and is not from character %td on",
					     text - begin + 1);
		}
		n -= times;
		while (times--) {
			read->counts[read->n_windows++] = count;
		}
		if (n && !take_space(&text)) {
			return kt_json_error("counts", "%" PRIu64 " window%s no count", n,
					     n == 1 ? " has" : "s have");
		}
	}
	if (*text) {
		return kt_json_error(
			"counts",
			"has more numbers than there are windows, from character %td on",
			text - begin + 1);
	}
	return KT_OK;
}

static int read_strings(struct reader *r)
{
	const json_t *array = NULL;
	kt_kgrams *read = r->read;

	KT_TRY(kt_json_get_array(&array, r->root, "windows"));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *path = json_array_get(array, i);
		int code = read_string(r, json_object_get(path, "letters"), "letters");
		uint64_t n;

		KT_TRY(kt_json_within(code, "windows", i));
		n = read->strings->words[read->n_paths++].n;
		code = n > read->k ? read_counts(r, json_object_get(path, "counts"),
						 n - read->k)
				   : kt_json_error("letters",
						   "has %" PRIu64
						   " letters, must have at least k + 1",
						   n);
		KT_TRY(kt_json_within(code, "windows", i));
	}
	KT_TRY(kt_json_get_array(&array, r->root, "pieces"));
	for (size_t i = 0; i < json_array_size(array); i++) {
		KT_TRY(kt_json_within(read_string(r, json_array_get(array, i), ""),
				      "pieces", i));
		r->n_pieces++;
	}
	return KT_OK;
}

/* --- words --- */

static int read_piece(uint32_t *out, struct reader *r, const json_t *object,
		      const char *key)
{
	uint64_t piece = 0;

	KT_TRY(kt_json_get_number(&piece, object, key, UINT32_MAX));
	if (piece >= r->n_pieces) {
		return kt_json_mismatch(key, json_object_get(object, key),
					"a number below %zu (of \"pieces\")", r->n_pieces);
	}
	*out = (uint32_t)piece;
	r->used[piece] = 1;
	return KT_OK;
}

static int read_word(struct reader *r, const json_t *object)
{
	struct kt_kgram_word *word = &r->read->words[r->read->n_words];
	const char *hash = NULL;

	KT_TRY(kt_json_get_hash(&hash, object, "hash"));
	KT_TRY(kt_json_get_string(&word->name, object, "name"));
	memcpy(word->hash, hash, sizeof(word->hash));
	r->read->n_words++;
	KT_TRY(kt_json_get_number(&word->n, object, "events", INT64_MAX));
	KT_TRY(kt_json_get_number(&word->lost, object, "lost", INT64_MAX));
	KT_TRY(kt_json_get_boolean(&word->cut_begin, object, "cut_begin"));
	KT_TRY(kt_json_get_boolean(&word->cut_end, object, "cut_end"));
	KT_TRY(read_piece(&word->first, r, object, "first"));
	return read_piece(&word->last, r, object, "last");
}

static int read_words(struct reader *r)
{
	const json_t *array = NULL;

	KT_TRY(kt_json_get_array(&array, r->root, "words"));
	r->read->words = calloc(json_array_size(array) + 1, sizeof(*r->read->words));
	r->used = calloc(r->n_pieces + 1, 1);
	if (!r->read->words || !r->used) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		KT_TRY(kt_json_within(read_word(r, json_array_get(array, i)), "words", i));
	}
	for (size_t i = 0; i < r->n_pieces; i++) {
		if (!r->used[i]) {
			return kt_json_within(kt_json_error("", "occurs in no word"),
					      "pieces", i);
		}
	}
	return KT_OK;
}

int kt_kgrams_read(kt_kgrams **out, FILE *in, const char *name)
{
	struct reader r = {0};
	json_t *root = NULL;
	const kt_kgrams *part;
	int code;

	*out = NULL;
	KT_TRY(kt_json_load(&root, in, name));
	r.root = root;
	KT_TRY_END(read_head(&r));
	KT_TRY_END(read_letters(&r));
	KT_TRY_END(read_strings(&r));
	KT_TRY_END(read_words(&r));
	KT_TRY_END(kt_versions_read_json(&r.read->versions, root));
	json_decref(root);
	root = NULL;
	/* Bring the contents of the file into canonical form. */
	part = r.read;
	KT_TRY_END(kt_kgrams_new(out, part->k, part->word, part->alphabet_json));
	code = kt_kgrams_settle_parts(*out, &part, 1, true);
end:
	json_decref(root);
	kt_kgrams_free(r.read);
	free(r.used);
	if (code) {
		kt_kgrams_free(*out);
		*out = NULL;
		return kt_error_prepend(code, "read %s", name);
	}
	return KT_OK;
}

/* --- writing --- */

static int write_text(FILE *out, const char *text, const char *what)
{
	size_t length = strlen(text);
	json_t *string;
	size_t n;
	int failed;

	for (size_t i = 0; i < length; i += n) {
		n = kt_utf8_sequence(text + i, length - i);
		if (n == 0) {
			return kt_error(KT_E_MALFORMED,
					"write statistics: %s is not valid UTF-8", what);
		}
	}
	string = json_string(text);
	failed = !string || json_dumpf(string, out, JSON_ENCODE_ANY) != 0;
	json_decref(string);
	return failed && !ferror(out) ? kt_no_memory("write statistics")
				      : KT_OK; /* kt_kgrams_write() reports stream errors */
}

static const char *boolean(bool value)
{
	return value ? "true" : "false";
}

/*
 * Writes the letters as one JSON string of numbers, because reading such a string is ten
 * times as fast as reading an array of JSON numbers.
 */
static void write_letters(const kt_kgrams *kgrams, size_t string, FILE *out)
{
	const struct kt_word *word = &kgrams->strings->words[string];

	putc('"', out);
	for (uint64_t i = 0; i < word->n; i++) {
		fprintf(out, i ? " %" PRIu32 : "%" PRIu32,
			kt_word_set_letter(kgrams->strings, word->begin + i));
	}
	putc('"', out);
}

/*
 * Writes the counts. Equal consecutive counts are written once, for example "3*120" for 120
 * counts of 3.
 */
static void write_counts(const uint64_t *counts, uint64_t n, FILE *out)
{
	uint64_t run;

	putc('"', out);
	for (uint64_t i = 0; i < n; i += run) {
		for (run = 1; i + run < n && counts[i + run] == counts[i]; run++) {
		}
		fprintf(out, i ? " %" PRIu64 : "%" PRIu64, counts[i]);
		if (run > 1) {
			fprintf(out, "*%" PRIu64, run);
		}
	}
	putc('"', out);
}

static int write_versions(const struct kt_versions *versions, FILE *out)
{
	for (size_t i = 0; i < versions->n; i++) {
		const struct kt_version *row = &versions->rows[i];
		const char *const members[] = {"what", row->what, "version", row->version,
					       "id",   row->id,   "detail",  row->detail};

		fputs(i ? ",\n    {" : "  \"versions\": [\n    {", out);
		for (size_t j = 0; j < sizeof(members) / sizeof(members[0]); j += 2) {
			if (members[j + 1][0]) {
				fprintf(out, "%s\"%s\": ", j ? ", " : "", members[j]);
				KT_TRY(write_text(out, members[j + 1], "a version"));
			}
		}
		putc('}', out);
	}
	fputs(versions->n ? "\n  ],\n" : "", out);
	return KT_OK;
}

int kt_kgrams_write(const kt_kgrams *kgrams, FILE *out)
{
	const uint64_t *counts = kgrams->counts;
	size_t n_strings = kt_words_count(kgrams->strings);

	fprintf(out,
		"{ \"format\": \"" KT_KGRAMS_FORMAT "\", \"k\": %" PRIu64
		", \"machine\": \"chains\", \"word\": ",
		kgrams->k);
	KT_TRY(write_text(out, kgrams->word, "the unit of words"));
	fprintf(out, ",\n  \"alphabet\": %s,\n  \"letters\": [",
		kgrams->alphabet_json ? kgrams->alphabet_json : "null");
	for (uint32_t i = 0; i < kt_words_letter_count(kgrams->strings); i++) {
		fputs(i ? ", " : "", out);
		KT_TRY(write_text(out, kt_words_letter_name(kgrams->strings, i),
				  "a letter"));
	}
	fputs("],\n", out);
	KT_TRY(write_versions(&kgrams->versions, out));
	fputs("  \"words\": [", out);
	for (size_t i = 0; i < kgrams->n_words; i++) {
		const struct kt_kgram_word *word = &kgrams->words[i];

		fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
		KT_TRY(write_text(out, word->name, "a word's name"));
		fprintf(out,
			", \"events\": %" PRIu64 ", \"lost\": %" PRIu64
			", \"cut_begin\": %s, \"cut_end\": %s, \"hash\": \"%s\", "
			"\"first\": %" PRIu32 ", \"last\": %" PRIu32 "}",
			word->n, word->lost, boolean(word->cut_begin),
			boolean(word->cut_end), word->hash, word->first, word->last);
	}
	fputs(kgrams->n_words ? "\n  ],\n" : "],\n", out);

	fputs("  \"pieces\": [", out);
	for (size_t i = kgrams->n_paths; i < n_strings; i++) {
		fputs(i > kgrams->n_paths ? ",\n    " : "\n    ", out);
		write_letters(kgrams, i, out);
	}
	fputs(n_strings > kgrams->n_paths ? "\n  ],\n" : "],\n", out);
	fputs("  \"windows\": [", out);
	for (size_t i = 0; i < kgrams->n_paths; i++) {
		uint64_t n = kgrams->strings->words[i].n - kgrams->k;

		fputs(i ? ",\n    {\"letters\": " : "\n    {\"letters\": ", out);
		write_letters(kgrams, i, out);
		fputs(", \"counts\": ", out);
		write_counts(counts, n, out);
		putc('}', out);
		counts += n;
	}
	fputs(kgrams->n_paths ? "\n  ]\n}\n" : "]\n}\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write statistics") : KT_OK;
}
