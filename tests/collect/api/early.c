/* SPDX-License-Identifier: MIT */
/*
 * A library that looks up functions just before the loader relocates it. The recorder must
 * not change the protection of pages that the loader write-protects afterwards.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "tests/collect/api/stand-in.h"

__attribute__((visibility("default"))) uint64_t early_run(word a);

static uint64_t one(word a)
{
	return cuTest1(a);
}

/*
 * The loader resolves these functions last, one after the other. The first lookup makes the
 * recorder scan this library.
 */
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
