/* SPDX-License-Identifier: MIT */
/*
 * Where the stubs of collect/preload/api/api-table.c go: a function with the frame and the
 * unwind tables of any other, which calls the real one with the arguments that it was given
 * itself, on the stack too. No return address is changed, there is no shadow stack:
 * exceptions, forced unwinding and longjmp pass through it, and the call then has no
 * api_exit. x86-64, System V.
 */
#ifndef KTAIL_COLLECT_API_ENTRY_H
#define KTAIL_COLLECT_API_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/preload/api/api-calls.h"

struct kt_api_entry;

/* One call, on the caller's stack. The first part is known to the assembly. */
struct kt_api_frame {
	unsigned char vectors[128]; /* xmm0 .. xmm7 */
	uint64_t arguments[6];      /* rdi, rsi, rdx, rcx, r8, r9 */
	uint64_t rax;               /* then what the function returned, as rdx and xmm0 */
	uint64_t r10;
	uint64_t rdx;
	uint64_t words; /* of the stack's arguments, to be handed on */
	const uint64_t *stack;
	/* Of collect/preload/api/api-wrap.c alone. */
	struct kt_api_entry *entry;
	bool is_own; /* not of a child that borrows our memory */
	bool is_traced;
	unsigned forks; /* before it: its end is no event of a child's */
	struct kt_api_call call;
};

/*
 * Called by the assembly. Before: says which function to call, and sets frame->words;
 * after. They may change the integer registers and xmm0-15; errno must stay.
 */
void *kt_api_wrap_begin(struct kt_api_frame *frame, uint64_t number);
void kt_api_wrap_end(struct kt_api_frame *frame);

/* In a forked child: nothing was called yet. */
void kt_api_wrap_after_fork(void);

/* Jumped to by stubs, which leave their number in r11; no C function. */
void kt_api_wrap_entry(void);

#endif
