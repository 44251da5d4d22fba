/* SPDX-License-Identifier: MIT */
#include "infer/engine/suffixes.h"

#include <divsufsort.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "infer/engine/ahead.h"
#include "infer/engine/compact.h"

static int sort_bytes(int32_t **order, const unsigned char *bytes, size_t n)
{
	*order = malloc((n + 1) * sizeof(**order));
	if (!*order || divsufsort(bytes, *order, (saidx_t)n) != 0) {
		free(*order);
		*order = NULL;
		return kt_error(KT_E_MEMORY, "sort suffixes: out of memory");
	}
	return KT_OK;
}

/* Gives back the room of the suffixes that were dropped. */
static void shrink(int32_t **order, size_t n)
{
	int32_t *less = realloc(*order, (n + 1) * sizeof(*less));

	*order = less ? less : *order;
}

/*
 * Of all suffixes of the bytes, those that begin with a symbol: in order of symbols as
 * well, since all symbols have one width and the most significant byte comes first.
 */
static int sort_wide(int32_t **order, const struct kt_text *text)
{
	size_t n_bytes = text->n * text->width;
	int code = sort_bytes(order, text->bytes, n_bytes);
	size_t kept = 0;

	for (size_t i = 0; !code && i < n_bytes; i++) {
		if ((uint32_t)(*order)[i] % text->width == 0) {
			(*order)[kept++] = (*order)[i] / (int32_t)text->width;
		}
	}
	if (!code) {
		shrink(order, kept);
	}
	return code;
}

static int sort_compact(int32_t **order, const struct kt_text *text)
{
	struct kt_compact compact;
	size_t kept = 0;
	int code = kt_compact_encode(&compact, text);

	if (code) {
		return code;
	}
	code = sort_bytes(order, compact.bytes, compact.n);
	for (size_t i = 0; !code && i < compact.n; i++) {
		size_t byte = (size_t)(*order)[i];

		if (kt_compact_begins(&compact, byte)) {
			(*order)[kept++] = (int32_t)kt_compact_position(&compact, byte);
		}
	}
	if (!code) {
		shrink(order, kept);
	}
	kt_compact_clear(&compact);
	return code;
}

int kt_suffixes_sort(uint32_t **order, const struct kt_text *text)
{
	int32_t *sorted = NULL;
	int code;

	if (text->width == 1) {
		code = sort_bytes(&sorted, text->bytes, text->n);
	} else if (kt_compact_is_possible(text)) {
		code = sort_compact(&sorted, text);
	} else {
		code = sort_wide(&sorted, text);
	}
	*order = (uint32_t *)sorted;
	return code;
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
