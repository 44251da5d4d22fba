/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/host.h"
#include "corpus/softgpu/driver/work/copies.h"
#include "corpus/softgpu/driver/work/graph.h"

/* A synchronous call works in the default stream. */
static int enter_default(struct kt_target *target)
{
	struct kt_context *context;
	int code = kt_enter(&context);

	if (code) {
		return code;
	}
	*target = kt_target_default(context);
	code = kt_capture_unsafe();
	return code ? code : kt_capture_implicit(context);
}

/* An asynchronous call in the stream of `handle`. */
static int enter_stream(struct kt_target *target, kt_cu_stream handle)
{
	int code = kt_target_find(target, handle);

	if (!code && !target->stream) {
		code = kt_capture_implicit(target->context);
	}
	return code;
}

static bool is_capturing(const struct kt_target *target)
{
	return target->stream && atomic_load(&target->stream->capturing);
}

kt_cu_result cuMemcpyHtoD(kt_cu_address to, const void *from, size_t bytes)
{
	KT_API(cuMemcpyHtoD);
	struct kt_target target;
	int code = enter_default(&target);

	if (code || bytes == 0) {
		return code;
	}
	return from ? kt_copy_to_device(&target, to, from, bytes, true)
		    : KT_CU_INVALID_VALUE;
}

kt_cu_result cuMemcpyDtoH(void *to, kt_cu_address from, size_t bytes)
{
	KT_API(cuMemcpyDtoH);
	struct kt_target target;
	int code = enter_default(&target);

	if (code || bytes == 0) {
		return code;
	}
	return to ? kt_copy_from_device(&target, to, from, bytes, true)
		  : KT_CU_INVALID_VALUE;
}

/* What a graph can hold: a copy by the copy engine, which needs locked memory. */
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
	int code = enter_stream(&target, stream);

	if (code || bytes == 0) {
		return code;
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
	int code = enter_stream(&target, stream);

	if (code || bytes == 0) {
		return code;
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
	int code = enter_default(&target);

	if (code || bytes == 0) {
		return code;
	}
	return kt_copy_on_device(&target, to, from, bytes, true);
}

kt_cu_result cuMemcpyDtoDAsync(kt_cu_address to, kt_cu_address from, size_t bytes,
			       kt_cu_stream stream)
{
	KT_API(cuMemcpyDtoDAsync);
	struct kt_target target;
	int code = enter_stream(&target, stream);

	if (!code) {
		code = kt_capture_refuse(target.stream);
	}
	if (code || bytes == 0) {
		return code;
	}
	return kt_copy_on_device(&target, to, from, bytes, false);
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
