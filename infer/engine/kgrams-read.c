/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/json.h"
#include "base/utf8.h"
#include "infer/engine/settle.h"
#include "infer/engine/word-set.h"

#define CHUNK 4096

struct reader {
	const json_t *root; /* Weak */
	kt_kgrams *read;    /* Owned by this: what the file says, in any order */
	size_t counts_capacity;
	size_t n_pieces;
	unsigned char *used; /* Owned by this: by piece, whether it is of a word */
};

static int malformed(const char *what)
{
	return kt_error(KT_E_MALFORMED, "%s", what);
}

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "out of memory");
}

static int get_boolean(bool *out, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	*out = json_is_true(value);
	return json_is_boolean(value)
		       ? KT_OK
		       : kt_error(KT_E_MALFORMED, "\"%s\" is neither true nor false", key);
}

static int get_array(const json_t **out, const json_t *root, const char *key)
{
	*out = json_object_get(root, key);
	if (!json_is_array(*out) || json_array_size(*out) >= UINT32_MAX) {
		return kt_error(KT_E_MALFORMED, "\"%s\" is no array", key);
	}
	return KT_OK;
}

static int check_text(const char *have, const char *want, const char *key)
{
	if (!have || strcmp(have, want) != 0) {
		return kt_error(KT_E_MALFORMED, "\"%s\" is not \"%s\"", key, want);
	}
	return KT_OK;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
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
		return malformed("\"alphabet\" is neither an object nor null");
	}
	*out = json_dumps(alphabet, JSON_PRESERVE_ORDER);
	return *out ? KT_OK : out_of_memory();
}

static int read_head(struct reader *r)
{
	const char *word = text_of(r->root, "word");
	char *alphabet = NULL;
	uint64_t k = 0;
	int code = check_text(text_of(r->root, "format"), KT_KGRAMS_FORMAT, "format");

	code = code ? code : check_text(text_of(r->root, "machine"), "chains", "machine");
	code = code ? code : kt_json_get_number(&k, r->root, "k", INT64_MAX);
	if (!code && !word) {
		code = malformed("\"word\" is no string");
	}
	code = code ? code : get_alphabet(&alphabet, r->root);
	code = code ? code : kt_kgrams_new(&r->read, k, word, alphabet);
	free(alphabet);
	return code ? code : kt_words_new(&r->read->strings);
}

static int read_letters(struct reader *r)
{
	const json_t *array = NULL;
	const char *before = NULL;
	int code = get_array(&array, r->root, "letters");

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		const char *text = json_string_value(value);
		uint32_t letter;

		if (!text || !json_string_length(value) ||
		    !kt_utf8_is_printable(text, json_string_length(value))) {
			return malformed("a letter is no text without control characters");
		}
		if (before && strcmp(before, text) >= 0) {
			return malformed("\"letters\" are not sorted or not distinct");
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

/* Numbers of letters become one more string. */
static int read_string(struct reader *r, const char *text)
{
	size_t n_letters = kt_words_letter_count(r->read->strings);
	struct kt_word_info info = {.name = "", .cut_begin = true, .cut_end = true};
	uint32_t chunk[CHUNK];
	size_t n = 0;
	int code = kt_words_begin(r->read->strings, &info);

	while (!code && *text) {
		uint64_t letter;

		if (!take_number(&letter, &text, UINT32_MAX) || letter >= n_letters ||
		    (*text && !take_space(&text))) {
			return malformed("letters are no numbers of \"letters\" with "
					 "single spaces between them");
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
static int read_counts(struct reader *r, const char *text, uint64_t n)
{
	kt_kgrams *read = r->read;
	int code = kt_array_reserve(&read->counts, &r->counts_capacity,
				    read->n_windows + (size_t)n);

	while (!code && n) {
		uint64_t count = 0;
		uint64_t times = 0;

		if (!take_number(&count, &text, INT64_MAX) || count == 0 ||
		    !take_times(&times, &text) || times > n) {
			return malformed("\"counts\" are not as many numbers above 0 as "
					 "there are windows");
		}
		n -= times;
		while (times--) {
			read->counts[read->n_windows++] = count;
		}
		if (n && !take_space(&text)) {
			return malformed("\"counts\" are fewer than there are windows");
		}
	}
	if (!code && *text) {
		return malformed("\"counts\" are more than there are windows");
	}
	return code;
}

static int read_path(struct reader *r, const json_t *object)
{
	const char *letters = text_of(object, "letters");
	const char *counts = text_of(object, "counts");
	uint64_t n;
	int code;

	if (!letters || !counts) {
		return malformed("one of \"windows\" lacks \"letters\" or \"counts\"");
	}
	code = read_string(r, letters);
	if (code) {
		return code;
	}
	n = r->read->strings->words[r->read->n_paths++].n;
	if (n <= r->read->k) {
		return malformed("one of \"windows\" has fewer than k + 1 letters");
	}
	return read_counts(r, counts, n - r->read->k);
}

static int read_paths(struct reader *r)
{
	const json_t *array = NULL;
	int code = get_array(&array, r->root, "windows");

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = read_path(r, json_array_get(array, i));
	}
	return code;
}

static int read_pieces(struct reader *r)
{
	const json_t *array = NULL;
	int code = get_array(&array, r->root, "pieces");

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));

		code = text ? read_string(r, text) : malformed("a piece is no string");
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
		return kt_error(KT_E_MALFORMED, "\"%s\" is none of \"pieces\"", key);
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
	const char *name = text_of(object, "name");
	const char *hash = text_of(object, "hash");
	int code;

	if (!name || !hash || strlen(hash) != KT_HASH_SIZE - 1 ||
	    strspn(hash, "0123456789abcdef") != KT_HASH_SIZE - 1) {
		return malformed("a word lacks a \"name\" or a \"hash\" of 32 hex digits");
	}
	memcpy(word->hash, hash, sizeof(word->hash));
	word->name = strdup(name);
	if (!word->name) {
		return out_of_memory();
	}
	r->read->n_words++;
	code = kt_json_get_number(&word->n, object, "events", INT64_MAX);
	code = code ? code : kt_json_get_number(&word->lost, object, "lost", INT64_MAX);
	code = code ? code : get_boolean(&word->cut_begin, object, "cut_begin");
	code = code ? code : get_boolean(&word->cut_end, object, "cut_end");
	code = code ? code : read_piece(&word->first, r, object, "first");
	return code ? code : read_piece(&word->last, r, object, "last");
}

static int read_words(struct reader *r)
{
	const json_t *array = NULL;
	int code = get_array(&array, r->root, "words");

	if (code) {
		return code;
	}
	r->read->words = calloc(json_array_size(array) + 1, sizeof(*r->read->words));
	r->used = calloc(r->n_pieces + 1, 1);
	if (!r->read->words || !r->used) {
		return out_of_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = read_word(r, json_array_get(array, i));
	}
	for (size_t i = 0; !code && i < r->n_pieces; i++) {
		if (!r->used[i]) {
			code = malformed("one of \"pieces\" is of no word");
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
