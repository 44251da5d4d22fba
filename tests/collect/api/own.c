/* SPDX-License-Identifier: MIT */
/*
 * A library that imports a function with the name of an API function. The program defines
 * this function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "tests/collect/api/khronos.h"

STAND_IN uint64_t clear_by_import(unsigned mask);
STAND_IN uint64_t clear_by_default(unsigned mask);

uint64_t clear_by_import(unsigned mask)
{
	return glClear(mask);
}

uint64_t clear_by_default(unsigned mask)
{
	void *symbol = dlsym(RTLD_DEFAULT, "glClear");
	uint64_t (*clear)(unsigned);

	memcpy(&clear, &symbol, sizeof(symbol));
	return clear(mask);
}
