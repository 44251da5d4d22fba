/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/json.h"
#include "base/utf8.h"
#include "infer/engine/word-set.h"
#include "infer/merge/settle.h"

#define CHUNK 4096

struct reader {
	const json_t *root; /* Weak */
	kt_kgrams *read;    /* Owned by this: what the file says, in any order */
	size_t counts_capacity;
	size_t n_pieces;
	unsigned char *used; /* Owned by this: by piece, whether it is of a word */
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "out of memory");
}

/* --- head --- */

static int get_alphabet(char **out, const json_t *root)
{
	const json_t *alphabet = json_object_get(root, "alphabet");

	*out = NULL;
	if (!alphabet || json_is_null(alphabet)) {
		return KT_OK;
	}
	if (!json_is_object(alphabet)) {
		return kt_json_mismatch("alphabet", alphabet, "an object or null");
	}
	*out = json_dumps(alphabet, JSON_PRESERVE_ORDER);
	return *out ? KT_OK : out_of_memory();
}

static int read_head(struct reader *r)
{
	char *word = NULL;
	char *alphabet = NULL;
	uint64_t k = 0;
	int code = kt_json_check_text(r->root, "format", KT_KGRAMS_FORMAT);

	code = code ? code : kt_json_check_text(r->root, "machine", "chains");
	code = code ? code : kt_json_get_number(&k, r->root, "k", INT64_MAX);
	code = code ? code : kt_json_get_string(&word, r->root, "word");
	code = code ? code : get_alphabet(&alphabet, r->root);
	code = code ? code : kt_kgrams_new(&r->read, k, word, alphabet);
	free(word);
	free(alphabet);
	return code ? code : kt_words_new(&r->read->strings);
}

static int read_letters(struct reader *r)
{
	const json_t *array = NULL;
	const char *before = NULL;
	int code = kt_json_get_array(&array, r->root, "letters");

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		const char *text = json_string_value(value);
		uint32_t letter;

		if (!text || !json_string_length(value) ||
		    !kt_utf8_is_printable(text, json_string_length(value))) {
			code = kt_json_mismatch("", value,
						"a string, not empty, without control "
						"characters");
		} else if (before && strcmp(before, text) >= 0) {
			code = kt_json_mismatch("", value,
						"greater than the one before (sorted by "
						"bytes, each once)");
		}
		if (code) {
			return kt_json_within(code, "letters", i);
		}
		before = text;
		code = kt_words_letter(&letter, r->read->strings, text, strlen(text));
	}
	return code;
}

/* --- strings of numbers --- */

/* A decimal number up to limit, without zeros in front; *text moves behind it. */
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

/* Between two numbers there is one space. */
static bool take_space(const char **text)
{
	if (**text != ' ') {
		return false;
	}
	(*text)++;
	return **text != '\0';
}

/* Numbers of letters become one more string; they are the member of that name. */
static int read_string(struct reader *r, const json_t *value, const char *member)
{
	const char *text = json_string_value(value);
	const char *begin = text;
	size_t n_letters = kt_words_letter_count(r->read->strings);
	struct kt_word_info info = {.name = "", .cut_begin = true, .cut_end = true};
	uint32_t chunk[CHUNK];
	size_t n = 0;
	int code = text ? kt_words_begin(r->read->strings, &info)
			: kt_json_mismatch(member, value, "a string");

	while (!code && *text) {
		uint64_t letter;

		if (!take_number(&letter, &text, UINT32_MAX) || letter >= n_letters ||
		    (*text && !take_space(&text))) {
			return kt_json_error(
				member,
				"must be numbers below %zu (of \"letters\") with "
				"single spaces between them, and is not at "
				"character %td",
				n_letters, text - begin + 1);
		}
		chunk[n++] = (uint32_t)letter;
		if (n == CHUNK || !*text) {
			code = kt_words_append(r->read->strings, chunk, n);
			n = 0;
		}
	}
	return code;
}

/* How often a count is meant: "*TIMES" or nothing, for once. */
static bool take_times(uint64_t *out, const char **text)
{
	*out = 1;
	if (**text != '*') {
		return true;
	}
	(*text)++;
	return take_number(out, text, INT64_MAX) && *out > 0;
}

/* n counts, those in a row that are equal as COUNT*TIMES. */
static int read_counts(struct reader *r, const json_t *value, uint64_t n)
{
	const char *text = json_string_value(value);
	const char *begin = text;
	kt_kgrams *read = r->read;
	int code = text ? KT_OK : kt_json_mismatch("counts", value, "a string");

	code = code ? code
		    : kt_array_reserve(&read->counts, &r->counts_capacity,
				       read->n_windows + (size_t)n);
	while (!code && n) {
		uint64_t count = 0;
		uint64_t times = 0;

		if (!take_number(&count, &text, INT64_MAX) || count == 0 ||
		    !take_times(&times, &text) || times > n) {
			return kt_json_error("counts",
					     "must be as many numbers above 0 as there are "
					     "windows, and is not at character %td",
					     text - begin + 1);
		}
		n -= times;
		while (times--) {
			read->counts[read->n_windows++] = count;
		}
		if (n && !take_space(&text)) {
			return kt_json_error("counts", "%" PRIu64 " windows have none", n);
		}
	}
	if (!code && *text) {
		return kt_json_error(
			"counts", "are more than there are windows, from character %td on",
			text - begin + 1);
	}
	return code;
}

