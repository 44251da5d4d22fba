/* SPDX-License-Identifier: MIT */
/* A library, or a program (LINKED_PROGRAM), that is linked with the driver's library. */
#include "tests/collect/api/stand-in.h"

__attribute__((visibility("default"))) uint64_t linked_run(word a);

/* Data that the loader relocates: a pointer to a function. */
static uint64_t (*const volatile table[])(word, word) = {cuTest2};

uint64_t linked_run(word a)
{
	return cuTest1(a) + table[0](a, 1) + (uint64_t)cuTestData;
}

#ifdef LINKED_PROGRAM
#include <stdio.h>

int main(void)
{
	printf("%llu\n", (unsigned long long)linked_run(7));
	printf("%llu\n", (unsigned long long)linked_run(8));
	return 0;
}
#endif
