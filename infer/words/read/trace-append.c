/* SPDX-License-Identifier: MIT */
/*
 * Copies a trace into a word set of the engine. This is a separate file, because some
 * programs that read traces do not link the engine.
 */
#include "infer/words/read/trace.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#define BATCH 4096

int kt_trace_append(const kt_trace *trace, kt_words *words)
{
	size_t n_letters = kt_trace_letter_count(trace);
	/*
	 * index: number of a letter in the trace; value: number of this letter in the set
	 */
	uint32_t *numbers = malloc((n_letters + 1) * sizeof(*numbers));
	uint32_t batch[BATCH];
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("number letters");
	}
	for (size_t i = 0; i < n_letters; i++) {
		const char *name = kt_trace_letter_name(trace, (uint32_t)i);

		KT_TRY_END(kt_words_letter(&numbers[i], words, name, strlen(name)));
	}
	for (size_t i = 0; i < kt_trace_words(trace); i++) {
		struct kt_word_info info;
		uint64_t n = 0;

		KT_TRY_END(kt_trace_word(trace, i, &info, &n));
		KT_TRY_END(kt_words_begin(words, &info));
		for (uint64_t j = 0; j < n; j += BATCH) {
			size_t m = n - j < BATCH ? (size_t)(n - j) : BATCH;

			KT_TRY_END(kt_trace_numbers(trace, i, j, m, batch));
			for (size_t l = 0; l < m; l++) {
				batch[l] = numbers[batch[l]];
			}
			KT_TRY_END(kt_words_append(words, batch, m));
		}
	}
end:
	free(numbers);
	return code;
}
