/* SPDX-License-Identifier: MIT */
#include "infer/engine/suffixes.h"

#include <divsufsort.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/ahead.h"
#include "infer/engine/compact.h"

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
	struct kt_compact compact;
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
	if (kt_compact_is_possible(text)) {
		KT_TRY(kt_compact_encode(&compact, text));
		code = sort_bytes(&sorted, compact.bytes, compact.n);
		for (size_t i = 0; !code && i < compact.n; i++) {
			size_t byte = (size_t)sorted[i];

			if (kt_compact_begins(&compact, byte)) {
				sorted[kept++] =
					(int32_t)kt_compact_position(&compact, byte);
			}
		}
		kt_compact_clear(&compact);
		KT_TRY(code);
	} else {
		/*
		 * Of all suffixes of the bytes, those that begin with a symbol: in order of
		 * symbols as well, since all symbols have one width and the most
		 * significant byte comes first.
		 */
		KT_TRY(sort_bytes(&sorted, text->bytes, n_bytes));
		for (size_t i = 0; i < n_bytes; i++) {
			if ((uint32_t)sorted[i] % text->width == 0) {
				sorted[kept++] = sorted[i] / (int32_t)text->width;
			}
		}
	}
	/* Gives back the room of the suffixes that were dropped. */
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
