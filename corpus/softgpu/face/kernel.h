/* SPDX-License-Identifier: MIT */
/*
 * The face's own system calls, without libc: a plain call of mmap or close in a preloaded
 * library would reach the recorder, which stands in front. Results are the kernel's: -errno
 * on failure.
 */
#ifndef KTAIL_SOFTGPU_FACE_KERNEL_H
#define KTAIL_SOFTGPU_FACE_KERNEL_H

#include <stdbool.h>

#include "corpus/softgpu/device/system.h"

/* As many arguments as the call has, pointers and integers alike. */
#define KT_FACE_CALL(number, ...) KT_FACE_CALL_PICK(number, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define KT_FACE_CALL_PICK(number, a, b, c, d, e, f, ...)                                   \
	kt_system(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline bool kt_face_failed(long result)
{
	return (unsigned long)result > -4096ul;
}

#endif
