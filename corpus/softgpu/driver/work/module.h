/* SPDX-License-Identifier: MIT */
/*
 * Modules: the entries that a PTX text names. The built-in kernels among them
 * (KT_GPU_KERNEL_TABLE) get their code into device memory when the module is loaded.
 */
#ifndef KTAIL_SOFTGPU_MODULE_H
#define KTAIL_SOFTGPU_MODULE_H

#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/object.h"

struct kt_function {
	struct kt_object object;
	char *name;            /* Owned by this */
	uint32_t kernel;       /* enum kt_gpu_kernel; 0: none that is built in */
	const char *arguments; /* their bytes, a digit each. Static */
	uint64_t code;         /* GPU address */
};

struct kt_module {
	struct kt_object object;
	struct kt_function *functions; /* Owned by this */
	size_t n;
	uint64_t code; /* of all built-in kernels, in the context's heap; 0: none */
};

int kt_module_load(struct kt_module **out, struct kt_context *context, const char *image);
/* KT_CU_NOT_FOUND: no such entry; KT_CU_NOT_SUPPORTED: no built-in kernel. */
int kt_module_function(const struct kt_module *module, const char *name,
		       struct kt_function **out);
/* Of one that nobody can find any more; waits until all launches are done. */
int kt_module_free(struct kt_module *module);

#endif
