/* SPDX-License-Identifier: MIT */
/*
 * The pages of the memory object that hold the bytes are mapped through the aperture, read
 * or written there, and unmapped again.
 */
#include <sys/mman.h>

#include "base/try.h"
#include "corpus/softgpu/driver/rm.h"
#include "corpus/softgpu/driver/work/transfer.h"

int kt_move_mapped(const struct kt_move *move)
{
	struct kt_driver *driver = kt_driver_get();
	struct kt_rm_mapping mapping = {
		.aperture = true,
		.protection = PROT_READ | PROT_WRITE,
	};
	struct kt_memory object;
	uint64_t piece;
	uint64_t piece_bytes;
	uint64_t offset;
	uint64_t skip;

	if (!kt_heap_find(move->context->heap, move->device, &object, &piece,
			  &piece_bytes)) {
		return KT_CU_INVALID_VALUE;
	}
	offset = move->device - object.address;
	skip = offset % KT_ABI_PAGE;
	mapping.memory = object.handle;
	mapping.offset = offset - skip;
	mapping.bytes =
		(skip + move->bytes + KT_ABI_PAGE - 1) & ~(uint64_t)(KT_ABI_PAGE - 1);
	{
		KT_LABEL(MAP_MEMORY);

		KT_TRY(kt_rm_map(driver, &mapping));
	}
	kt_move_bytes(move, (uint8_t *)(uintptr_t)mapping.cpu + skip, 0, move->bytes);
	{
		KT_LABEL(UNMAP_MEMORY);

		kt_rm_unmap(driver, &mapping);
	}
	return KT_CU_OK;
}
