/* SPDX-License-Identifier: MIT */
/*
 * The pages of the memory object that hold the bytes are mapped through the aperture, read
 * or written there, and unmapped again.
 */
#include <sys/mman.h>

#include "corpus/softgpu/driver/rm.h"
#include "corpus/softgpu/driver/work/transfer.h"

static int map(struct kt_driver *driver, struct kt_rm_mapping *mapping)
{
	KT_LABEL(MAP_MEMORY);

	return kt_rm_map(driver, mapping);
}

static void unmap(struct kt_driver *driver, const struct kt_rm_mapping *mapping)
{
	KT_LABEL(UNMAP_MEMORY);

	kt_rm_unmap(driver, mapping);
}

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
	int code;

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
	code = map(driver, &mapping);
	if (code) {
		return code;
	}
	kt_move_bytes(move, (uint8_t *)(uintptr_t)mapping.cpu + skip, 0, move->bytes);
	unmap(driver, &mapping);
	return KT_CU_OK;
}
