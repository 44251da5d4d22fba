/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/engine/compact.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"

#define BYTE        256
#define SYMBOLS_MAX ((BYTE - 1) * BYTE + 1) /* one code of one byte, all others of two */

struct code {
	unsigned char bytes[2];
	unsigned char length;
};

static uint32_t count_kinds(const struct kt_text *text)
{
	return text->n_letters + KT_SYMBOL_LETTER;
}

bool kt_compact_is_possible(const struct kt_text *text)
{
	return text->width > 1 && count_kinds(text) <= SYMBOLS_MAX;
}

/* The more frequent first. */
static int compare_counts(const void *a, const void *b, void *counts)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	const uint32_t *count = counts;

	if (count[x] != count[y]) {
		return count[x] > count[y] ? -1 : 1;
	}
	return (x > y) - (x < y);
}

/*
 * The codes, and how many bytes the text takes with them. `escapes` first bytes are
 * followed by a second, which gives escapes * 256 codes more for `escapes` less: as few of
 * them as are needed.
 */
static int choose_codes(struct code *codes, size_t *n_bytes, const struct kt_text *text)
{
	uint32_t kinds = count_kinds(text);
	uint32_t escapes = (kinds - BYTE + BYTE - 2) / (BYTE - 1);
	uint32_t single = BYTE - escapes;
	uint32_t *count = calloc(kinds, sizeof(*count));
	uint32_t *by_count = calloc(kinds, sizeof(*by_count));

	if (!count || !by_count) {
		free(count);
		free(by_count);
		return kt_no_memory("encode words");
	}
	for (size_t p = 0; p < text->n; p++) {
		count[kt_text_symbol(text, p)]++;
	}
	for (uint32_t i = 0; i < kinds; i++) {
		by_count[i] = i;
	}
	qsort_r(by_count, kinds, sizeof(*by_count), compare_counts, count);
	*n_bytes = 0;
	for (uint32_t i = 0; i < kinds; i++) {
		struct code *code = &codes[by_count[i]];

		if (i < single) {
			code->bytes[0] = (unsigned char)(escapes + i);
			code->length = 1;
		} else {
			code->bytes[0] = (unsigned char)((i - single) / BYTE);
			code->bytes[1] = (unsigned char)((i - single) % BYTE);
			code->length = 2;
		}
		*n_bytes += (size_t)count[by_count[i]] * code->length;
	}
	free(count);
	free(by_count);
	return KT_OK;
}

int kt_compact_encode(struct kt_compact *compact, const struct kt_text *text)
{
	struct code *codes = calloc(count_kinds(text), sizeof(*codes));
	size_t at = 0;
	int code;

	*compact = (struct kt_compact){0};
	KT_TRY_END(codes ? choose_codes(codes, &compact->n, text)
			 : kt_no_memory("encode words"));
	compact->bytes = malloc(compact->n + 1);
	compact->begins = calloc(compact->n / 64 + 1, sizeof(*compact->begins));
	compact->before = calloc(compact->n / 64 + 1, sizeof(*compact->before));
	if (!compact->bytes || !compact->begins || !compact->before) {
		code = kt_no_memory("encode words");
		goto end;
	}
	for (size_t p = 0; p < text->n; p++) {
		const struct code *symbol = &codes[kt_text_symbol(text, p)];

		compact->begins[at / 64] |= (uint64_t)1 << (at % 64);
		compact->bytes[at++] = symbol->bytes[0];
		if (symbol->length == 2) {
			compact->bytes[at++] = symbol->bytes[1];
		}
	}
	for (size_t i = 1; i < compact->n / 64 + 1; i++) {
		compact->before[i] = compact->before[i - 1] +
				     (uint32_t)__builtin_popcountll(compact->begins[i - 1]);
	}
end:
	if (code) {
		kt_compact_clear(compact);
	}
	free(codes);
	return code;
}

void kt_compact_clear(struct kt_compact *compact)
{
	free(compact->bytes);
	free(compact->begins);
	free(compact->before);
	*compact = (struct kt_compact){0};
}
