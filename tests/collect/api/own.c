/* SPDX-License-Identifier: MIT */
/* A library whose import has the name of an API function; the program defines it. */
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
