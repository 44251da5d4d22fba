/* SPDX-License-Identifier: MIT */
/* From a trace into a word set of the engine. */
#include "infer/words/read/trace.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define BATCH 4096

/* Numbers of the trace's letters within the set; the caller frees *out. */
static int number_letters(uint32_t **out, const kt_trace *trace, kt_words *words)
{
	size_t n = kt_trace_letter_count(trace);
	int code = KT_OK;

	*out = malloc((n + 1) * sizeof(**out));
	if (!*out) {
		return kt_error(KT_E_MEMORY, "number letters: out of memory");
	}
	for (size_t i = 0; i < n && !code; i++) {
		const char *name = kt_trace_letter_name(trace, (uint32_t)i);

		code = kt_words_letter(&(*out)[i], words, name, strlen(name));
	}
	return code;
}

static int append_word(const kt_trace *trace, size_t i, const uint32_t *numbers,
		       kt_words *words)
{
	uint32_t batch[BATCH];
	struct kt_word_info info;
	uint64_t n = 0;
	int code = kt_trace_word(trace, i, &info, &n);

	code = code ? code : kt_words_begin(words, &info);
	for (uint64_t j = 0; j < n && !code; j += BATCH) {
		size_t m = n - j < BATCH ? (size_t)(n - j) : BATCH;

		code = kt_trace_numbers(trace, i, j, m, batch);
		for (size_t l = 0; l < m && !code; l++) {
			batch[l] = numbers[batch[l]];
		}
		code = code ? code : kt_words_append(words, batch, m);
	}
	return code;
}

int kt_trace_append(const kt_trace *trace, kt_words *words)
{
	uint32_t *numbers;
	int code = number_letters(&numbers, trace, words);

	for (size_t i = 0; i < kt_trace_words(trace) && !code; i++) {
		code = append_word(trace, i, numbers, words);
	}
	free(numbers);
	return code;
}
