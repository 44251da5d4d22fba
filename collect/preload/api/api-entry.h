/* SPDX-License-Identifier: MIT */
/*
 * Target of the stubs of collect/preload/api/api-table.c: a function with an ordinary frame
 * and unwind tables, which calls the wrapped function with all arguments, including
 * arguments on the stack. It neither changes return addresses nor keeps a shadow stack, so
 * exceptions, forced unwinding and longjmp pass through it; a call that ends in this way
 * has no api_exit. x86-64, System V.
 */
#ifndef KTAIL_COLLECT_API_ENTRY_H
#define KTAIL_COLLECT_API_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/preload/api/api-calls.h"

struct kt_api_entry;

/*
 * State of one call; it lies on the calling thread's stack. The assembly uses the offsets
 * of members up to `stack`.
 */
struct kt_api_frame {
	unsigned char vectors[128]; /* xmm0 .. xmm7 */
	uint64_t arguments[6];      /* rdi, rsi, rdx, rcx, r8, r9 */
	uint64_t rax;               /* after the call: result, with rdx, xmm0, xmm1 */
	uint64_t r10;
	uint64_t rdx;
	uint64_t words; /* number of 8-byte words of stack arguments to pass on */
	const uint64_t *stack;
	/* Private to collect/preload/api/api-wrap.c. */
	struct kt_api_entry *entry;
	bool is_own; /* false in a vfork child, which uses its parent's memory */
	bool is_recorded; /* own, and not made by the recorder itself */
	bool is_traced;   /* recorded, and the function is traced */
	/*
	 * Number of forks before the call. In a forked child, the current number is
	 * greater, so the child does not report the end of the call.
	 */
	unsigned forks;
	struct kt_api_call call;
};

/*
 * The assembly calls these before and after the wrapped function. kt_api_wrap_begin()
 * returns the function to call and sets frame->words. Both may change the integer registers
 * and xmm0-15, but not errno.
 */
void *kt_api_wrap_begin(struct kt_api_frame *frame, uint64_t number);
void kt_api_wrap_end(struct kt_api_frame *frame);

/* Call in a forked child, so that it does not report the end of calls of its parent. */
void kt_api_wrap_after_fork(void);

/* Target of the stubs, which leave their number in r11; not callable from C. */
void kt_api_wrap_entry(void);

#endif
