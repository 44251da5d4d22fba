/* SPDX-License-Identifier: MIT */
#include "viz/arrange.h"

#include <stdlib.h>

#include <ktail/status.h>

struct place {
	uint64_t visits;
	uint32_t id;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;

	if (x->visits != y->visits) {
		return x->visits > y->visits ? -1 : 1;
	}
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Start and entries to `first`, the others to places; how many are in first. */
static size_t divide_states(uint32_t *first, struct place *places,
			    const struct kt_drawing *drawing)
{
	size_t n_first = 0;
	size_t n_places = 0;

	for (uint32_t id = 0; id < drawing->fsm->n_states; id++) {
		if (drawing->states[id].marks & (KT_MARK_START | KT_MARK_ENTRY)) {
			first[n_first++] = id;
		} else if (!drawing->states[id].hidden) {
			places[n_places++] =
				(struct place){drawing->fsm->states[id].visits, id};
		}
	}
	return n_first;
}

int kt_arrange_states(uint32_t **out, const struct kt_drawing *drawing)
{
	struct place *places = calloc(drawing->n_drawn + 1, sizeof(*places));
	uint32_t *order = calloc(drawing->n_drawn + 1, sizeof(*order));
	size_t n_first;
	size_t n;

	*out = order;
	if (!places || !order) {
		free(places);
		free(order);
		*out = NULL;
		return kt_error(KT_E_MEMORY, "arrange states: out of memory");
	}
	n_first = divide_states(order, places, drawing);
	n = drawing->n_drawn - n_first;
	order += n_first;
	qsort(places, n, sizeof(*places), compare_places);
	/* By turns to the right and to the left of those that are there. */
	for (size_t i = 0; i < n; i++) {
		order[i % 2 ? n / 2 - 1 - i / 2 : n / 2 + i / 2] = places[i].id;
	}
	free(places);
	return KT_OK;
}
