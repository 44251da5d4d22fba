/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/copies.h"
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
	uint64_t unused;
	uint64_t used;

	KT_TRY(kt_enter(&context));
	if (!left || !total) {
		return KT_CU_INVALID_VALUE;
	}
	unused = kt_driver_get()->memory_free;
	used = kt_heap_used();
	*left = used < unused ? unused - used : 0;
	*total = kt_driver_get()->memory_bytes;
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

/* --- copies --- */

/* Synchronous calls work in the default stream. */
static int enter_default(struct kt_target *target)
{
	struct kt_context *context;

	KT_TRY(kt_enter(&context));
	*target = kt_target_default(context);
	KT_TRY(kt_capture_unsafe());
	return kt_capture_implicit(context);
}

/* Asynchronous calls work in the stream of `handle`. */
static int enter_stream(struct kt_target *target, kt_cu_stream handle)
{
	KT_TRY(kt_target_find(target, handle));
	return target->stream ? KT_CU_OK : kt_capture_implicit(target->context);
}

static bool is_capturing(const struct kt_target *target)
{
	return target->stream && atomic_load(&target->stream->capturing);
}

kt_cu_result cuMemcpyHtoD(kt_cu_address to, const void *from, size_t bytes)
{
	KT_API(cuMemcpyHtoD);
	struct kt_target target;

	KT_TRY(enter_default(&target));
	if (bytes == 0) {
		return KT_CU_OK;
	}
	return from ? kt_copy_to_device(&target, to, from, bytes, true)
		    : KT_CU_INVALID_VALUE;
}

kt_cu_result cuMemcpyDtoH(void *to, kt_cu_address from, size_t bytes)
{
	KT_API(cuMemcpyDtoH);
	struct kt_target target;

	KT_TRY(enter_default(&target));
	if (bytes == 0) {
		return KT_CU_OK;
	}
	return to ? kt_copy_from_device(&target, to, from, bytes, true)
		  : KT_CU_INVALID_VALUE;
}

/*
 * A graph can hold only copies by the copy engine, which require page-locked host memory;
 * other copies are refused.
 */
static int capture(const struct kt_target *target, uint64_t device, uint64_t host,
		   bool to_device, size_t bytes)
{
	bool captured;

	KT_TRY(kt_copy_check(target->context, device, bytes));
	if (kt_driver_get()->transfer != KT_TRANSFER_DMA ||
	    !kt_host_holds((const void *)(uintptr_t)host, bytes)) {
		return kt_capture_refuse(target->stream);
	}
	return kt_capture_copy(target->stream, to_device ? device : host,
			       to_device ? host : device, bytes, &captured);
}

kt_cu_result cuMemcpyHtoDAsync(kt_cu_address to, const void *from, size_t bytes,
			       kt_cu_stream stream)
{
	KT_API(cuMemcpyHtoDAsync);
	struct kt_target target;

	KT_TRY(enter_stream(&target, stream));
	if (bytes == 0) {
		return KT_CU_OK;
	}
	if (!from) {
		return KT_CU_INVALID_VALUE;
	}
	if (is_capturing(&target)) {
		return capture(&target, to, (uintptr_t)from, true, bytes);
	}
	return kt_copy_to_device(&target, to, from, bytes, false);
}

kt_cu_result cuMemcpyDtoHAsync(void *to, kt_cu_address from, size_t bytes,
			       kt_cu_stream stream)
{
	KT_API(cuMemcpyDtoHAsync);
	struct kt_target target;

	KT_TRY(enter_stream(&target, stream));
	if (bytes == 0) {
		return KT_CU_OK;
	}
	if (!to) {
		return KT_CU_INVALID_VALUE;
	}
	if (is_capturing(&target)) {
		return capture(&target, from, (uintptr_t)to, false, bytes);
	}
	return kt_copy_from_device(&target, to, from, bytes, false);
}

kt_cu_result cuMemcpyDtoD(kt_cu_address to, kt_cu_address from, size_t bytes)
{
	KT_API(cuMemcpyDtoD);
	struct kt_target target;

	KT_TRY(enter_default(&target));
	return bytes ? kt_copy_on_device(&target, to, from, bytes, true) : KT_CU_OK;
}

kt_cu_result cuMemcpyDtoDAsync(kt_cu_address to, kt_cu_address from, size_t bytes,
			       kt_cu_stream stream)
{
	KT_API(cuMemcpyDtoDAsync);
	struct kt_target target;

	KT_TRY(enter_stream(&target, stream));
	KT_TRY(kt_capture_refuse(target.stream));
	return bytes ? kt_copy_on_device(&target, to, from, bytes, false) : KT_CU_OK;
}

kt_cu_result cuMemsetD8(kt_cu_address to, unsigned char value, size_t n)
{
	KT_API(cuMemsetD8);
	struct kt_target target;
	int code = enter_default(&target);

	return code || n == 0 ? code : kt_copy_fill(&target, to, value, 1, n);
}

kt_cu_result cuMemsetD32(kt_cu_address to, unsigned value, size_t n)
{
	KT_API(cuMemsetD32);
	struct kt_target target;
	int code = enter_default(&target);

	if (code || n == 0) {
		return code;
	}
	return to % 4 ? KT_CU_INVALID_VALUE : kt_copy_fill(&target, to, value, 4, n);
}
