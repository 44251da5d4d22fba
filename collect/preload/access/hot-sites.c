/* SPDX-License-Identifier: MIT */
#include "collect/preload/access/hot-sites.h"

#include <stddef.h>

#define SLOTS 512 /* a power of 2 */
#define MOST  256 /* faults after which even a paused patch is made again */

unsigned kt_hot_site_faults = 16;

/*
 * A table with one slot for each hash: of two instructions with the same hash, the later
 * one replaces the other's count. Programs access watched memory from about fifty places.
 */
static struct site {
	uintptr_t ip;
	uint32_t faults;
	uint32_t hot; /* number of faults that makes it worth a patch */
} sites[SLOTS];

static struct site *site_of(uintptr_t ip)
{
	struct site *s = &sites[(ip * UINT64_C(0x9e3779b97f4a7c15)) >> 55];

	if (s->ip != ip) {
		*s = (struct site){.ip = ip, .hot = kt_hot_site_faults};
	}
	return s;
}

bool kt_hot_site_fault(uintptr_t ip)
{
	struct site *s = site_of(ip);

	/* Again after as many faults, because its library may have been loaded again. */
	return ++s->faults % s->hot == 0;
}

void kt_hot_site_cool(uintptr_t ip)
{
	struct site *s = site_of(ip);

	s->faults = 0;
	s->hot = s->hot * 4 < MOST ? s->hot * 4 : MOST;
}
