/* SPDX-License-Identifier: MIT */
/*
 * A door for tests alone: they find kt_softgpu_counts by dlsym. What uses the GPU does not
 * know of it, for there is none on a real one.
 */
#include <errno.h>

#include "corpus/softgpu/face/face.h"

/* What the process's device has done; -ENODEV where it has none. */
__attribute__((visibility("default"))) int kt_softgpu_counts(struct kt_gpu_counts *out);

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
