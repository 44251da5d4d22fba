/* SPDX-License-Identifier: MIT */
#include "decode/layouts.h"

#include <string.h>

#include "decode/ioctls.h"

static const struct kt_layout layouts[] = {
#include "decode/layouts.inc"
};

static const struct {
	uint32_t nr;
	enum kt_struct kind;
} requests[] = {
	{KT_NR_ALLOC_MEMORY, KT_STRUCT_ALLOC_MEMORY},
	{KT_NR_ALLOC_OBJECT, KT_STRUCT_ALLOC_OBJECT},
	{KT_NR_FREE, KT_STRUCT_FREE},
	{KT_NR_CONTROL, KT_STRUCT_CONTROL},
	{KT_NR_ALLOC, KT_STRUCT_ALLOC},
	{KT_NR_DUP_OBJECT, KT_STRUCT_DUP},
	{KT_NR_VID_HEAP_CONTROL, KT_STRUCT_HEAP},
	{KT_NR_MAP_MEMORY, KT_STRUCT_MAP},
	{KT_NR_UNMAP_MEMORY, KT_STRUCT_UNMAP},
	{KT_NR_MAP_MEMORY_DMA, KT_STRUCT_MAP_DMA},
	{KT_NR_UNMAP_MEMORY_DMA, KT_STRUCT_UNMAP_DMA},
	{KT_NR_XFER_CMD, KT_STRUCT_XFER},
	{KT_NR_CHECK_VERSION, KT_STRUCT_VERSION},
};

uint32_t kt_release_parse(const char *text)
{
	static const uint32_t weight[] = {1000000, 1000, 1};
	uint32_t release = 0;

	for (int i = 0; i < 3; i++) {
		uint32_t part = 0;
		int digits = 0;

		for (; *text >= '0' && *text <= '9' && digits < 4; text++, digits++) {
			part = part * 10 + (uint32_t)(*text - '0');
		}
		if (digits == 0 || part > (i == 0 ? 4000u : 999u)) {
			return i == 0 ? 0 : release;
		}
		release += part * weight[i];
		if (*text != '.') {
			break;
		}
		text++;
	}
	return release;
}

const struct kt_layout *kt_layout_find(enum kt_struct kind, size_t size, uint32_t release)
{
	const struct kt_layout *newest = NULL;

	release = release ? release : KT_RELEASE_USUAL;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct kt_layout *l = &layouts[i];

		if (l->kind != kind || (l->size && l->size != size)) {
			continue;
		}
		if (release >= l->first_release && release <= l->last_release) {
			return l;
		}
		if (!newest || l->first_release > newest->first_release) {
			newest = l;
		}
	}
	return newest;
}

enum kt_struct kt_layout_of_request(uint32_t nr)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].nr == nr) {
			return requests[i].kind;
		}
	}
	return KT_STRUCT_NONE;
}

enum kt_struct kt_layout_of_heap_function(uint32_t function)
{
	switch (function) {
	case KT_HEAP_ALLOC_SIZE:
	case KT_HEAP_ALLOC_SIZE_RANGE: return KT_STRUCT_HEAP_ALLOC;
	case KT_HEAP_ALLOC_TILED_PITCH_HEIGHT: return KT_STRUCT_HEAP_TILED;
	case KT_HEAP_ALLOC_OS_DESCRIPTOR: return KT_STRUCT_HEAP_DESCRIPTOR;
	case KT_HEAP_FREE: return KT_STRUCT_FREE;
	default: return KT_STRUCT_NONE;
	}
}

enum kt_struct kt_layout_of_uvm_request(uint32_t request)
{
	switch (request) {
	case KT_UVM_MAP_EXTERNAL: return KT_STRUCT_UVM_MAP;
	case KT_UVM_UNMAP_EXTERNAL: return KT_STRUCT_UVM_UNMAP;
	case KT_UVM_FREE: return KT_STRUCT_UVM_FREE;
	default: return KT_STRUCT_NONE;
	}
}

size_t kt_layout_extent(const struct kt_layout *layout)
{
	size_t extent = 0;

	for (int role = 0; role < KT_ROLE_COUNT; role++) {
		size_t end =
			(size_t)layout->fields[role].offset + layout->fields[role].size;

		if (layout->fields[role].size && end > extent) {
			extent = end;
		}
	}
	return extent;
}

uint64_t kt_layout_get(const struct kt_layout *layout, enum kt_role role, const void *data,
		       size_t size)
{
	size_t offset = layout->fields[role].offset;
	size_t bytes = layout->fields[role].size;
	uint64_t value = 0;

	if (bytes && bytes <= sizeof(value) && offset + bytes <= size) {
		memcpy(&value, (const char *)data + offset,
		       bytes); /* x86-64 is little-endian */
	}
	return value;
}
