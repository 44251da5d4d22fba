/* SPDX-License-Identifier: MIT */
/*
 * Counts its own accesses: loads and stores of every width, one instruction that clears
 * memory, and a copy of a few vectors. The test compares the printed counts with the access
 * events of a recording with --access=exact.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

static unsigned n;

/* A load and a store of one width, each a single instruction. */
#define WIDTH(name, type)                                                                  \
	static void store_##name(void *at, type value)                                     \
	{                                                                                  \
		n++;                                                                       \
		__asm__ volatile("mov %1, %0" : "=m"(*(volatile type *)at) : "r"(value));  \
	}                                                                                  \
	static type load_##name(const void *at)                                            \
	{                                                                                  \
		type value;                                                                \
                                                                                           \
		n++;                                                                       \
		__asm__ volatile("mov %1, %0"                                              \
				 : "=r"(value)                                             \
				 : "m"(*(const volatile type *)at));                       \
		return value;                                                              \
	}

WIDTH(b, uint8_t)
WIDTH(w, uint16_t)
WIDTH(l, uint32_t)
WIDTH(q, uint64_t)

int main(void)
{
	unsigned long sum = 0;
	void *at;
	char *sys;
	size_t count = 3 * PAGE;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	sys = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < 50; i++) {
		store_b(sys + i, (uint8_t)i);
		store_w(sys + PAGE + 2 * i, (uint16_t)i);
		store_l(sys + 2 * PAGE + 4 * i, i);
		store_q(sys + 3 * PAGE + 8 * i, i);
	}
	for (unsigned i = 0; i < 50; i++) {
		sum += load_b(sys + i);
		sum += load_w(sys + PAGE + 2 * i);
		sum += load_l(sys + 2 * PAGE + 4 * i);
		sum += load_q(sys + 3 * PAGE + 8 * i);
	}
	at = sys;
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(7) : "memory");
	n++;
	sum += load_b(sys + 3 * PAGE - 1);
	sum += load_b(sys + 3 * PAGE);
	printf("sum %lu, %u accesses\n", sum, n);
	release(CLIENT);
	return 0;
}
