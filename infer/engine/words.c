/* SPDX-License-Identifier: MIT */
#include <ktail/words.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"
#include "infer/engine/word-set.h"

#define NAMES_MAX    ((size_t)INT32_MAX)
#define MESSAGE_NAME 64 /* bytes of an overlong name shown in a message */

static void clear_names(struct kt_intern *intern)
{
	for (size_t i = 0; i < intern->n_names; i++) {
		free(intern->names[i].text);
	}
	free(intern->names);
	kt_hash_free(&intern->index);
	*intern = (struct kt_intern){0};
}

int kt_words_new(kt_words **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_no_memory("make word set");
	}
	(*out)->width = 1;
	return KT_OK;
}

void kt_words_free(kt_words *words)
{
	if (!words) {
		return;
	}
	for (size_t i = 0; i < words->n_words; i++) {
		free(words->words[i].name);
	}
	for (size_t i = 0; i < words->n_recordings; i++) {
		kt_versions_clear(words->recordings[i]);
		free(words->recordings[i]);
	}
	free(words->recordings);
	clear_names(&words->letters);
	free(words->words);
	free(words->store);
	free(words);
}

int kt_words_letter(uint32_t *out, kt_words *words, const char *name, size_t length)
{
	struct kt_intern *intern = &words->letters;
	uint32_t hash = (uint32_t)XXH3_64bits(name, length);
	struct kt_hash_probe probe = kt_hash_probe(&intern->index, hash);
	struct kt_name *added;
	uint32_t number;

	while (kt_hash_next(&intern->index, &probe, &number)) {
		const struct kt_name *known = &intern->names[number];

		if (known->length == length && memcmp(known->text, name, length) == 0) {
			*out = number;
			return KT_OK;
		}
	}
	if (length == 0) {
		return kt_error(KT_E_MALFORMED, "add letter: it has no name");
	}
	if (!kt_utf8_is_printable(name, length)) {
		return kt_error(KT_E_MALFORMED, "add letter: its name is not valid UTF-8 "
						"or contains control characters");
	}
	if (length > UINT32_MAX - 1 || intern->n_names >= NAMES_MAX) {
		return kt_error(KT_E_MALFORMED, "add letter \"%.*s...\": %s", MESSAGE_NAME,
				name,
				length > UINT32_MAX - 1 ? "too long" : "too many letters");
	}
	KT_TRY(kt_array_reserve(&intern->names, &intern->names_capacity,
				intern->n_names + 1));
	if (kt_hash_reserve(&intern->index, intern->n_names + 1)) {
		return kt_no_memory("add letter");
	}
	added = &intern->names[intern->n_names];
	added->text = malloc(length + 1);
	if (!added->text) {
		return kt_no_memory("add letter");
	}
	memcpy(added->text, name, length);
	added->text[length] = '\0';
	added->length = (uint32_t)length;
	*out = (uint32_t)intern->n_names++;
	kt_hash_put(&intern->index, hash, *out);
	return KT_OK;
}

/*
 * Finds or adds a list of versions. The search begins at the last list, since most words
 * have the same list as the word before.
 */
static int find_recording(size_t *out, struct kt_words *words,
			  const struct kt_versions *versions)
{
	struct kt_versions *added;

	*out = KT_NO_RECORDING;
	if (!versions || versions->n == 0) {
		return KT_OK;
	}
	for (size_t i = words->n_recordings; i > 0; i--) {
		if (kt_versions_equal(words->recordings[i - 1], versions)) {
			*out = i - 1;
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&words->recordings, &words->recordings_capacity,
				words->n_recordings + 1));
	added = calloc(1, sizeof(*added));
	if (!added) {
		return kt_no_memory("describe word");
	}
	*out = words->n_recordings;
	words->recordings[words->n_recordings++] = added;
	return kt_versions_add_all(added, versions);
}

int kt_words_versions(struct kt_versions *out, const kt_words *words)
{
	for (size_t i = 0; i < words->n_recordings; i++) {
		KT_TRY(kt_versions_add_all(out, words->recordings[i]));
	}
	return KT_OK;
}

static int describe(struct kt_words *words, struct kt_word *word,
		    const struct kt_word_info *info)
{
	char *name = info->name ? strdup(info->name) : NULL;
	int code;

	if (!info->name) {
		return kt_error(KT_E_USAGE, "describe word: it has no name");
	}
	if (!name) {
		return kt_no_memory("describe word");
	}
	code = find_recording(&word->recording, words, info->versions);
	if (code) {
		free(name);
		return code;
	}
	free(word->name);
	word->name = name;
	word->lost = info->lost;
	word->cut_begin = info->cut_begin;
	word->cut_end = info->cut_end;
	return KT_OK;
}

