/* SPDX-License-Identifier: MIT */
#include "infer/ktail/copy-words.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#define CHUNK 4096

int kt_copy_words(kt_words *out, const kt_words *words, size_t left_out)
{
	/* Of the set's letters, in the other set. */
	uint32_t *numbers = calloc(kt_words_letter_count(words) + 1, sizeof(*numbers));
	uint32_t chunk[CHUNK];
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("copy words");
	}
	for (uint32_t i = 0; i < kt_words_letter_count(words); i++) {
		const char *name = kt_words_letter_name(words, i);

		KT_TRY_END(kt_words_letter(&numbers[i], out, name, strlen(name)));
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		if (i == left_out) {
			continue;
		}
		KT_TRY_END(kt_words_get(words, i, &info, &n));
		KT_TRY_END(kt_words_begin(out, &info));
		for (uint64_t from = 0; from < n; from += CHUNK) {
			size_t m = n - from < CHUNK ? (size_t)(n - from) : CHUNK;

			KT_TRY_END(kt_words_read(words, i, from, m, chunk));
			for (size_t j = 0; j < m; j++) {
				chunk[j] = numbers[chunk[j]];
			}
			KT_TRY_END(kt_words_append(out, chunk, m));
		}
	}
end:
	free(numbers);
	return code;
}
