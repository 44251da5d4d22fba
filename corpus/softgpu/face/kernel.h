/* SPDX-License-Identifier: MIT */
/*
 * The face's own system calls, without libc: a plain call of mmap or close in a preloaded
 * library would reach the recorder, which stands in front. x86-64 Linux. Results are the
 * kernel's: -errno on failure.
 */
#ifndef KTAIL_SOFTGPU_FACE_KERNEL_H
#define KTAIL_SOFTGPU_FACE_KERNEL_H

#include <stdbool.h>
#include <sys/syscall.h>

static inline long kt_face_call6(long number, long a, long b, long c, long d, long e,
				 long f)
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
#define KT_FACE_CALL(number, ...) KT_FACE_CALL_PICK(number, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define KT_FACE_CALL_PICK(number, a, b, c, d, e, f, ...)                                   \
	kt_face_call6(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e),       \
		      (long)(f))

static inline bool kt_face_failed(long result)
{
	return (unsigned long)result > -4096ul;
}

#endif