int kt_words_begin(kt_words *words, const struct kt_word_info *info)
{
	struct kt_word word = {.begin = words->total};

	KT_TRY(kt_array_reserve(&words->words, &words->words_capacity, words->n_words + 1));
	KT_TRY(describe(words, &word, info));
	words->words[words->n_words++] = word;
	return KT_OK;
}

int kt_words_describe(kt_words *words, const struct kt_word_info *info)
{
	if (!words->n_words) {
		return kt_error(KT_E_USAGE, "describe word: no word is open");
	}
	return describe(words, &words->words[words->n_words - 1], info);
}

static void put_letter(unsigned char *store, unsigned width, uint64_t index,
		       uint32_t letter)
{
	uint16_t half = (uint16_t)letter;

	if (width == 1) {
		store[index] = (unsigned char)letter;
	} else if (width == 2) {
		memcpy(store + index * 2, &half, sizeof(half));
	} else {
		memcpy(store + index * 4, &letter, sizeof(letter));
	}
}

static int reserve(kt_words *words, uint64_t letters, unsigned width)
{
	if (letters > SIZE_MAX / width) {
		return kt_error(KT_E_MEMORY, "append letters: too many");
	}
	return kt_array_reserve(&words->store, &words->store_capacity,
				(size_t)letters * width);
}

int kt_words_append(kt_words *words, const uint32_t *letters, size_t n)
{
	uint32_t greatest = 0;
	unsigned width;

	if (!words->n_words) {
		return kt_error(KT_E_USAGE, "append letters: no word is open");
	}
	for (size_t i = 0; i < n; i++) {
		greatest = letters[i] > greatest ? letters[i] : greatest;
	}
	if (n && greatest >= words->letters.n_names) {
		return kt_error(KT_E_USAGE, "append letters: there is no letter %u",
				greatest);
	}
	/* The greatest letter number determines the width that the store must have. */
	width = greatest > UINT16_MAX ? 4 : greatest > UINT8_MAX ? 2 : 1;
	if (n > UINT64_MAX - words->total) {
		return kt_error(KT_E_MEMORY, "append letters: too many");
	}
	if (width > words->width) {
		KT_TRY(reserve(words, words->total, width));
		/*
		 * Widen from last to first, since wide elements overlap the narrow ones.
		 */
		for (uint64_t i = words->total; i-- > 0;) {
			put_letter(words->store, width, i, kt_word_set_letter(words, i));
		}
		words->width = width;
	}
	KT_TRY(reserve(words, words->total + n, words->width));
	for (size_t i = 0; i < n; i++) {
		put_letter(words->store, words->width, words->total + i, letters[i]);
	}
	words->total += n;
	words->words[words->n_words - 1].n += n;
	return KT_OK;
}

size_t kt_words_count(const kt_words *words)
{
	return words->n_words;
}

uint64_t kt_words_total(const kt_words *words)
{
	return words->total;
}

size_t kt_words_letter_count(const kt_words *words)
{
	return words->letters.n_names;
}

const char *kt_words_letter_name(const kt_words *words, uint32_t letter)
{
	return letter < words->letters.n_names ? words->letters.names[letter].text : NULL;
}

int kt_words_get(const kt_words *words, size_t i, struct kt_word_info *info, uint64_t *n)
{
	const struct kt_word *word;

	if (i >= words->n_words) {
		return kt_error(KT_E_USAGE, "read word: there is no word %zu", i);
	}
	word = &words->words[i];
	info->name = word->name;
	info->lost = word->lost;
	info->cut_begin = word->cut_begin;
	info->cut_end = word->cut_end;
	info->versions = word->recording == KT_NO_RECORDING
				 ? NULL
				 : words->recordings[word->recording];
	*n = word->n;
	return KT_OK;
}

int kt_words_read(const kt_words *words, size_t i, uint64_t from, size_t n, uint32_t *out)
{
	if (i >= words->n_words) {
		return kt_error(KT_E_USAGE, "read word: there is no word %zu", i);
	}
	if (from > words->words[i].n || n > words->words[i].n - from) {
		return kt_error(KT_E_USAGE, "read word %zu: it has no letters %llu to %llu",
				i, (unsigned long long)from, (unsigned long long)from + n);
	}
	for (size_t j = 0; j < n; j++) {
		out[j] = kt_word_set_letter(words, words->words[i].begin + from + j);
	}
	return KT_OK;
}
