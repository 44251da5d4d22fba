/* SPDX-License-Identifier: MIT */
#include "annotate/labels/unfinished.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

#define SEMAPHORE_BYTES 16

static uint32_t hash_of(uint64_t life, uint64_t place)
{
	return kt_hash_number(place ^ life << 40);
}

static struct kt_unfinished_place *find(const struct kt_unfinished *unfinished,
					uint64_t life, uint64_t place)
{
	struct kt_hash_probe probe =
		kt_hash_probe(&unfinished->index, hash_of(life, place));
	uint32_t i;

	while (kt_hash_next(&unfinished->index, &probe, &i)) {
		if (unfinished->places[i].life == life &&
		    unfinished->places[i].place == place) {
			return &unfinished->places[i];
		}
	}
	return NULL;
}

int kt_unfinished_release(struct kt_unfinished *unfinished, uint64_t life, uint64_t address)
{
	const uint64_t at = address / SEMAPHORE_BYTES;
	struct kt_unfinished_place *place = find(unfinished, life, at);

	if (place) {
		place->waiting = true;
		return KT_OK;
	}
	if (kt_array_reserve(&unfinished->places, &unfinished->capacity,
			     unfinished->n + 1) ||
	    kt_hash_add(&unfinished->index, hash_of(life, at), unfinished->n)) {
		return kt_no_memory("keep semaphores");
	}
	unfinished->places[unfinished->n++] = (struct kt_unfinished_place){life, at, true};
	return KT_OK;
}

bool kt_unfinished_has(const struct kt_unfinished *unfinished, uint64_t life,
		       uint64_t address)
{
	const struct kt_unfinished_place *place =
		find(unfinished, life, address / SEMAPHORE_BYTES);

	return place && place->waiting;
}

void kt_unfinished_finish(struct kt_unfinished *unfinished, uint64_t life, uint64_t address)
{
	struct kt_unfinished_place *place =
		find(unfinished, life, address / SEMAPHORE_BYTES);

	if (place) {
		place->waiting = false;
	}
}

void kt_unfinished_free(struct kt_unfinished *unfinished)
{
	free(unfinished->places);
	kt_hash_free(&unfinished->index);
	memset(unfinished, 0, sizeof(*unfinished));
}
