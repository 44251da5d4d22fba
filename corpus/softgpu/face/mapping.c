/* SPDX-License-Identifier: MIT */
/* mmap of a device file: of what the request before it has named. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "corpus/softgpu/face/face.h"
#include "base/kernel-call.h"

long kt_face_mmap(int fd, uint64_t address, uint64_t length, int protection, int flags,
		  uint64_t offset)
{
	struct kt_face_guard guard;
	struct kt_face_file file;
	struct kt_face *face;
	long result;

	kt_face_enter(&guard);
	face = kt_face_get();
	file = kt_face_file_look(fd);
	if (!face || file.owner != face->id) {
		result = -ENODEV;
	} else if (file.device == KT_FACE_UVM) {
		/* Unified memory: pages that the process alone has, shared with forked
		 * children. */
		result = KT_KERNEL(SYS_mmap, address, length, protection,
				   (flags & ~MAP_TYPE) | MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	} else if (file.access == O_WRONLY ||
		   ((protection & PROT_WRITE) && (flags & MAP_TYPE) != MAP_PRIVATE &&
		    file.access != O_RDWR)) {
		result = -EACCES;
	} else if (!file.pending || offset != 0 || length == 0 || length > file.bytes ||
		   !kt_gpu_memory_at(face->gpu, file.physical, file.bytes)) {
		result = -EINVAL;
	} else {
		result = kt_gpu_map(face->gpu, file.physical, address, length, protection,
				    flags);
	}
	kt_face_leave(&guard);
	return result;
}
