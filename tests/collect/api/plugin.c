/* SPDX-License-Identifier: MIT */
/* A library that defines a function with the same name as one of the driver's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

__attribute__((visibility("default"))) uint64_t cuTest2(int64_t a, int64_t b);
__attribute__((visibility("default"))) uint64_t plugin_ask(int64_t unused);
__attribute__((visibility("default"))) uint64_t plugin_load(int64_t unused);

uint64_t cuTest2(int64_t a, int64_t b)
{
	return (uint64_t)(1000000 + a + b);
}

/*
 * RTLD_DEFAULT finds the global cuTest2 or, if there is none, this library's; RTLD_NEXT
 * finds only the global one.
 */
uint64_t plugin_ask(int64_t unused)
{
	uint64_t (*first)(int64_t, int64_t) =
		(uint64_t(*)(int64_t, int64_t))dlsym(RTLD_DEFAULT, "cuTest2");
	uint64_t (*next)(int64_t, int64_t) =
		(uint64_t(*)(int64_t, int64_t))dlsym(RTLD_NEXT, "cuTest2");

	(void)unused;
	return (first ? 10 * first(1, 2) : 0) + (next ? next(3, 4) : 0);
}

/*
 * Loads a library by its name and by a path with $ORIGIN. Both are found only relative to
 * this library: through its search path and its folder.
 */
uint64_t plugin_load(int64_t unused)
{
	void *near = dlopen("libapi-near.so", RTLD_NOW | RTLD_LOCAL);
	void *origin = dlopen("$ORIGIN/near/libapi-near.so", RTLD_NOW | RTLD_LOCAL);

	(void)unused;
	return (near ? 1 : 0) + (origin ? 2 : 0) + (near == origin ? 4 : 0);
}
