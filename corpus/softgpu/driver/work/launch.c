/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* strdup */
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

/*
 * Code of all functions of a module, before it is written to device memory; each function
 * begins at a multiple of 256.
 */
struct image {
	uint8_t *bytes; /* Owned by this */
	size_t n;
};

/* The device fetches code ahead of its execution, across the end of the last function. */
#define FETCHED_AHEAD 4096u

/* Adds the code of a function; its address is an offset until upload_code(). */
static int add_code(struct image *image, struct kt_function *function, const void *code,
		    size_t bytes)
{
	const size_t whole =
		(bytes + KT_GPU_CODE_BYTES - 1) / KT_GPU_CODE_BYTES * KT_GPU_CODE_BYTES;
	uint8_t *larger = realloc(image->bytes, image->n + whole);

	if (!larger) {
		return KT_CU_OUT_OF_MEMORY;
	}
	memset(larger + image->n, 0, whole);
	memcpy(larger + image->n, code, bytes);
	function->code = image->n;
	function->known = true;
	image->bytes = larger;
	image->n += whole;
	return KT_CU_OK;
}

static int upload_code(struct kt_module *module, struct kt_context *context,
		       const struct image *image)
{
	if (image->n == 0) {
		return KT_CU_OK;
	}
	KT_TRY(kt_heap_allocate(context->heap, image->n + FETCHED_AHEAD, &module->code));
	for (size_t i = 0; i < module->n; i++) {
		module->functions[i].code += module->code;
	}
	return kt_copy_upload(context, module->code, image->bytes, image->n);
}

/* --- built-in kernels, in the code of the model or of Hopper --- */

static int add_model_code(struct image *image, struct kt_function *function, size_t number)
{
	const struct kt_gpu_code code = {
		.magic = KT_GPU_CODE_MAGIC,
		.kernel = built_in[number].kernel,
	};
	struct kt_kernel_needs *needs = &function->needs;

	for (const char *size = built_in[number].arguments; *size; size++) {
		const uint32_t bytes = (uint32_t)(*size - '0');
		const uint32_t at = (needs->parameter_bytes + bytes - 1) / bytes * bytes;

		needs->parameters[needs->n++] =
			(struct kt_parameter){(uint16_t)at, (uint16_t)bytes};
		needs->parameter_bytes = at + bytes;
	}
	return add_code(image, function, &code, sizeof(code));
}

static int cubin_result(enum kt_cubin_status status)
{
	switch (status) {
	case KT_CUBIN_OK: return KT_CU_OK;
	case KT_CUBIN_NONE: return KT_CU_NOT_FOUND;
	case KT_CUBIN_OTHER: return KT_CU_NO_BINARY_FOR_GPU;
	case KT_CUBIN_UNSUPPORTED: return KT_CU_NOT_SUPPORTED;
	default: return KT_CU_INVALID_IMAGE;
	}
}

static int add_cubin_code(struct image *image, struct kt_function *function,
			  const struct kt_cubin_kernel *kernel)
{
	if (kernel->needs.parameter_bytes > KT_LAUNCH_ARGUMENT_BYTES) {
		return KT_CU_NOT_SUPPORTED;
	}
	function->needs = kernel->needs;
	return add_code(image, function, kernel->code, kernel->code_bytes);
}

static int add_built_in(struct image *image, struct kt_function *function)
{
	static const _Alignas(8) unsigned char sm90[] = {
#include "corpus/softgpu/driver/kernels/kernels-sm90.inc"
	};
	struct kt_cubin_kernel kernel;

	for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++) {
		if (strcmp(built_in[i].name, function->name) != 0) {
			continue;
		}
		if (!kt_driver_get()->runs_machine_code) {
			return add_model_code(image, function, i);
		}
		KT_TRY(cubin_result(
			kt_cubin_find(&kernel, sm90, sizeof(sm90), function->name)));
		return add_cubin_code(image, function, &kernel);
	}
	return KT_CU_OK;
}

static void free_functions(struct kt_module *module)
{
	for (size_t i = 0; i < module->n; i++) {
		free(module->functions[i].name);
	}
	free(module->functions);
	free(module);
}

