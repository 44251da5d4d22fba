/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/host.h"
#include "corpus/softgpu/driver/work/graph.h"

static int enter_unsafe(struct kt_context **context)
{
	KT_TRY(kt_enter(context));
	return kt_capture_unsafe();
}

kt_cu_result cuMemAlloc(kt_cu_address *address, size_t bytes)
{
	KT_API(cuMemAlloc);
	struct kt_context *context;

	KT_TRY(enter_unsafe(&context));
	if (!address || bytes == 0) {
		return KT_CU_INVALID_VALUE;
	}
	return kt_heap_allocate(context->heap, bytes, address);
}

kt_cu_result cuMemFree(kt_cu_address address)
{
	KT_API(cuMemFree);
	struct kt_context *context;
	struct kt_memory object;
	uint64_t piece = 0;
	uint64_t bytes = 0;

	KT_TRY(enter_unsafe(&context));
	if (address == 0) {
		return KT_CU_OK;
	}
	if (!kt_heap_find(context->heap, address, &object, &piece, &bytes) ||
	    piece != address) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_wait_all(context));
	return kt_heap_free(context->heap, address);
}

kt_cu_result cuMemGetInfo(size_t *left, size_t *total)
{
	KT_API(cuMemGetInfo);
	struct kt_context *context;
	uint64_t all;
	uint64_t used;

	KT_TRY(kt_enter(&context));
	if (!left || !total) {
		return KT_CU_INVALID_VALUE;
	}
	all = kt_driver_get()->memory_bytes;
	used = kt_heap_used();
	*left = used < all ? all - used : 0;
	*total = all;
	return KT_CU_OK;
}

kt_cu_result cuMemAllocHost(void **memory, size_t bytes)
{
	KT_API(cuMemAllocHost);
	struct kt_context *context;

	KT_TRY(enter_unsafe(&context));
	if (!memory || bytes == 0) {
		return KT_CU_INVALID_VALUE;
	}
	return kt_host_allocate(context, memory, bytes);
}

kt_cu_result cuMemFreeHost(void *memory)
{
	KT_API(cuMemFreeHost);
	struct kt_context *context;

	KT_TRY(enter_unsafe(&context));
	return kt_host_free(memory);
}

/* Flags of cuMemHostRegister: portable, device map, I/O memory, read only. */
enum { HOST_FLAGS = 0xf, HOST_IO_MEMORY = 4 };

kt_cu_result cuMemHostRegister(void *memory, size_t bytes, unsigned flags)
{
	KT_API(cuMemHostRegister);
	struct kt_context *context;

	KT_TRY(enter_unsafe(&context));
	if (!memory || bytes == 0 || flags > HOST_FLAGS) {
		return KT_CU_INVALID_VALUE;
	}
	if (flags & HOST_IO_MEMORY) {
		return KT_CU_NOT_SUPPORTED;
	}
	return kt_host_register(context, memory, bytes);
}

kt_cu_result cuMemHostUnregister(void *memory)
{
	KT_API(cuMemHostUnregister);
	struct kt_context *context;

	KT_TRY(enter_unsafe(&context));
	return memory ? kt_host_unregister(memory) : KT_CU_INVALID_VALUE;
}
