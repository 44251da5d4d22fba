/* SPDX-License-Identifier: MIT */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "keep a text: out of memory");
}

/* FNV-1a */
static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++) {
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	}
	return h ^ h >> 32;
}

static uint32_t *find_slot(const struct kt_texts *texts, const char *text)
{
	size_t mask = texts->n_slots - 1;
	size_t i = (size_t)hash(text) & mask;

	while (texts->slots[i] && strcmp(texts->items[texts->slots[i] - 1], text) != 0) {
		i = (i + 1) & mask;
	}
	return &texts->slots[i];
}

/* Keeps the table at most half full. */
static int grow_slots(struct kt_texts *texts)
{
	size_t n = texts->n_slots ? 2 * texts->n_slots : 64;
	uint32_t *slots;

	if (2 * (texts->n + 1) <= texts->n_slots) {
		return KT_OK;
	}
	slots = calloc(n, sizeof(*slots));
	if (!slots) {
		return no_memory();
	}
	free(texts->slots);
	texts->slots = slots;
	texts->n_slots = n;
	for (size_t i = 0; i < texts->n; i++) {
		*find_slot(texts, texts->items[i]) = (uint32_t)i + 1;
	}
	return KT_OK;
}

int kt_texts_add(struct kt_texts *texts, const char *text, uint32_t *number)
{
	int code = grow_slots(texts);
	uint32_t *slot;
	char *copy;

	code = code ? code
		    : kt_array_reserve(&texts->items, &texts->capacity, texts->n + 1);
	if (code) {
		return code;
	}
	slot = find_slot(texts, text);
	if (!*slot) {
		copy = texts->n < UINT32_MAX - 1 ? strdup(text) : NULL;
		if (!copy) {
			return no_memory();
		}
		texts->items[texts->n++] = copy;
		*slot = (uint32_t)texts->n;
	}
	*number = *slot - 1;
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
	int code = printable ? kt_texts_add(texts, printable, &number) : no_memory();

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
	free(texts->slots);
	memset(texts, 0, sizeof(*texts));
}
