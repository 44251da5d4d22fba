/* SPDX-License-Identifier: MIT */
#include "infer/ktail/copy-words.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define CHUNK 4096

static int copy_letters(kt_words *out, const kt_words *words, size_t i, uint64_t n,
			const uint32_t *numbers)
{
	uint32_t chunk[CHUNK];
	int code = KT_OK;

	for (uint64_t from = 0; from < n && !code; from += CHUNK) {
		size_t m = n - from < CHUNK ? (size_t)(n - from) : CHUNK;

		code = kt_words_read(words, i, from, m, chunk);
		for (size_t j = 0; j < m && !code; j++) {
			chunk[j] = numbers[chunk[j]];
		}
		code = code ? code : kt_words_append(out, chunk, m);
	}
	return code;
}

static int copy_word(kt_words *out, const kt_words *words, size_t i,
		     const uint32_t *numbers)
{
	struct kt_word_info info;
	uint64_t n;
	int code = kt_words_get(words, i, &info, &n);

	code = code ? code : kt_words_begin(out, &info);
	return code ? code : copy_letters(out, words, i, n, numbers);
}

/* The numbers of all letters in another set. */
static int number_letters(uint32_t *numbers, kt_words *out, const kt_words *words)
{
	int code = KT_OK;

	for (uint32_t i = 0; i < kt_words_letter_count(words) && !code; i++) {
		const char *name = kt_words_letter_name(words, i);

		code = kt_words_letter(&numbers[i], out, name, strlen(name));
	}
	return code;
}

int kt_copy_words(kt_words *out, const kt_words *words, size_t left_out)
{
	uint32_t *numbers = calloc(kt_words_letter_count(words) + 1, sizeof(*numbers));
	int code;

	if (!numbers) {
		return kt_error(KT_E_MEMORY, "copy words: out of memory");
	}
	code = number_letters(numbers, out, words);
	for (size_t i = 0; i < kt_words_count(words) && !code; i++) {
		code = i == left_out ? KT_OK : copy_word(out, words, i, numbers);
	}
	free(numbers);
	return code;
}
