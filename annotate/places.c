/* SPDX-License-Identifier: MIT */
#include "annotate/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* By process, mapping, first byte. */
static int compare(const void *a, const void *b)
{
	const struct kt_place *x = a;
	const struct kt_place *y = b;

	if (x->life != y->life) {
		return x->life < y->life ? -1 : 1;
	}
	if (x->mapping != y->mapping) {
		return x->mapping < y->mapping ? -1 : 1;
	}
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool touches(const struct kt_place *before, const struct kt_place *after)
{
	return before->life == after->life && before->mapping == after->mapping &&
	       before->to >= after->from;
}

void kt_places_settle(struct kt_places *places)
{
	size_t n = 0;

	if (places->settled == places->n) {
		return;
	}
	qsort(places->items, places->n, sizeof(*places->items), compare);
	for (size_t i = 0; i < places->n; i++) {
		const struct kt_place *place = &places->items[i];
		struct kt_place *last = n > 0 ? &places->items[n - 1] : NULL;

		if (last && touches(last, place)) {
			last->to = place->to > last->to ? place->to : last->to;
		} else {
			places->items[n++] = *place;
		}
	}
	places->n = n;
	places->settled = n;
}

int kt_places_add(struct kt_places *places, const struct kt_place *place)
{
	int code;

	/* The same places come again and again: so they do not pile up. */
	if (places->n > 1024 && places->n >= 2 * places->settled) {
		kt_places_settle(places);
	}
	code = kt_array_reserve(&places->items, &places->capacity, places->n + 1);
	if (!code && place->from < place->to) {
		places->items[places->n++] = *place;
	}
	return code;
}

bool kt_places_hold(const struct kt_places *places, uint64_t life, uint32_t mapping,
		    uint64_t offset)
{
	const struct kt_place key = {life, mapping, offset, 0};
	size_t from = 0;
	size_t to = places->settled;

	/* The last range that does not begin behind the offset. */
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare(&places->items[middle], &key) <= 0) {
			from = middle + 1;
		} else {
			to = middle;
		}
	}
	return from > 0 && places->items[from - 1].life == life &&
	       places->items[from - 1].mapping == mapping &&
	       places->items[from - 1].to > offset;
}

void kt_places_free(struct kt_places *places)
{
	free(places->items);
	memset(places, 0, sizeof(*places));
}
