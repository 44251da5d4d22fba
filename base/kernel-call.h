/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc, for x86-64 Linux. They do not set errno, so they are safe in
 * signal handlers. They are not cancellation points, and bypass interposed functions, so a
 * recorder does not observe them.
 */
#ifndef KTAIL_KERNEL_CALL_H
#define KTAIL_KERNEL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* Returns the kernel's result: -errno on failure. */
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

/* Makes a system call with 1 to 6 arguments, which may be pointers or integers. */
#define KT_KERNEL(number, ...) KT_KERNEL_PICK(number, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define KT_KERNEL_PICK(number, a, b, c, d, e, f, ...)                                      \
	kt_kernel6(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline bool kt_kernel_failed(long result)
{
	return (unsigned long)result > -4096ul;
}

#endif