static int make_functions(struct kt_module *module, size_t n)
{
	module->functions = calloc(n ? n : 1, sizeof(*module->functions));
	module->n = module->functions ? n : 0;
	return module->functions ? KT_CU_OK : KT_CU_OUT_OF_MEMORY;
}

static int read_ptx(struct kt_module *module, struct image *image, const char *text)
{
	struct kt_ptx ptx = {0};
	int code;

	switch (kt_ptx_read(&ptx, text)) {
	case KT_PTX_OK: break;
	case KT_PTX_NO_MEMORY: return KT_CU_OUT_OF_MEMORY;
	default: return KT_CU_INVALID_IMAGE;
	}
	KT_TRY_END(make_functions(module, ptx.n));
	for (size_t i = 0; i < ptx.n; i++) {
		module->functions[i].name = ptx.names[i];
		ptx.names[i] = NULL;
		KT_TRY_END(add_built_in(image, &module->functions[i]));
	}
end:
	kt_ptx_free(&ptx);
	return code;
}

static int read_cubin(struct kt_module *module, struct image *image, const char *file)
{
	struct kt_cubin_kernel kernel;
	enum kt_cubin_status status;
	size_t bytes;
	size_t n = 0;
	size_t at = 0;

	if (!kt_driver_get()->runs_machine_code) {
		return KT_CU_NO_BINARY_FOR_GPU;
	}
	bytes = kt_cubin_bytes(file);
	while ((status = kt_cubin_next(&kernel, file, bytes, &at)) == KT_CUBIN_OK) {
		n++;
	}
	if (status != KT_CUBIN_NONE) {
		return cubin_result(status);
	}
	KT_TRY(make_functions(module, n));
	at = 0;
	for (size_t i = 0; i < n; i++) {
		KT_TRY(cubin_result(kt_cubin_next(&kernel, file, bytes, &at)));
		module->functions[i].name = strdup(kernel.name);
		if (!module->functions[i].name) {
			return KT_CU_OUT_OF_MEMORY;
		}
		KT_TRY(add_cubin_code(image, &module->functions[i], &kernel));
	}
	return KT_CU_OK;
}

