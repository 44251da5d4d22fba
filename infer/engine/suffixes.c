/* SPDX-License-Identifier: MIT */
#include "infer/engine/suffixes.h"

#include <divsufsort.h>
#include <stdlib.h>

#include <ktail/status.h>

/*
 * Of all suffixes of the bytes, those that begin with a symbol: in order of symbols as
 * well, since all symbols have one width and the most significant byte comes first.
 */
static void keep_aligned(int32_t *order, size_t n_bytes, unsigned width)
{
	size_t kept = 0;

	for (size_t i = 0; i < n_bytes; i++) {
		if ((uint32_t)order[i] % width == 0) {
			order[kept++] = order[i] / (int32_t)width;
		}
	}
}

int kt_suffixes_sort(uint32_t **order, const struct kt_text *text)
{
	size_t n_bytes = text->n * text->width;
	int32_t *sorted = malloc((n_bytes + 1) * sizeof(*sorted));
	int32_t *less;

	*order = NULL;
	if (!sorted || divsufsort(text->bytes, sorted, (saidx_t)n_bytes) != 0) {
		free(sorted);
		return kt_error(KT_E_MEMORY, "sort suffixes: out of memory");
	}
	if (text->width > 1) {
		keep_aligned(sorted, n_bytes, text->width);
		less = realloc(sorted, (text->n + 1) * sizeof(*sorted));
		sorted = less ? less : sorted;
	}
	*order = (uint32_t *)sorted;
	return KT_OK;
}

void kt_suffixes_link(uint32_t *previous, const uint32_t *order, size_t n)
{
	uint32_t last = KT_NO_POSITION;

	for (size_t i = 0; i < n; i++) {
		previous[order[i]] = last;
		last = order[i];
	}
}
