/* SPDX-License-Identifier: MIT */
#include "annotate/events/number-map.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

static struct kt_number_pair *find(struct kt_number_pair *pairs, size_t size, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);

	while (pairs[i].value && pairs[i].key != key) {
		i = (i + 1) & (size - 1);
	}
	return &pairs[i];
}

static int grow(struct kt_number_map *map)
{
	size_t size = map->size ? 2 * map->size : 64;
	struct kt_number_pair *pairs;

	if (2 * (map->n + 1) <= map->size) {
		return KT_OK;
	}
	pairs = calloc(size, sizeof(*pairs));
	if (!pairs) {
		return kt_error(KT_E_MEMORY, "remember numbers: out of memory");
	}
	for (size_t i = 0; i < map->size; i++) {
		if (map->pairs[i].value) {
			*find(pairs, size, map->pairs[i].key) = map->pairs[i];
		}
	}
	free(map->pairs);
	map->pairs = pairs;
	map->size = size;
	return KT_OK;
}

size_t kt_number_map_get(const struct kt_number_map *map, uint64_t key)
{
	const struct kt_number_pair *pair;

	if (!map->size) {
		return KT_NOWHERE;
	}
	pair = find(map->pairs, map->size, key);
	return pair->value ? pair->value - 1 : KT_NOWHERE;
}

int kt_number_map_set(struct kt_number_map *map, uint64_t key, size_t value)
{
	struct kt_number_pair *pair;
	int code = grow(map);

	if (!code) {
		pair = find(map->pairs, map->size, key);
		map->n += !pair->value;
		*pair = (struct kt_number_pair){key, value + 1};
	}
	return code;
}

void kt_number_map_free(struct kt_number_map *map)
{
	free(map->pairs);
	memset(map, 0, sizeof(*map));
}