int kt_module_load(struct kt_module **out, struct kt_context *context, const char *image)
{
	static const char elf[] = "\177ELF";
	static const char fat_binary[] = "\x50\xed\x55\xba";
	struct kt_module *module;
	struct image code_image = {0};
	uint32_t stack = 0;
	int code;

	if (strncmp(image, fat_binary, 4) == 0) {
		return KT_CU_NO_BINARY_FOR_GPU;
	}
	module = calloc(1, sizeof(*module));
	if (!module) {
		return KT_CU_OUT_OF_MEMORY;
	}
	KT_TRY_END(strncmp(image, elf, 4) == 0 ? read_cubin(module, &code_image, image)
					       : read_ptx(module, &code_image, image));
	for (size_t i = 0; i < module->n; i++) {
		const uint32_t needed = module->functions[i].needs.stack_bytes;

		stack = needed > stack ? needed : stack;
	}
	KT_TRY_END(kt_stack_provide(context, stack));
	KT_TRY_END(upload_code(module, context, &code_image));
	for (size_t i = 0; i < module->n; i++) {
		kt_object_add(&module->functions[i].object, KT_OBJECT_FUNCTION, context);
	}
	kt_object_add(&module->object, KT_OBJECT_MODULE, context);
	*out = module;
end:
	free(code_image.bytes);
	if (code) {
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
			return (*out)->known ? KT_CU_OK : KT_CU_NOT_SUPPORTED;
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

_Static_assert(KT_LAUNCH_SLOT_BYTES % 256 == 0, "the next slot's descriptor is aligned");

/* Limits of compute capability 9.0 (CUDA C++ Programming Guide, "Compute Capabilities"). */
#define MAX_GRID_X  0x7fffffffu
#define MAX_GRID_YZ 65535u
#define MAX_BLOCK   1024u
#define MAX_BLOCK_Z 64u
#define MAX_SHARED  49152u
#define WARP        32u

/*
 * A multiprocessor has four parts, each with an equal share of the registers; the warps of
 * a block go to them in turn.
 */
#define PARTS          4u
#define PART_REGISTERS 16384u

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
	memcpy(launch->tail.arguments, buffer, bytes);
	return KT_CU_OK;
}

/* Registers are given to a thread in eights. */
static uint32_t given_registers(uint32_t registers)
{
	return (registers + 7) / 8 * 8;
}

/* Returns whether a multiprocessor can run one block, as the kernel was compiled. */
static bool block_fits(const struct kt_kernel_needs *needs, const unsigned block[3])
{
	const uint32_t threads = block[0] * block[1] * block[2];
	const uint32_t warps = (threads + WARP - 1) / WARP;
	const uint32_t warps_of_part = (warps + PARTS - 1) / PARTS;

	for (unsigned i = 0; i < 3; i++) {
		if (needs->block[i] && needs->block[i] != block[i]) {
			return false;
		}
	}
	return (!needs->most_threads || threads <= needs->most_threads) &&
	       warps_of_part * WARP * given_registers(needs->registers) <= PART_REGISTERS;
}

int kt_launch_make(struct kt_launch *out, const struct kt_function *function,
		   const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
		   void **parameters, void **extra)
{
	const struct kt_kernel_needs *needs = &function->needs;
	const uint64_t window = kt_driver_get()->shared_window;

	*out = (struct kt_launch){
		.code = function->code,
		.registers = needs->registers,
		.barriers = needs->barriers,
		.shared_bytes = needs->shared_bytes + shared_bytes,
		.stack_bytes = needs->stack_bytes,
	};
	if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2] ||
	    grid[0] > MAX_GRID_X || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ ||
	    block[0] > MAX_BLOCK || block[1] > MAX_BLOCK || block[2] > MAX_BLOCK_Z ||
	    block[0] * block[1] * block[2] > MAX_BLOCK || shared_bytes > MAX_SHARED ||
	    needs->shared_bytes + shared_bytes > MAX_SHARED) {
		return KT_CU_INVALID_VALUE;
	}
	if (!block_fits(needs, block)) {
		return KT_CU_OUT_OF_RESOURCES;
	}
	for (unsigned i = 0; i < 3; i++) {
		out->constants.grid[i] = grid[i];
		out->constants.block[i] = block[i];
	}
	if (window) {
		out->constants.shared_window = window;
		out->constants.local_window = window - KT_LOCAL_WINDOW_BELOW;
		out->constants.stack = KT_STACK_END;
	}
	out->tail_bytes = KT_GPU_ARGUMENTS - KT_LAUNCH_TAIL + needs->parameter_bytes;
	if (parameters && extra) {
		return KT_CU_INVALID_VALUE;
	}
	if (!parameters && !extra) {
		return needs->n ? KT_CU_INVALID_VALUE : KT_CU_OK;
	}
	if (extra) {
		return unpack(out, extra, needs->parameter_bytes);
	}
	for (unsigned i = 0; i < needs->n; i++) {
		const struct kt_parameter *p = &needs->parameters[i];

		if (!parameters[i]) {
			return KT_CU_INVALID_VALUE;
		}
		memcpy(out->tail.arguments + p->offset, parameters[i], p->bytes);
	}
	return KT_CU_OK;
}

/* --- QMD --- */

/*
 * Multiprocessors divide their memory between cache and shared memory in steps; a field of
 * the QMD is 1 + the size in units of 4 KiB.
 */

