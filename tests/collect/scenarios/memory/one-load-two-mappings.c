/* SPDX-License-Identifier: MIT */
/*
 * One load instruction, executed on two mappings alternately. Each access begins another
 * run.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

__attribute__((noinline)) static uint32_t load(const volatile uint32_t *address)
{
	return *address;
}

int main(void)
{
	volatile uint32_t *one;
	volatile uint32_t *two;
	uint32_t sum = 0;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	one = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	two = map(FB, PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 3; i++) {
		sum += load(one) + load(two);
	}
	/*
	 * A copy between the mappings is one instruction that accesses both while both are
	 * open, so its accesses are not distinguished.
	 */
	memcpy((void *)(uintptr_t)one, "0123456789abcdef", 16);
	__asm__ volatile("rep movsb" : : "S"(one), "D"(two), "c"(16) : "memory");
	printf("sum %u, %.16s\n", sum, (const char *)(uintptr_t)two);
	release(CLIENT);
	return 0;
}
