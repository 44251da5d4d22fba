/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/launch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "corpus/softgpu/driver/work/copies.h"
#include "corpus/softgpu/driver/work/ptx.h"
#include "decode/bits.h"

/* --- modules --- */

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

	/* Rejects code for real devices. */
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

/* --- launches --- */

_Static_assert(KT_LAUNCH_DIMENSIONS + 32 == KT_GPU_ARGUMENTS, "arguments follow");
_Static_assert(KT_GPU_ARGUMENTS + KT_LAUNCH_ARGUMENT_BYTES <= KT_GPU_CONSTANT_BYTES,
	       "room");
_Static_assert(KT_LAUNCH_SLOT_BYTES % 256 == 0, "the next slot's descriptor is aligned");

/* Limits of compute capability 9.0 (CUDA C++ Programming Guide, "Compute Capabilities"). */
#define MAX_GRID_X  0x7fffffffu
#define MAX_GRID_YZ 65535u
#define MAX_BLOCK   1024u
#define MAX_BLOCK_Z 64u
#define MAX_SHARED  49152u

/* Format of `extra`: pairs of a name and a value, then END. */
#define EXTRA_END    ((uintptr_t)0)
#define EXTRA_BUFFER ((uintptr_t)1)
#define EXTRA_SIZE   ((uintptr_t)2)

static int unpack(struct kt_launch *launch, void **extra, size_t bytes)
{
	const void *buffer = NULL;
	size_t size = 0;

	for (size_t i = 0; (uintptr_t)extra[i] != EXTRA_END; i += 2) {
		if ((uintptr_t)extra[i] == EXTRA_BUFFER) {
			buffer = extra[i + 1];
		} else if ((uintptr_t)extra[i] == EXTRA_SIZE && extra[i + 1]) {
			memcpy(&size, extra[i + 1], sizeof(size));
		} else {
			return KT_CU_INVALID_VALUE;
		}
	}
	if (!buffer || size < bytes) {
		return KT_CU_INVALID_VALUE;
	}
	memcpy(launch->constants.arguments, buffer, bytes);
	return KT_CU_OK;
}

static size_t after(size_t at, size_t bytes)
{
	return (at + bytes - 1) / bytes * bytes + bytes;
}

int kt_launch_make(struct kt_launch *out, const struct kt_function *function,
		   const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
		   void **parameters, void **extra)
{
	const char *sizes = function->arguments;
	uint8_t *arguments = out->constants.arguments;
	size_t bytes = 0;

	*out = (struct kt_launch){.code = function->code, .shared_bytes = shared_bytes};
	if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2] ||
	    grid[0] > MAX_GRID_X || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ ||
	    block[0] > MAX_BLOCK || block[1] > MAX_BLOCK || block[2] > MAX_BLOCK_Z ||
	    block[0] * block[1] * block[2] > MAX_BLOCK || shared_bytes > MAX_SHARED) {
		return KT_CU_INVALID_VALUE;
	}
	for (unsigned i = 0; i < 3; i++) {
		out->constants.grid[i] = grid[i];
		out->constants.block[i] = block[i];
	}
	for (const char *size = sizes; *size; size++) {
		bytes = after(bytes, (size_t)(*size - '0'));
	}
	if (bytes > sizeof(out->constants.arguments)) {
		return KT_CU_NOT_SUPPORTED;
	}
	out->constants_bytes = (uint32_t)(KT_GPU_ARGUMENTS - KT_LAUNCH_DIMENSIONS + bytes);
	if ((parameters != NULL) == (extra != NULL)) {
		return KT_CU_INVALID_VALUE;
	}
	if (extra) {
		return unpack(out, extra, bytes);
	}
	bytes = 0;
	for (size_t i = 0; sizes[i]; i++) {
		size_t size = (size_t)(sizes[i] - '0');

		if (!parameters[i]) {
			return KT_CU_INVALID_VALUE;
		}
		bytes = after(bytes, size);
		memcpy(arguments + bytes - size, parameters[i], size);
	}
	return KT_CU_OK;
}

