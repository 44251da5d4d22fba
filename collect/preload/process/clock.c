/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/clock.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "collect/preload/process/kernel.h"

static int (*get_time)(clockid_t, struct timespec *); /* libc's clock_gettime(), or NULL */

static clockid_t coarse = CLOCK_MONOTONIC;
enum { COARSEST = 4000000 }; /* ns of a tick */

void kt_clock_init(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = libc ? dlsym(libc, "clock_gettime") : NULL;
	struct timespec tick;

	memcpy(&get_time, &symbol, sizeof(get_time));
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0 &&
	    tick.tv_nsec <= COARSEST) {
		coarse = CLOCK_MONOTONIC_COARSE;
	}
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now = {0};

	if (get_time) {
		get_time(clock, &now);
	} else {
		KT_KERNEL(SYS_clock_gettime, clock, &now);
	}
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t kt_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t kt_coarse_ns(void)
{
	return read_clock(coarse);
}