static uint32_t shared_step(uint32_t bytes)
{
	static const uint32_t kib[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
	size_t i = 0;

	while (i + 1 < sizeof(kib) / sizeof(kib[0]) && kib[i] << 10 < bytes) {
		i++;
	}
	return kib[i] / 4 + 1;
}

#define SHARED_STEP_OFTEN 9u  /* 32 KiB */
#define SHARED_STEP_MOST  58u /* 228 KiB */

/* Values of fields of a QMD: clcbc0qmd.h of open-gpu-doc. */
enum {
	GRID_CTA = 2,         /* QMD_TYPE */
	NO_GROUP = 0x3f,      /* QMD_GROUP_ID, what NVIDIA's driver 580 writes */
	SM_90 = 0x90,         /* SASS_VERSION */
	NO_CHECK = 1,         /* API_VISIBLE_CALL_LIMIT */
	VIA_HEADER_INDEX = 1, /* SAMPLER_INDEX */
	L1_SYSMEMBAR = 1,     /* CWD_MEMBAR_TYPE */
};

#define SET(field, value) kt_bits_set(qmd, KT_QMD_V04_00__##field, value)

void kt_launch_describe(uint32_t qmd[KT_QMD_BYTES / 4], const struct kt_launch *launch,
			uint64_t slot)
{
	const uint64_t constants = slot + KT_LAUNCH_CONSTANTS;
	const uint32_t shared =
		(launch->shared_bytes + KT_CUBIN_SYSTEM_SHARED + 127) / 128 * 128;
	const uint32_t step = shared_step(shared);

	memset(qmd, 0, KT_QMD_BYTES);
	SET(QMD_MAJOR_VERSION, 4);
	SET(QMD_MINOR_VERSION, 0);
	SET(QMD_TYPE, GRID_CTA);
	SET(QMD_GROUP_ID, NO_GROUP);
	SET(SASS_VERSION, SM_90);
	SET(API_VISIBLE_CALL_LIMIT, NO_CHECK);
	SET(SAMPLER_INDEX, VIA_HEADER_INDEX);
	SET(CWD_MEMBAR_TYPE, L1_SYSMEMBAR);
	SET(INVALIDATE_TEXTURE_HEADER_CACHE, 1);
	SET(INVALIDATE_TEXTURE_SAMPLER_CACHE, 1);
	SET(INVALIDATE_TEXTURE_DATA_CACHE, 1);
	SET(INVALIDATE_SHADER_DATA_CACHE, 1);
	SET(INVALIDATE_SHADER_CONSTANT_CACHE, 1);
	SET(INVALIDATE_INSTRUCTION_CACHE, 1);
	SET(GRID_WIDTH, launch->constants.grid[0]);
	SET(GRID_HEIGHT, launch->constants.grid[1]);
	SET(GRID_DEPTH, launch->constants.grid[2]);
	SET(CTA_THREAD_DIMENSION0, launch->constants.block[0]);
	SET(CTA_THREAD_DIMENSION1, launch->constants.block[1]);
	SET(CTA_THREAD_DIMENSION2, launch->constants.block[2]);
	SET(REGISTER_COUNT, given_registers(launch->registers));
	SET(BARRIER_COUNT, launch->barriers ? launch->barriers : 1);
	if (launch->stack_bytes) {
		SET(SHADER_LOCAL_MEMORY_HIGH_SIZE, kt_stack_bytes(launch->stack_bytes));
	}
	SET(SHARED_MEMORY_SIZE, shared);
	SET(MIN_SM_CONFIG_SHARED_MEM_SIZE, step);
	SET(TARGET_SM_CONFIG_SHARED_MEM_SIZE,
	    step > SHARED_STEP_OFTEN ? step : SHARED_STEP_OFTEN);
	SET(MAX_SM_CONFIG_SHARED_MEM_SIZE, SHARED_STEP_MOST);
	SET(PROGRAM_ADDRESS_LOWER, (uint32_t)launch->code);
	SET(PROGRAM_ADDRESS_UPPER, (uint32_t)(launch->code >> 32));
	SET(CONSTANT_BUFFER_VALID(0), 1);
	SET(CONSTANT_BUFFER_INVALIDATE(0), 1);
	SET(CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6(0), (uint32_t)(constants >> 6));
	SET(CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(0), (uint32_t)(constants >> 38));
	SET(CONSTANT_BUFFER_SIZE_SHIFTED4(0), KT_GPU_CONSTANT_BYTES >> 4);
}

#undef SET

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
	kt_push_inline(&push, slot + KT_LAUNCH_CONSTANTS, &launch->constants,
		       sizeof(launch->constants));
	kt_push_inline(&push, slot + KT_LAUNCH_CONSTANTS + KT_LAUNCH_TAIL, &launch->tail,
		       launch->tail_bytes);
	kt_push_inline(&push, slot + KT_LAUNCH_QMD, qmd, sizeof(qmd));
	kt_push_launch(&push, slot);
	code = kt_target_submit(target, &push, NULL);
	kt_push_free(&push);
	return code;
}
