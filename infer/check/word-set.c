/* SPDX-License-Identifier: MIT */
/* Words that are there already. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/check/sources.h"

#define BATCH 4096

/* The checker's numbers of a set's letters; the caller frees *out. */
static int number_letters(uint32_t **out, kt_checker *checker, const kt_words *words)
{
	size_t n = kt_words_letter_count(words);
	int code = KT_OK;

	*out = malloc((n + 1) * sizeof(**out));
	if (!*out) {
		return kt_no_memory("check words");
	}
	for (size_t i = 0; i < n && !code; i++) {
		const char *name = kt_words_letter_name(words, (uint32_t)i);

		code = kt_checker_letter(checker, &(*out)[i], name, strlen(name));
	}
	return code;
}

static int take_letters(kt_checker *checker, size_t number, const kt_words *words, size_t i,
			uint64_t n, const uint32_t *numbers)
{
	static const struct kt_place nowhere = {.known = false};
	uint32_t batch[BATCH];
	int code = KT_OK;

	for (uint64_t from = 0; from < n && !code; from += BATCH) {
		size_t m = n - from < BATCH ? (size_t)(n - from) : BATCH;

		code = kt_words_read(words, i, from, m, batch);
		for (size_t j = 0; j < m && !code; j++) {
			code = kt_checker_take(checker, number, numbers[batch[j]],
					       &nowhere);
		}
	}
	return code;
}

static int check_word(kt_checker *checker, const kt_words *words, size_t i,
		      const uint32_t *numbers)
{
	struct kt_word_info info;
	size_t number;
	uint64_t n;
	int code = kt_words_get(words, i, &info, &n);

	code = code ? code : kt_checker_begin(checker, &number, info.cut_begin, false);
	if (code) {
		return code;
	}
	code = kt_checker_describe(checker, number, &info);
	code = code ? code : take_letters(checker, number, words, i, n, numbers);
	kt_checker_end(checker, number);
	return code;
}

int kt_check_set(kt_checker *checker, const kt_words *words)
{
	uint32_t *numbers;
	int code = number_letters(&numbers, checker, words);

	for (size_t i = 0; i < kt_words_count(words) && !code; i++) {
		code = check_word(checker, words, i, numbers);
	}
	free(numbers);
	return code;
}