void kt_launch_describe(uint32_t qmd[KT_QMD_BYTES / 4], const struct kt_launch *launch,
			uint64_t slot)
{
	uint64_t constants = slot + KT_LAUNCH_CONSTANTS;

	memset(qmd, 0, KT_QMD_BYTES);
	kt_bits_set(qmd, KT_QMD_V04_00__QMD_MAJOR_VERSION, 4);
	kt_bits_set(qmd, KT_QMD_V04_00__QMD_MINOR_VERSION, 0);
	kt_bits_set(qmd, KT_QMD_V04_00__GRID_WIDTH, launch->constants.grid[0]);
	kt_bits_set(qmd, KT_QMD_V04_00__GRID_HEIGHT, launch->constants.grid[1]);
	kt_bits_set(qmd, KT_QMD_V04_00__GRID_DEPTH, launch->constants.grid[2]);
	kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION0, launch->constants.block[0]);
	kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION1, launch->constants.block[1]);
	kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION2, launch->constants.block[2]);
	kt_bits_set(qmd, KT_QMD_V04_00__SHARED_MEMORY_SIZE, launch->shared_bytes);
	kt_bits_set(qmd, KT_QMD_V04_00__PROGRAM_ADDRESS_LOWER, (uint32_t)launch->code);
	kt_bits_set(qmd, KT_QMD_V04_00__PROGRAM_ADDRESS_UPPER,
		    (uint32_t)(launch->code >> 32));
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_VALID(0), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_INVALIDATE(0), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6(0),
		    (uint32_t)(constants >> 6));
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(0),
		    (uint32_t)(constants >> 38));
	kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_SIZE_SHIFTED4(0),
		    KT_GPU_CONSTANT_BYTES >> 4);
}

void kt_launch_chain(uint32_t qmd[KT_QMD_BYTES / 4], uint64_t next, bool decrement)
{
	kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENT_QMD_ENABLE(0), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENT_QMD_ACTION(0),
		    decrement ? KT_GPU_QMD_DECREMENT_DEPENDENCE : KT_GPU_QMD_SCHEDULE);
	kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENT_QMD_PREFETCH(0), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENT_QMD0_POINTER,
		    (uint32_t)((next + KT_LAUNCH_QMD) >> 8));
}

void kt_launch_depend(uint32_t qmd[KT_QMD_BYTES / 4], uint32_t dependences)
{
	kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENCE_COUNTER, dependences);
}

/* NVIDIA's driver, too, gives each of the two methods a header and a dword of its own. */
static void push_pcas(struct kt_push *push, uint64_t slot, uint32_t action)
{
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SEND_PCAS_A, 1);
	kt_push_word(push, (uint32_t)((slot + KT_LAUNCH_QMD) >> 8));
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SEND_SIGNALING_PCAS2_B, 1);
	kt_push_word(push, kt_bits(KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION, action));
}

void kt_push_launch(struct kt_push *push, uint64_t slot)
{
	push_pcas(
		push, slot,
		KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_PREFETCH_COPY_SCHEDULE);
}

void kt_push_decrement(struct kt_push *push, uint64_t slot)
{
	push_pcas(push, slot,
		  KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__DECREMENT_DEPENDENCE);
}

int kt_launch_submit(const struct kt_target *target, const struct kt_launch *launch)
{
	KT_SUBMITTING(LAUNCH);
	/*
	 * Uses the channel's slots in rotation, to imitate a driver with concurrent
	 * launches. Any slot of the channel would be correct, see launch.h.
	 */
	static _Atomic uint32_t launches;
	const struct kt_memory *memory = &target->context->launches;
	uint64_t slots = memory->bytes / KT_LAUNCH_SLOT_BYTES / KT_CHANNELS;
	uint64_t number =
		target->channel->index * slots + atomic_fetch_add(&launches, 1) % slots;
	uint64_t slot = memory->address + number * KT_LAUNCH_SLOT_BYTES;
	uint32_t qmd[KT_QMD_BYTES / 4];
	struct kt_push push = {0};
	int code;

	kt_launch_describe(qmd, launch, slot);
	kt_push_inline(&push, slot + KT_LAUNCH_CONSTANTS + KT_LAUNCH_DIMENSIONS,
		       &launch->constants, launch->constants_bytes);
	kt_push_inline(&push, slot + KT_LAUNCH_QMD, qmd, sizeof(qmd));
	kt_push_launch(&push, slot);
	code = kt_target_submit(target, &push, NULL);
	kt_push_free(&push);
	return code;
}
