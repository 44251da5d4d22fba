/* SPDX-License-Identifier: MIT */
/* Stores to a dword or a part of it, for the fuzzer and its witness. */
#ifndef FUZZ_STORES_H
#define FUZZ_STORES_H

#include <emmintrin.h>

#include "fuzz.h"

#define STORES_KINDS 24 /* kinds without a case are plain stores */

/* QEMU 7.2 misses the debug exception of about one in 150 locked stores. */
static inline bool is_locked_store(unsigned kind)
{
	return kind == 4 || kind == 5;
}

static inline void store_by(unsigned kind, volatile char *at, uint32_t value)
{
	volatile uint32_t *word = (volatile uint32_t *)at;
	unsigned long n = 4;

	switch (kind) {
	case 0: *(volatile uint8_t *)at = (uint8_t)value; break;
	case 1: *(volatile uint16_t *)at = (uint16_t)value; break;
	case 2: *(volatile uint64_t *)at = value; break;
	case 3: *(volatile uint64_t *)(at - 4) = (uint64_t)value << 32; break;
	case 4: asm volatile("xchgl %0, %1" : "+r"(value), "+m"(*word)); break;
	case 5: asm volatile("lock orl %1, %0" : "+m"(*word) : "r"(value)); break;
	case 6: asm volatile("movnti %1, %0" : "=m"(*word) : "r"(value)); break;
	case 7:
		asm volatile("movups %0, (%1)"
			     :
			     : "x"(_mm_set1_epi32((int)value)), "r"(at)
			     : "memory");
		break;
	case 8:
		word -= 2;
		asm volatile("rep stosl" : "+D"(word), "+c"(n) : "a"(value) : "memory");
		break;
	case 9: asm volatile("movl $0x12348, %0" : "=m"(*word)); break;
	case 10: asm volatile("movl %0, 1(%1)" : : "r"(value), "r"(at) : "memory"); break;
	default: *word = value; break;
	}
}

#endif
