/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/engine/suffixes.h"

#include <divsufsort.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"

/* --- compact texts --- */

#define BYTE        256
#define SYMBOLS_MAX ((BYTE - 1) * BYTE + 1) /* one code has 1 byte, all others 2 */

/*
 * A text with many distinct letters, encoded in fewer bytes for sorting: frequent symbols
 * take one byte, others two. No code is a prefix of another, so texts that agree on their
 * first symbols agree on the bytes of those symbols. Sorting the bytes therefore sorts by
 * symbols. The order of the symbols is not that of their numbers. This does not matter,
 * because any order makes suffixes that begin alike adjacent.
 */
struct compact {
	unsigned char *bytes; /* Owned by this */
	size_t n;             /* bytes */
	uint64_t *begins;     /* Owned by this: one bit per byte, set where a symbol
			       * begins */
	uint32_t *before;     /* Owned by this: the number of symbols that begin before
			       * each block of 64 bytes */
};

struct code {
	unsigned char bytes[2];
	unsigned char length;
};

static uint32_t count_kinds(const struct kt_text *text)
{
	return text->n_letters + KT_SYMBOL_LETTER;
}

/*
 * Returns whether the compact encoding is needed and possible: whether the text has too
 * many distinct symbols for one byte per symbol, but few enough for these codes.
 */
static bool is_possible(const struct kt_text *text)
{
	return text->width > 1 && count_kinds(text) <= SYMBOLS_MAX;
}

/* Sorts by descending frequency. */
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
 * Chooses the codes, and computes the size of the encoded text. An escape is a first byte
 * that a second byte follows: it gives 256 codes of two bytes and costs one code of a
 * single byte, so there are as few escapes as possible.
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

static void clear_compact(struct compact *compact)
{
	free(compact->bytes);
	free(compact->begins);
	free(compact->before);
	*compact = (struct compact){0};
}

/* Encodes the text. O(text); takes 1.2 to 2.4 bytes per symbol. */
static int encode(struct compact *compact, const struct kt_text *text)
{
	struct code *codes = calloc(count_kinds(text), sizeof(*codes));
	size_t at = 0;
	int code;

	*compact = (struct compact){0};
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
		clear_compact(compact);
	}
	free(codes);
	return code;
}

static bool begins_at(const struct compact *compact, size_t byte)
{
	return compact->begins[byte / 64] >> (byte % 64) & 1;
}

/* Returns the text position of the symbol that begins at a byte. */
static uint32_t position_of(const struct compact *compact, size_t byte)
{
	uint64_t below = compact->begins[byte / 64] & (((uint64_t)1 << (byte % 64)) - 1);

	return compact->before[byte / 64] + (uint32_t)__builtin_popcountll(below);
}

/* --- suffixes --- */

static int sort_bytes(int32_t **order, const unsigned char *bytes, size_t n)
{
	*order = malloc((n + 1) * sizeof(**order));
	if (!*order || divsufsort(bytes, *order, (saidx_t)n) != 0) {
		free(*order);
		*order = NULL;
		return kt_no_memory("sort suffixes");
	}
	return KT_OK;
}

int kt_suffixes_sort(uint32_t **order, const struct kt_text *text)
{
	struct compact compact;
	int32_t *sorted = NULL;
	int32_t *less;
	size_t n_bytes = text->n * text->width;
	size_t kept = 0;
	int code;

	*order = NULL;
	if (text->width == 1) {
		KT_TRY(sort_bytes(&sorted, text->bytes, text->n));
		*order = (uint32_t *)sorted;
		return KT_OK;
	}
	if (is_possible(text)) {
		KT_TRY(encode(&compact, text));
		code = sort_bytes(&sorted, compact.bytes, compact.n);
		for (size_t i = 0; !code && i < compact.n; i++) {
			size_t byte = (size_t)sorted[i];

			if (begins_at(&compact, byte)) {
				sorted[kept++] = (int32_t)position_of(&compact, byte);
			}
		}
		clear_compact(&compact);
		KT_TRY(code);
	} else {
		/*
		 * Keep only the suffixes that begin at the first byte of a symbol. They
		 * are in order of symbols too, since all symbols have the same width, most
		 * significant byte first.
		 */
		KT_TRY(sort_bytes(&sorted, text->bytes, n_bytes));
		for (size_t i = 0; i < n_bytes; i++) {
			if ((uint32_t)sorted[i] % text->width == 0) {
				sorted[kept++] = sorted[i] / (int32_t)text->width;
			}
		}
	}
	/* Release the memory of the suffixes that were dropped. */
	less = realloc(sorted, (kept + 1) * sizeof(*less));
	*order = (uint32_t *)(less ? less : sorted);
	return KT_OK;
}

void kt_suffixes_link(uint32_t *previous, const uint32_t *order, size_t n)
{
	uint32_t last = KT_NO_POSITION;

	for (size_t i = 0; i < n; i++) {
		__builtin_prefetch(&previous[order[i + KT_AHEAD < n ? i + KT_AHEAD : i]],
				   1);
		previous[order[i]] = last;
		last = order[i];
	}
}
