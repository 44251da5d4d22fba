/* SPDX-License-Identifier: MIT */
/*
 * The recorder's own system calls, without libc: no errno, no cancellation point, nothing
 * that is interposed, so they are safe in signal handlers. x86-64 Linux.
 */
#ifndef KTAIL_COLLECT_KERNEL_H
#define KTAIL_COLLECT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "collect/faults.h"

/* The result as the kernel gives it: -errno on failure. */
static inline long kt_kernel6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* As many arguments as the call has, pointers and integers alike. */
#define KT_KERNEL(number, ...) KT_KERNEL_PICK(number, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define KT_KERNEL_PICK(number, a, b, c, d, e, f, ...)                                      \
	kt_kernel6(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline bool kt_kernel_failed(long result)
{
	return (unsigned long)result > -4096ul;
}

/*
 * The same for calls whose failure the recorder must survive: tests make each of them fail
 * once (collect/faults.h).
 */
#define KT_KERNEL_TRY(number, ...)                                                         \
	(kt_fault_now(#number) ? -12L /* ENOMEM */ : KT_KERNEL(number, __VA_ARGS__))

#endif
