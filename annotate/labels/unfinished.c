/* SPDX-License-Identifier: MIT */
#include "annotate/labels/unfinished.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define SEMAPHORE_BYTES 16

/* Where a place is, or would be. */
static struct kt_unfinished_place *find(const struct kt_unfinished *unfinished,
					uint64_t life, uint64_t place)
{
	uint64_t hash = (place ^ life << 40) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (hash >> 32) & (unfinished->size - 1);

	while (unfinished->places[i].used && (unfinished->places[i].life != life ||
					      unfinished->places[i].place != place)) {
		i = (i + 1) & (unfinished->size - 1);
	}
	return &unfinished->places[i];
}

static int grow(struct kt_unfinished *unfinished)
{
	struct kt_unfinished larger = {.size = unfinished->size ? 2 * unfinished->size : 64,
				       .n = unfinished->n};

	larger.places = calloc(larger.size, sizeof(*larger.places));
	if (!larger.places) {
		return kt_error(KT_E_MEMORY, "keep semaphores: out of memory");
	}
	for (size_t i = 0; i < unfinished->size; i++) {
		const struct kt_unfinished_place *old = &unfinished->places[i];

		if (old->used) {
			*find(&larger, old->life, old->place) = *old;
		}
	}
	free(unfinished->places);
	*unfinished = larger;
	return KT_OK;
}

int kt_unfinished_release(struct kt_unfinished *unfinished, uint64_t life, uint64_t address)
{
	struct kt_unfinished_place *place;
	int code = 2 * (unfinished->n + 1) > unfinished->size ? grow(unfinished) : KT_OK;

	if (code) {
		return code;
	}
	place = find(unfinished, life, address / SEMAPHORE_BYTES);
	unfinished->n += !place->used;
	*place = (struct kt_unfinished_place){life, address / SEMAPHORE_BYTES, true, true};
	return KT_OK;
}

bool kt_unfinished_has(const struct kt_unfinished *unfinished, uint64_t life,
		       uint64_t address)
{
	return unfinished->n > 0 &&
	       find(unfinished, life, address / SEMAPHORE_BYTES)->waiting;
}

void kt_unfinished_finish(struct kt_unfinished *unfinished, uint64_t life, uint64_t address)
{
	if (unfinished->n > 0) {
		find(unfinished, life, address / SEMAPHORE_BYTES)->waiting = false;
	}
}

void kt_unfinished_free(struct kt_unfinished *unfinished)
{
	free(unfinished->places);
	memset(unfinished, 0, sizeof(*unfinished));
}
