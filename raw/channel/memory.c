/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "raw/channel/state.h"

/*
 * After a call of libcuda: it may have used the channel; and if the channel died, that is
 * the reason why the call failed.
 */
static int of_libcuda(kt_raw *raw, int code)
{
	KT_TRY(kt_raw_check_channel(raw));
	return code;
}

int kt_raw_allocate(kt_raw *raw, enum kt_raw_memory_kind kind, size_t bytes,
		    uint64_t *address)
{
	void *memory = NULL;
	int code = KT_OK;

	if (bytes == 0 || bytes > SIZE_MAX - 255) {
		return kt_error(KT_E_USAGE, "allocate %zu bytes: not 1 to %zu", bytes,
				SIZE_MAX - 255);
	}
	KT_TRY(kt_array_reserve(&raw->allocations, &raw->allocations_capacity,
				raw->n_allocations + 1));
	bytes = (bytes + 255) & ~(size_t)255;
	switch (kind) {
	case KT_RAW_MEMORY_DEVICE:
		code = kt_raw_cuda_check(&raw->cuda, raw->cuda.cuMemAlloc(address, bytes),
					 "allocate device memory");
		break;
	case KT_RAW_MEMORY_HOST:
		code = kt_raw_cuda_check(&raw->cuda,
					 raw->cuda.cuMemAllocHost(&memory, bytes),
					 "allocate host memory");
		*address = (uintptr_t)memory;
		break;
	case KT_RAW_MEMORY_LOW:
		if (bytes > raw->low.length - raw->low_used) {
			return kt_error(
				KT_E_IO,
				"allocate %zu bytes of low memory: only %zu are free",
				bytes, raw->low.length - raw->low_used);
		}
		*address = raw->low.start + raw->low_used;
		raw->low_used += bytes;
		break;
	}
	if (code) {
		return of_libcuda(raw, code);
	}
	raw->allocations[raw->n_allocations++] =
		(struct kt_raw_allocation){kind, *address, bytes};
	if (kind == KT_RAW_MEMORY_DEVICE) {
		void *zero = calloc(1, bytes);

		code = zero ? kt_raw_write(raw, *address, zero, bytes)
			    : kt_no_memory("clear device memory");
		free(zero);
	} else {
		memset((void *)(uintptr_t)*address, 0, bytes);
		code = kt_raw_check_channel(raw);
	}
	return code;
}

static int find_allocation(const struct kt_raw *raw, uint64_t address, size_t bytes,
			   const struct kt_raw_allocation **out)
{
	for (size_t i = 0; i < raw->n_allocations; i++) {
		const struct kt_raw_allocation *a = &raw->allocations[i];

		if (address >= a->address && address - a->address <= a->bytes &&
		    bytes <= a->bytes - (address - a->address)) {
			*out = a;
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "access 0x%" PRIx64 ", %zu bytes: not allocated",
			address, bytes);
}

int kt_raw_write(kt_raw *raw, uint64_t address, const void *data, size_t bytes)
{
	const struct kt_raw_allocation *a;

	KT_TRY(find_allocation(raw, address, bytes, &a));
	if (a->kind == KT_RAW_MEMORY_DEVICE) {
		return of_libcuda(
			raw, kt_raw_cuda_check(&raw->cuda,
					       raw->cuda.cuMemcpyHtoD(address, data, bytes),
					       "write device memory"));
	}
	memcpy((void *)(uintptr_t)address, data, bytes);
	return KT_OK;
}

int kt_raw_read(kt_raw *raw, uint64_t address, void *data, size_t bytes)
{
	const struct kt_raw_allocation *a;

	KT_TRY(find_allocation(raw, address, bytes, &a));
	if (a->kind == KT_RAW_MEMORY_DEVICE) {
		return of_libcuda(
			raw, kt_raw_cuda_check(&raw->cuda,
					       raw->cuda.cuMemcpyDtoH(data, address, bytes),
					       "read device memory"));
	}
	memcpy(data, (const void *)(uintptr_t)address, bytes);
	return KT_OK;
}
