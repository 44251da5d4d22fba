/* SPDX-License-Identifier: MIT */
#include "infer/ktail/copy-words.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/words/alphabet/letters.h"

#define CHUNK 4096
#define NONE  UINT32_MAX

int kt_copy_words(kt_words *out, const kt_words *words, size_t left_out,
		  const struct kt_letter_filter *filter, uint64_t *lost)
{
	struct kt_filtering filtering = {.filter = filter};
	/*
	 * Maps letter numbers of `words` to those of `out`; NONE if no word copied so far
	 * has the letter.
	 */
	uint32_t *numbers = calloc(kt_words_letter_count(words) + 1, sizeof(*numbers));
	uint32_t chunk[CHUNK];
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("copy words");
	}
	memset(numbers, 0xff, (kt_words_letter_count(words) + 1) * sizeof(*numbers));
	for (size_t i = 0; i < kt_words_count(words); i++) {
		uint32_t before = KT_NO_LETTER;
		struct kt_word_info info;
		bool begun = false;
		uint64_t n;

		if (i == left_out) {
			continue;
		}
		KT_TRY_END(kt_words_get(words, i, &info, &n));
		info.lost += lost ? *lost : 0;
		if (n == 0) {
			KT_TRY_END(kt_words_begin(out, &info));
			begun = true;
		}
		for (uint64_t from = 0; from < n; from += CHUNK) {
			size_t m = n - from < CHUNK ? (size_t)(n - from) : CHUNK;
			size_t kept = 0;

			KT_TRY_END(kt_words_read(words, i, from, m, chunk));
			for (size_t j = 0; j < m; j++) {
				const uint32_t letter = chunk[j];
				const char *name = kt_words_letter_name(words, letter);
				bool keep;

				KT_TRY_END(kt_filtering_take(&filtering, letter, name,
							     &before, &keep));
				if (keep && numbers[letter] == NONE) {
					KT_TRY_END(kt_words_letter(&numbers[letter], out,
								   name, strlen(name)));
				}
				if (keep) {
					chunk[kept++] = numbers[letter];
				}
			}
			if (kept > 0 && !begun) {
				KT_TRY_END(kt_words_begin(out, &info));
				begun = true;
			}
			if (begun) {
				KT_TRY_END(kt_words_append(out, chunk, kept));
			}
		}
		if (lost) {
			*lost = begun ? 0 : info.lost;
		}
	}
end:
	kt_filtering_clear(&filtering);
	free(numbers);
	return code;
}
