/* SPDX-License-Identifier: MIT */
/* What the face answers in libc's place: ioctl and mmap of device files. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "corpus/softgpu/face/face.h"
#include "corpus/softgpu/face/interpose.h"
#include "base/kernel-call.h"
#include "corpus/softgpu/face/next.h"

bool kt_face_is_ours(int fd)
{
	return kt_face_file_look(fd).device != KT_FACE_NONE;
}

/* --- ioctl --- */

int kt_face_do_ioctl(int fd, unsigned long request, uintptr_t argument)
{
	int result = kt_face_ioctl(fd, request, argument);

	if (result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

KT_FACE_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	/* These a kernel answers for every file, before its driver is asked. */
	if (request == FIOCLEX || request == FIONCLEX || request == FIONBIO ||
	    request == FIOASYNC || !kt_face_is_ours(fd)) {
		return kt_face_next()->ioctl(fd, request, argument);
	}
	return kt_face_do_ioctl(fd, request, (uintptr_t)argument);
}

/* --- mmap --- */

long kt_face_do_mmap(int fd, uintptr_t address, size_t length, int protection, int flags,
		     off_t offset)
{
	long result =
		kt_face_mmap(fd, address, length, protection, flags, (uint64_t)offset);

	if (kt_kernel_failed(result)) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

KT_FACE_EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd,
			  off_t offset)
{
	return (flags & MAP_ANONYMOUS) || !kt_face_is_ours(fd)
		       ? kt_face_next()->mmap(address, length, protection, flags, fd,
					      offset)
		       : (void *)kt_face_do_mmap(fd, (uintptr_t)address, length, protection,
						 flags, offset);
}

/* The same on a machine whose off_t has 64 bits. */
KT_FACE_SECOND_NAME(mmap64, mmap);

/* --- counts --- */

/*
 * A door for tests alone: they find kt_softgpu_counts by dlsym. What uses the GPU does not
 * know of it, for there is none on a real one. What the process's device has done; -ENODEV
 * where it has none.
 */
KT_FACE_EXPORT int kt_softgpu_counts(struct kt_gpu_counts *out);

int kt_softgpu_counts(struct kt_gpu_counts *out)
{
	struct kt_face_guard guard;
	struct kt_face *face;

	kt_face_enter(&guard);
	face = kt_face_get();
	if (face) {
		kt_gpu_counts(face->gpu, out);
	}
	kt_face_leave(&guard);
	return face ? 0 : -ENODEV;
}