static int read_path(struct reader *r, const json_t *object)
{
	uint64_t n;
	int code = read_string(r, json_object_get(object, "letters"), "letters");

	if (code) {
		return code;
	}
	n = r->read->strings->words[r->read->n_paths++].n;
	if (n <= r->read->k) {
		return kt_json_error("letters",
				     "has %" PRIu64 " of them, must be k + 1 at least", n);
	}
	return read_counts(r, json_object_get(object, "counts"), n - r->read->k);
}

static int read_paths(struct reader *r)
{
	const json_t *array = NULL;
	int code = kt_json_get_array(&array, r->root, "windows");

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = kt_json_within(read_path(r, json_array_get(array, i)), "windows", i);
	}
	return code;
}

static int read_pieces(struct reader *r)
{
	const json_t *array = NULL;
	int code = kt_json_get_array(&array, r->root, "pieces");

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = read_string(r, json_array_get(array, i), "");
		code = kt_json_within(code, "pieces", i);
		r->n_pieces++;
	}
	return code;
}

/* --- words --- */

static int read_piece(uint32_t *out, struct reader *r, const json_t *object,
		      const char *key)
{
	uint64_t piece = 0;
	int code = kt_json_get_number(&piece, object, key, UINT32_MAX);

	if (!code && piece >= r->n_pieces) {
		return kt_json_mismatch(key, json_object_get(object, key),
					"a number below %zu (of \"pieces\")", r->n_pieces);
	}
	*out = (uint32_t)piece;
	if (!code) {
		r->used[piece] = 1;
	}
	return code;
}

static int read_word(struct reader *r, const json_t *object)
{
	struct kt_kgram_word *word = &r->read->words[r->read->n_words];
	const char *hash = NULL;
	int code = kt_json_get_hash(&hash, object, "hash");

	code = code ? code : kt_json_get_string(&word->name, object, "name");
	if (code) {
		return code;
	}
	memcpy(word->hash, hash, sizeof(word->hash));
	r->read->n_words++;
	code = kt_json_get_number(&word->n, object, "events", INT64_MAX);
	code = code ? code : kt_json_get_number(&word->lost, object, "lost", INT64_MAX);
	code = code ? code : kt_json_get_boolean(&word->cut_begin, object, "cut_begin");
	code = code ? code : kt_json_get_boolean(&word->cut_end, object, "cut_end");
	code = code ? code : read_piece(&word->first, r, object, "first");
	return code ? code : read_piece(&word->last, r, object, "last");
}

static int read_words(struct reader *r)
{
	const json_t *array = NULL;
	int code = kt_json_get_array(&array, r->root, "words");

	if (code) {
		return code;
	}
	r->read->words = calloc(json_array_size(array) + 1, sizeof(*r->read->words));
	r->used = calloc(r->n_pieces + 1, 1);
	if (!r->read->words || !r->used) {
		return out_of_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = kt_json_within(read_word(r, json_array_get(array, i)), "words", i);
	}
	for (size_t i = 0; !code && i < r->n_pieces; i++) {
		if (!r->used[i]) {
			code = kt_json_within(kt_json_error("", "no word has it"), "pieces",
					      i);
		}
	}
	return code;
}

static int read_members(struct reader *r)
{
	int code = read_head(r);

	code = code ? code : read_letters(r);
	code = code ? code : read_paths(r);
	code = code ? code : read_pieces(r);
	return code ? code : read_words(r);
}

/* What the file says, in canonical form. */
static int settle(kt_kgrams **out, const kt_kgrams *read)
{
	int code = kt_kgrams_new(out, read->k, read->word, read->alphabet_json);

	code = code ? code : kt_kgrams_settle_parts(*out, &read, 1, true);
	if (code) {
		kt_kgrams_free(*out);
		*out = NULL;
	}
	return code;
}

int kt_kgrams_read(kt_kgrams **out, FILE *in, const char *name)
{
	struct reader r = {0};
	json_t *root = NULL;
	int code = kt_json_load(&root, in, name);

	*out = NULL;
	if (code) {
		return code;
	}
	r.root = root;
	code = read_members(&r);
	json_decref(root);
	code = code ? code : settle(out, r.read);
	kt_kgrams_free(r.read);
	free(r.used);
	return code ? kt_error_prepend(code, "read %s", name) : KT_OK;
}
