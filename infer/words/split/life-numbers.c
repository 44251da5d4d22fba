/* SPDX-License-Identifier: MIT */
#include "infer/words/split/life-numbers.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

uint64_t kt_life_number(const struct kt_life_numbers *life, const struct kt_origin *origin,
			uint64_t seq, enum kt_event_kind kind)
{
	if (!origin->no_seq) {
		return seq;
	}
	if (kind == KT_EVENT_BEGIN) {
		return 0;
	}
	return life ? life->next : 1;
}

static int add_hole(struct kt_life_numbers *l, uint64_t from, uint64_t to)
{
	int code = kt_array_reserve(&l->holes, &l->holes_capacity, l->n_holes + 1);

	if (!code) {
		l->holes[l->n_holes++] = (struct kt_hole){from, to};
	}
	return code;
}

/* The first hole that ends behind a number; n_holes: none. */
static size_t find_hole(const struct kt_life_numbers *l, uint64_t seq)
{
	size_t lo = 0;
	size_t hi = l->n_holes;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (l->holes[middle].to <= seq) {
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	return lo;
}

static int split_hole(struct kt_life_numbers *l, size_t i, uint64_t seq)
{
	const struct kt_hole behind = {seq + 1, l->holes[i].to};
	int code = add_hole(l, 0, 0);
	struct kt_hole *hole;

	if (code) {
		return code;
	}
	hole = &l->holes[i];
	hole->to = seq;
	memmove(hole + 2, hole + 1, (l->n_holes - i - 2) * sizeof(*hole));
	hole[1] = behind;
	return KT_OK;
}

/* Takes a number out of the holes; *found: it was in one. */
static int fill_hole(struct kt_life_numbers *l, uint64_t seq, bool *found)
{
	size_t i = find_hole(l, seq);
	struct kt_hole *hole;

	*found = i < l->n_holes && l->holes[i].from <= seq;
	if (!*found) {
		return KT_OK;
	}
	hole = &l->holes[i];
	if (hole->from == seq) {
		hole->from++;
	} else if (hole->to == seq + 1) {
		hole->to--;
	} else {
		return split_hole(l, i, seq);
	}
	if (hole->from == hole->to) {
		memmove(hole, hole + 1, (l->n_holes - i - 1) * sizeof(*hole));
		l->n_holes--;
	}
	return KT_OK;
}

static void note(struct kt_life_numbers *l, uint64_t seq, enum kt_event_kind kind)
{
	l->unsorted = l->unsorted || seq < l->next;
	if (seq >= l->next) {
		l->next = seq + 1;
		l->ended = kind == KT_EVENT_END;
	}
}

/* One that comes late. */
static int take_late(struct kt_life_numbers *l, uint64_t seq, bool *fits)
{
	if (l->ended && seq < l->first) {
		*fits = false;
		return KT_OK;
	}
	return fill_hole(l, seq, fits);
}

int kt_life_numbers_take(struct kt_life_numbers *l, uint64_t seq, enum kt_event_kind kind,
			 bool *fits)
{
	int code = KT_OK;

	*fits = !(l->begun && kind == KT_EVENT_BEGIN && seq == 0);
	if (!*fits) {
		return KT_OK;
	}
	if (!l->begun) {
		l->first = l->next = seq;
		code = seq > 0 ? add_hole(l, 0, seq) : KT_OK;
	} else if (seq < l->next) {
		code = take_late(l, seq, fits);
	} else if (seq > l->next) {
		code = add_hole(l, l->next, seq);
	}
	if (!code && *fits) {
		l->begun = true;
		note(l, seq, kind);
	}
	return code;
}

void kt_life_numbers_free(struct kt_life_numbers *life)
{
	free(life->holes);
	memset(life, 0, sizeof(*life));
}
