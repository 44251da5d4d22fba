/* SPDX-License-Identifier: MIT */
#include "infer/words/memory/number-map.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

static struct kt_number_pair *find(const struct kt_number_map *map, uint64_t key)
{
	struct kt_hash_probe probe = kt_hash_probe(&map->by_key, kt_hash_number(key));
	uint32_t i;

	while (kt_hash_next(&map->by_key, &probe, &i)) {
		if (map->pairs[i].key == key) {
			return &map->pairs[i];
		}
	}
	return NULL;
}

size_t kt_number_map_get(const struct kt_number_map *map, uint64_t key)
{
	const struct kt_number_pair *pair = find(map, key);

	return pair ? pair->value : KT_NOWHERE;
}

int kt_number_map_set(struct kt_number_map *map, uint64_t key, size_t value)
{
	struct kt_number_pair *pair = find(map, key);

	if (pair) {
		pair->value = value;
		return KT_OK;
	}
	if (kt_array_reserve(&map->pairs, &map->capacity, map->n + 1) ||
	    kt_hash_add(&map->by_key, kt_hash_number(key), map->n)) {
		return kt_no_memory("remember numbers");
	}
	map->pairs[map->n++] = (struct kt_number_pair){key, value};
	return KT_OK;
}

void kt_number_map_free(struct kt_number_map *map)
{
	free(map->pairs);
	kt_hash_free(&map->by_key);
	memset(map, 0, sizeof(*map));
}
