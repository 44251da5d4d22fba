/* SPDX-License-Identifier: MIT */
#include "collect/preload/access/hot-sites.h"

#include <stddef.h>

#define HOT     16 /* faults after which a patch is worth its cost */
#define LOOP    4  /* faults in a row of one instruction that make a loop */
#define LOOPING UINT32_MAX
#define SLOTS   512 /* a power of 2 */

/*
 * A table with one slot for each hash: of two instructions with the same hash, the later
 * one replaces the other's count. Programs access watched memory from about fifty places.
 */
static struct site {
	uintptr_t ip;
	uint32_t faults; /* or LOOPING */
} sites[SLOTS];

static struct {
	uintptr_t ip;
	uint32_t n;
} row; /* of faults, up to the last */

static struct site *site_of(uintptr_t ip)
{
	struct site *s = &sites[(ip * UINT64_C(0x9e3779b97f4a7c15)) >> 55];

	if (s->ip != ip) {
		*s = (struct site){.ip = ip};
	}
	return s;
}

bool kt_hot_site_fault(uintptr_t ip)
{
	struct site *s = site_of(ip);

	row.n = row.ip == ip ? row.n + 1 : 1;
	row.ip = ip;
	if (s->faults == LOOPING) {
		return false;
	}
	s->faults++;
	return s->faults >= HOT && row.n < LOOP;
}

void kt_hot_site_opened_window(uintptr_t ip)
{
	if (row.ip == ip && row.n >= LOOP) {
		site_of(ip)->faults = LOOPING;
	}
}
