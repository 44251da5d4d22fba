/* SPDX-License-Identifier: MIT */
/*
 * The format of the Abbadingo One competition (Lang, Pearlmutter, Price, 1998), as
 * FlexFringe reads it: a line with the number of examples and of symbols, then a line for
 * each example: its label, its length, its symbols.
 */
#include <ktail/exchange.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#define WINDOW 4096

static void put_symbol(FILE *out, const char *name)
{
	putc(' ', out);
	for (const char *c = name; *c; c++) {
		if ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
		    (*c >= 'A' && *c <= 'Z')) {
			putc(*c, out);
		} else {
			fprintf(out, "_%02x", (unsigned char)*c);
		}
	}
}

int kt_words_write_abbadingo(const kt_words *words, FILE *out)
{
	uint32_t *window = malloc(WINDOW * sizeof(*window));
	int code = KT_OK;

	if (!window) {
		return kt_no_memory("write words as Abbadingo");
	}
	fprintf(out, "%zu %zu\n", kt_words_count(words), kt_words_letter_count(words));
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n = 0;

		KT_TRY_END(kt_words_get(words, i, &info, &n));
		fprintf(out, "1 %" PRIu64, n);
		for (uint64_t from = 0; from < n; from += WINDOW) {
			size_t part = n - from < WINDOW ? (size_t)(n - from) : WINDOW;

			KT_TRY_END(kt_words_read(words, i, from, part, window));
			for (size_t j = 0; j < part; j++) {
				put_symbol(out, kt_words_letter_name(words, window[j]));
			}
		}
		putc('\n', out);
	}
	if (ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write words as Abbadingo");
	}
end:
	free(window);
	return code;
}
