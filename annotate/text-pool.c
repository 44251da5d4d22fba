/* SPDX-License-Identifier: MIT */
#include "annotate/text-pool.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* FNV-1a. */
static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++) {
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	}
	return h;
}

static const char *add(struct kt_text_pool *pool, const char *text, uint64_t key)
{
	char *copy;

	if (kt_array_reserve(&pool->texts, &pool->capacity, pool->n + 1) ||
	    kt_number_map_set(&pool->by_hash, key, pool->n)) {
		return NULL;
	}
	copy = strdup(text);
	if (!copy) {
		kt_error(KT_E_MEMORY, "keep names: out of memory");
		return NULL;
	}
	pool->texts[pool->n++] = copy;
	return copy;
}

const char *kt_text_pool_keep(struct kt_text_pool *pool, const char *text)
{
	/* Two texts of one hash get keys one after the other. */
	for (uint64_t key = hash(text);; key++) {
		size_t at = kt_number_map_get(&pool->by_hash, key);

		if (at >= pool->n) {
			return add(pool, text, key);
		}
		if (strcmp(pool->texts[at], text) == 0) {
			return pool->texts[at];
		}
	}
}

void kt_text_pool_free(struct kt_text_pool *pool)
{
	for (size_t i = 0; i < pool->n; i++) {
		free(pool->texts[i]);
	}
	free(pool->texts);
	kt_number_map_free(&pool->by_hash);
	memset(pool, 0, sizeof(*pool));
}
