/* SPDX-License-Identifier: MIT */
#include "annotate/labels/unfinished.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

#define SEMAPHORE_BYTES 16

static uint32_t hash_of(uint64_t instance, uint64_t slot)
{
	return kt_hash_number(slot ^ instance << 40);
}

static struct kt_unfinished_slot *find(const struct kt_unfinished *unfinished,
				       uint64_t instance, uint64_t slot)
{
	struct kt_hash_probe probe =
		kt_hash_probe(&unfinished->index, hash_of(instance, slot));
	uint32_t i;

	while (kt_hash_next(&unfinished->index, &probe, &i)) {
		if (unfinished->slots[i].instance == instance &&
		    unfinished->slots[i].slot == slot) {
			return &unfinished->slots[i];
		}
	}
	return NULL;
}

int kt_unfinished_release(struct kt_unfinished *unfinished, uint64_t instance,
			  uint64_t address)
{
	const uint64_t at = address / SEMAPHORE_BYTES;
	struct kt_unfinished_slot *slot = find(unfinished, instance, at);

	if (slot) {
		slot->waiting = true;
		return KT_OK;
	}
	if (kt_array_reserve(&unfinished->slots, &unfinished->capacity,
			     unfinished->n + 1) ||
	    kt_hash_add(&unfinished->index, hash_of(instance, at), unfinished->n)) {
		return kt_no_memory("keep semaphores");
	}
	unfinished->slots[unfinished->n++] =
		(struct kt_unfinished_slot){instance, at, true};
	return KT_OK;
}

bool kt_unfinished_has(const struct kt_unfinished *unfinished, uint64_t instance,
		       uint64_t address)
{
	const struct kt_unfinished_slot *slot =
		find(unfinished, instance, address / SEMAPHORE_BYTES);

	return slot && slot->waiting;
}

void kt_unfinished_finish(struct kt_unfinished *unfinished, uint64_t instance,
			  uint64_t address)
{
	struct kt_unfinished_slot *slot =
		find(unfinished, instance, address / SEMAPHORE_BYTES);

	if (slot) {
		slot->waiting = false;
	}
}

void kt_unfinished_free(struct kt_unfinished *unfinished)
{
	free(unfinished->slots);
	kt_hash_free(&unfinished->index);
	memset(unfinished, 0, sizeof(*unfinished));
}
