/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "corpus/softgpu/device/code.h"
#include "corpus/softgpu/driver/work/copies.h"
#include "corpus/softgpu/driver/work/ptx.h"

static const struct {
	const char *name;
	uint32_t kernel;
	const char *arguments;
} built_in[] = {
#define ROW(name, kernel, arguments) {name, kernel, arguments},
	KT_GPU_KERNEL_TABLE(ROW)
#undef ROW
};

static int upload_code(struct kt_module *module, struct kt_context *context)
{
	const size_t kernels = sizeof(built_in) / sizeof(built_in[0]);
	uint8_t image[sizeof(built_in) / sizeof(built_in[0])][KT_GPU_CODE_BYTES] = {{0}};
	size_t n = 0;

	for (size_t i = 0; i < module->n && n < kernels; i++) {
		struct kt_gpu_code object = {
			.magic = KT_GPU_CODE_MAGIC,
			.kernel = module->functions[i].kernel,
		};

		if (object.kernel) {
			memcpy(image[n], &object, sizeof(object));
			module->functions[i].code = n++ * KT_GPU_CODE_BYTES;
		}
	}
	if (n == 0) {
		return KT_CU_OK;
	}
	KT_TRY(kt_heap_allocate(context->heap, n * KT_GPU_CODE_BYTES, &module->code));
	for (size_t i = 0; i < module->n; i++) {
		module->functions[i].code += module->code;
	}
	return kt_copy_upload(context, module->code, image, n * KT_GPU_CODE_BYTES);
}

static void free_functions(struct kt_module *module)
{
	for (size_t i = 0; i < module->n; i++) {
		free(module->functions[i].name);
	}
	free(module->functions);
	free(module);
}

int kt_module_load(struct kt_module **out, struct kt_context *context, const char *image)
{
	static const char elf[] = "\177ELF";
	static const char fat_binary[] = "\x50\xed\x55\xba";
	struct kt_module *module = NULL;
	struct kt_ptx ptx = {0};
	int code = KT_CU_OUT_OF_MEMORY;

	/* Code for real devices. */
	if (strncmp(image, elf, 4) == 0 || strncmp(image, fat_binary, 4) == 0) {
		return KT_CU_NO_BINARY_FOR_GPU;
	}
	switch (kt_ptx_read(&ptx, image)) {
	case KT_PTX_OK: break;
	case KT_PTX_NO_MEMORY: return KT_CU_OUT_OF_MEMORY;
	default: return KT_CU_INVALID_IMAGE;
	}
	module = calloc(1, sizeof(*module));
	if (!module) {
		goto end;
	}
	module->functions = calloc(ptx.n ? ptx.n : 1, sizeof(*module->functions));
	if (!module->functions) {
		goto end;
	}
	module->n = ptx.n;
	for (size_t i = 0; i < ptx.n; i++) {
		struct kt_function *function = &module->functions[i];

		function->name = ptx.names[i];
		ptx.names[i] = NULL;
		for (size_t j = 0; j < sizeof(built_in) / sizeof(built_in[0]); j++) {
			if (strcmp(built_in[j].name, function->name) == 0) {
				function->kernel = built_in[j].kernel;
				function->arguments = built_in[j].arguments;
			}
		}
	}
	KT_TRY_END(upload_code(module, context));
	for (size_t i = 0; i < module->n; i++) {
		kt_object_add(&module->functions[i].object, KT_OBJECT_FUNCTION, context);
	}
	kt_object_add(&module->object, KT_OBJECT_MODULE, context);
	*out = module;
end:
	kt_ptx_free(&ptx);
	if (code && module) {
		if (module->code) {
			kt_heap_free(context->heap, module->code);
		}
		free_functions(module);
	}
	return code;
}

int kt_module_function(const struct kt_module *module, const char *name,
		       struct kt_function **out)
{
	for (size_t i = 0; i < module->n; i++) {
		if (strcmp(module->functions[i].name, name) == 0) {
			*out = &module->functions[i];
			return (*out)->kernel ? KT_CU_OK : KT_CU_NOT_SUPPORTED;
		}
	}
	return KT_CU_NOT_FOUND;
}

int kt_module_free(struct kt_module *module)
{
	struct kt_context *context = module->object.context;
	int code;

	for (size_t i = 0; i < module->n; i++) {
		kt_object_take(&module->functions[i], KT_OBJECT_FUNCTION);
	}
	code = kt_wait_all(context);
	if (module->code) {
		kt_heap_free(context->heap, module->code);
	}
	free_functions(module);
	return code;
}
