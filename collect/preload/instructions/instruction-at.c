/* SPDX-License-Identifier: MIT */
/* Instructions where they stand: remembered by address, with the registers of a thread. */
#define _GNU_SOURCE
#include "collect/preload/instructions/instruction.h"

#include <asm/prctl.h>
#include <stdatomic.h>
#include <string.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

#define PLACES       2048 /* instructions that are remembered */
#define BEING_FILLED 1    /* as address of a place */

/* Lossy: one instruction for each value of the hash. */
static struct {
	_Atomic uintptr_t ip; /* 0: none */
	struct kt_instruction instruction;
} places[PLACES];

bool kt_instruction_at(struct kt_instruction *out, uintptr_t ip)
{
	size_t i = (ip ^ ip >> 11) % PLACES;
	uint8_t code[KT_INSTRUCTION_MAX];
	size_t in_page = KT_PAGE - ip % KT_PAGE;
	size_t n = in_page < sizeof(code) ? in_page : sizeof(code);
	uintptr_t before;

	if (ip <= BEING_FILLED) {
		return false;
	}
	if (atomic_load_explicit(&places[i].ip, memory_order_acquire) == ip) {
		*out = places[i].instruction;
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&places[i].ip, memory_order_relaxed) == ip &&
		    memcmp(out->bytes, (const void *)ip, out->length) == 0) {
			return true;
		}
	}
	/* The bytes up to the page's end are there; those behind only if they belong to it.
	 */
	if (kt_memory_read(code, ip, n) != n) {
		return false;
	}
	if (!kt_instruction_decode(out, code, n) &&
	    (n == sizeof(code) ||
	     !kt_instruction_decode(out, code, kt_memory_read(code, ip, sizeof(code))))) {
		return false;
	}
	/* Whoever finds another at it, which it has interrupted then, leaves it alone. */
	before = atomic_load(&places[i].ip);
	if (before != BEING_FILLED &&
	    atomic_compare_exchange_strong(&places[i].ip, &before, BEING_FILLED)) {
		places[i].instruction = *out;
		atomic_store(&places[i].ip, ip);
	}
	return true;
}

/* --- what it does --- */

uint64_t kt_swap_bytes(uint64_t value, unsigned width)
{
	return __builtin_bswap64(value) >> (64 - 8 * width);
}

bool kt_instruction_address(const struct kt_instruction *instruction,
			    const ucontext_t *context, uintptr_t ip, uintptr_t *address)
{
	uint64_t segment = 0;
	uint64_t at = (uint64_t)instruction->displacement;

	if (instruction->base == KT_REGISTER_RIP) {
		at += ip + instruction->length;
	} else if (instruction->base != KT_NO_REGISTER) {
		at += kt_register_read(context, instruction->base);
	}
	if (instruction->index != KT_NO_REGISTER) {
		at += kt_register_read(context, instruction->index) * instruction->scale;
	}
	if (instruction->narrow) {
		at = (uint32_t)at;
	}
	/* The thread's own, as this runs in it. */
	if (instruction->segment &&
	    KT_KERNEL(SYS_arch_prctl,
		      instruction->segment == 'f' ? ARCH_GET_FS : ARCH_GET_GS,
		      &segment) != 0) {
		return false;
	}
	*address = segment + at;
	return true;
}

uint64_t kt_instruction_source(const struct kt_instruction *instruction,
			       const ucontext_t *context)
{
	uint64_t value = instruction->has_immediate
				 ? instruction->immediate
				 : kt_part_read(context, instruction->part);

	return instruction->swaps ? kt_swap_bytes(value, instruction->width) : value;
}
