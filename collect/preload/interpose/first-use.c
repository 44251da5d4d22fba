/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/interpose/first-use.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collect/preload/interpose/interpose-dlsym.h"
#include "collect/preload/process/counters.h"

#define LAST_LIBRARY "libktail-record-last.so"

static bool has_last;

bool kt_device_use_ends_last(void)
{
	return has_last;
}

/*
 * libcuda may still talk to the driver in its own destructor, which runs after that of a
 * library that was loaded before it, LTTng's included. A library that is loaded after
 * libcuda and depends on LTTng's moves them all behind libcuda's.
 */
void kt_device_used(void)
{
	static bool tried;
	char path[PATH_MAX];
	Dl_info self;
	const char *slash;
	bool first;

	kt_dlsym_look();
	first = !__atomic_exchange_n(&tried, true, __ATOMIC_SEQ_CST);
	if (!first) {
		return;
	}
	kt_count(&kt_counters->device_users);
	if (!dladdr((void *)&has_last, &self)) {
		kt_count(&kt_counters->setup_failures);
		return;
	}
	slash = strrchr(self.dli_fname, '/');
	snprintf(path, sizeof(path), "%.*s/" LAST_LIBRARY,
		 slash ? (int)(slash - self.dli_fname) : 1, slash ? self.dli_fname : ".");
	has_last = dlopen(path, RTLD_NOW) != NULL;
	if (!has_last) {
		kt_count(&kt_counters->setup_failures);
	}
}
