/* SPDX-License-Identifier: MIT */
/* Sets of ranges of bytes in the mappings of processes. */
#ifndef KTAIL_ANNOTATE_PLACES_H
#define KTAIL_ANNOTATE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_place {
	uint64_t life; /* of the process */
	uint32_t mapping;
	uint64_t from; /* offset into the mapping */
	uint64_t to;   /* behind the last byte */
};

/* All zero: empty. */
struct kt_places {
	struct kt_place *items; /* Owned by this */
	size_t n;
	size_t capacity;
	size_t settled; /* of these, in order and apart from each other */
};

/* Adds a range, which may overlap others. KT_E_MEMORY. Amortised O(log n). */
int kt_places_add(struct kt_places *places, const struct kt_place *place);

/* Puts it in order, so that it can be asked. O(n log n). */
void kt_places_settle(struct kt_places *places);

/* Whether an offset lies in a range; after kt_places_settle(). O(log n). */
bool kt_places_hold(const struct kt_places *places, uint64_t life, uint32_t mapping,
		    uint64_t offset);

void kt_places_free(struct kt_places *places);

#endif
