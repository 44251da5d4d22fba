/* SPDX-License-Identifier: MIT */
#include "infer/engine/levels.h"

#include <stdlib.h>

#include <ktail/status.h>

int kt_levels_begin(struct kt_levels *levels, uint64_t lo, uint64_t hi)
{
	*levels = (struct kt_levels){
		.lo = lo,
		.hi = hi,
		.until = calloc((size_t)(hi - lo) + 1, sizeof(*levels->until)),
	};
	return levels->until ? KT_OK : kt_no_memory("list merges of every k");
}

int kt_levels_allocate(struct kt_levels *levels)
{
	size_t n = 0;

	/* From here on, until kt_levels_put() is done, where the next one goes. */
	for (uint64_t i = levels->hi - levels->lo + 1; i-- > 0;) {
		size_t count = levels->until[i];

		levels->until[i] = n;
		n += count;
	}
	levels->pairs = malloc((n + 1) * sizeof(*levels->pairs));
	return levels->pairs ? KT_OK : kt_no_memory("list merges of every k");
}

size_t kt_levels_counted(const struct kt_levels *levels)
{
	size_t n = 0;

	for (uint64_t i = 0; i <= levels->hi - levels->lo; i++) {
		n += levels->until[i];
	}
	return n;
}

void kt_levels_take(struct kt_levels *levels, struct kt_pair *pairs)
{
	for (uint64_t i = levels->hi - levels->lo; i-- > 0;) {
		levels->until[i] += levels->until[i + 1];
	}
	levels->pairs = pairs;
}

void kt_levels_clear(struct kt_levels *levels)
{
	free(levels->pairs);
	free(levels->until);
	*levels = (struct kt_levels){0};
}
