/* SPDX-License-Identifier: MIT */
/* All words of a set. */
#include <ktail/check.h>

#include <stdlib.h>
#include <string.h>

#define BATCH 4096

/* The machine's numbers of a set's letters; the caller frees *out. */
static int number_letters(uint32_t **out, const kt_check *check, const kt_words *words)
{
	size_t n = kt_words_letter_count(words);

	*out = malloc((n + 1) * sizeof(**out));
	if (!*out) {
		return kt_no_memory("read words");
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = kt_words_letter_name(words, (uint32_t)i);

		(*out)[i] = kt_check_letter(check, name, strlen(name));
	}
	return KT_OK;
}

static int read_word(uint64_t *fitting, kt_check_word *word, const kt_words *words,
		     size_t i, const uint32_t *numbers)
{
	uint32_t batch[BATCH];
	struct kt_word_info info;
	uint64_t n;
	bool fits = true;
	int code = kt_words_get(words, i, &info, &n);

	for (uint64_t from = 0; from < n && fits && !code; from += BATCH) {
		size_t m = n - from < BATCH ? (size_t)(n - from) : BATCH;

		code = kt_words_read(words, i, from, m, batch);
		for (size_t j = 0; j < m && fits && !code; j++) {
			code = kt_check_feed(&fits, word, numbers[batch[j]]);
		}
	}
	*fitting = kt_check_position(word);
	return code;
}

int kt_check_words(uint64_t *fitting, const kt_check *check, const kt_words *words)
{
	uint32_t *numbers;
	int code = number_letters(&numbers, check, words);

	for (size_t i = 0; i < kt_words_count(words) && !code; i++) {
		struct kt_word_info info;
		kt_check_word *word = NULL;
		uint64_t n;

		code = kt_words_get(words, i, &info, &n);
		code = code ? code : kt_check_begin(&word, check, info.cut_begin);
		code = code ? code : read_word(&fitting[i], word, words, i, numbers);
		kt_check_end(word);
	}
	free(numbers);
	return code;
}
