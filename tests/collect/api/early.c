/* SPDX-License-Identifier: MIT */
/*
 * A library that asks for functions while the loader is still about to relocate it: what
 * the loader closes afterwards is open yet, and has to stay so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "tests/collect/api/stand-in.h"

__attribute__((visibility("default"))) uint64_t early_run(word a);

static uint64_t one(word a)
{
	return cuTest1(a);
}

/* Resolved last, one after the other; the first lets the recorder look at this library. */
#define EARLY(name)                                                                        \
	static uint64_t (*resolve_##name(void))(word)                                      \
	{                                                                                  \
		return dlsym(RTLD_DEFAULT, "cuTestNone") ? 0 : one;                        \
	}                                                                                  \
	static uint64_t name(word a) __attribute__((ifunc("resolve_" #name)))

EARLY(first);
EARLY(second);

static uint64_t (*const volatile table[])(word) = {first, second, cuTest1};

uint64_t early_run(word a)
{
	return table[0](a) + table[1](a) + table[2](a) + first(a) + second(a);
}
