/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/clock.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "collect/preload/process/kernel.h"

static int (*get_time)(clockid_t, struct timespec *); /* libc's clock_gettime(), or NULL */

void kt_clock_init(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = libc ? dlsym(libc, "clock_gettime") : NULL;

	memcpy(&get_time, &symbol, sizeof(get_time));
}

uint64_t kt_now_ns(void)
{
	struct timespec now = {0};

	if (get_time) {
		get_time(CLOCK_MONOTONIC, &now);
	} else {
		KT_KERNEL(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	}
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
