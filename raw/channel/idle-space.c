/* SPDX-License-Identifier: MIT */
#include "raw/channel/idle-space.h"

#define PAGE 4096u

static bool is_zero(const uint64_t *page)
{
	for (size_t i = 0; i < PAGE / sizeof(*page); i++) {
		if (page[i] != 0) {
			return false;
		}
	}
	return true;
}

bool kt_idle_space_find(struct kt_idle_space *out, const void *start, size_t length,
			size_t most)
{
	const size_t pages = length / PAGE;
	size_t best_end = 0;
	size_t best = 0;
	size_t run = 0;

	for (size_t i = 0; i < pages; i++) {
		run = is_zero((const uint64_t *)start + i * (PAGE / sizeof(uint64_t)))
			      ? run + 1
			      : 0;
		if (run >= best && run > 0) {
			best = run;
			best_end = i + 1;
		}
	}
	best = best / 2 > most / PAGE ? most / PAGE : best / 2;
	*out = (struct kt_idle_space){.start = (uintptr_t)start + (best_end - best) * PAGE,
				      .length = best * PAGE};
	return best > 0;
}

bool kt_idle_space_split(struct kt_idle_space *space, struct kt_idle_space *out,
			 size_t most)
{
	const size_t half = space->length / 2 / PAGE;
	const size_t pages = half > most / PAGE ? most / PAGE : half;

	if (pages == 0) {
		return false;
	}
	space->length -= pages * PAGE;
	*out = (struct kt_idle_space){.start = space->start + space->length,
				      .length = pages * PAGE};
	return true;
}
