/* SPDX-License-Identifier: MIT */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"
#include "base/utf8.h"

int kt_texts_add(struct kt_texts *texts, const char *text, uint32_t *number)
{
	uint32_t hash = kt_hash_bytes(text, strlen(text));
	struct kt_hash_probe probe = kt_hash_probe(&texts->index, hash);
	char *copy;

	while (kt_hash_next(&texts->index, &probe, number)) {
		if (strcmp(texts->items[*number], text) == 0) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&texts->items, &texts->capacity, texts->n + 1));
	KT_TRY(kt_hash_reserve(&texts->index, texts->n + 1));
	copy = strdup(text);
	if (!copy) {
		return kt_no_memory("store a text");
	}
	*number = (uint32_t)texts->n;
	texts->items[texts->n++] = copy;
	kt_hash_put(&texts->index, hash, *number);
	return KT_OK;
}

const char *kt_texts_keep(struct kt_texts *texts, const char *text)
{
	uint32_t number;

	return kt_texts_add(texts, text, &number) ? NULL : texts->items[number];
}

int kt_texts_printable(struct kt_texts *texts, const char *text, const char **out)
{
	char *printable = kt_utf8_printable_copy(text);
	uint32_t number;
	int code = printable ? kt_texts_add(texts, printable, &number)
			     : kt_no_memory("store a text");

	*out = code ? NULL : texts->items[number];
	free(printable);
	return code;
}

void kt_texts_free(struct kt_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++) {
		free(texts->items[i]);
	}
	free(texts->items);
	kt_hash_free(&texts->index);
	memset(texts, 0, sizeof(*texts));
}
