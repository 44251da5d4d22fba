/* SPDX-License-Identifier: MIT */
/*
 * Gives the offsets of fields in the driver's structs, by driver release. A new release
 * needs only a new row in decode/tables/layouts.tsv. Allocates nothing.
 */
#ifndef KTAIL_DECODE_LAYOUTS_H
#define KTAIL_DECODE_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_struct {
	KT_STRUCT_NONE = 0,
	KT_STRUCT_ALLOC_MEMORY,
	KT_STRUCT_ALLOC_OBJECT,
	KT_STRUCT_FREE,
	KT_STRUCT_CONTROL,
	KT_STRUCT_ALLOC,
	KT_STRUCT_DUP,
	KT_STRUCT_MAP,
	KT_STRUCT_UNMAP,
	KT_STRUCT_MAP_DMA,
	KT_STRUCT_UNMAP_DMA,
	KT_STRUCT_XFER,
	KT_STRUCT_HEAP, /* the function in it selects one of the next three or
			 * KT_STRUCT_FREE */
	KT_STRUCT_HEAP_ALLOC,
	KT_STRUCT_HEAP_TILED,
	KT_STRUCT_HEAP_DESCRIPTOR,
	KT_STRUCT_CHANNEL, /* allocation parameters of a channel */
	KT_STRUCT_VERSION,
	KT_STRUCT_OS_DESCRIPTOR, /* allocation parameters of registered user memory */
	KT_STRUCT_TOKEN, /* parameters of the control that returns a work-submit token */
	/* Structs of the unified-memory driver */
	KT_STRUCT_UVM_MAP,
	KT_STRUCT_UVM_UNMAP,
	KT_STRUCT_UVM_FREE,
};

enum kt_role {
	KT_ROLE_CLIENT = 0,
	KT_ROLE_PARENT,
	KT_ROLE_OBJECT,
	KT_ROLE_CLASS,
	KT_ROLE_PARAMS, /* user address of a struct with further parameters */
	KT_ROLE_PARAMS_SIZE,
	KT_ROLE_COMMAND,
	KT_ROLE_STATUS,
	KT_ROLE_MEMORY,
	KT_ROLE_ADDRESS,
	KT_ROLE_LENGTH,
	KT_ROLE_OFFSET,
	KT_ROLE_FD,
	KT_ROLE_FLAGS,
	KT_ROLE_SOURCE_CLIENT,
	KT_ROLE_SOURCE_OBJECT,
	KT_ROLE_INNER_REQUEST,
	KT_ROLE_INNER_SIZE,
	KT_ROLE_GPFIFO_ADDRESS,
	KT_ROLE_GPFIFO_ENTRIES,
	KT_ROLE_USERD_MEMORY,
	KT_ROLE_USERD_OFFSET,
	KT_ROLE_ENGINE,
	KT_ROLE_TOKEN,
	KT_ROLE_TEXT,
	KT_ROLE_FUNCTION,
	KT_ROLE_ATTRIBUTES,
	KT_ROLE_DESCRIPTOR, /* what `address` is; 0: an address of the program */
	KT_ROLE_COUNT,
};

struct kt_layout {
	enum kt_struct kind;
	uint32_t size; /* 0: any */
	uint32_t first_release;
	uint32_t last_release;
	struct {
		uint16_t offset;
		uint16_t size; /* 0: no such field */
	} fields[KT_ROLE_COUNT];
};

/*
 * The release that is assumed if the actual one is unknown: the newest release whose
 * structs were seen in use.
 */
#define KT_RELEASE_USUAL 580000000u

/*
 * Parses "580.159.04" into 580159004, so that numbers are in the order of the releases;
 * returns 0 if the text is not a release. Reads up to the first character that is neither a
 * digit nor a dot.
 */
uint32_t kt_release_parse(const char *text);

/*
 * Finds the layout of a struct of `size` bytes in a driver release (0: unknown;
 * KT_RELEASE_USUAL is assumed). If no layout of this size is valid in the release, returns
 * the newest layout of this size. Returns NULL if no layout has this size; the struct is
 * then opaque.
 */
const struct kt_layout *kt_layout_find(enum kt_struct kind, size_t size, uint32_t release);

/*
 * Returns the struct that an RM request carries, or KT_STRUCT_NONE if the recorder does not
 * decode the request.
 */
enum kt_struct kt_layout_of_request(uint32_t nr);

/* Like kt_layout_of_request(), for a function of NV_ESC_RM_VID_HEAP_CONTROL. */
enum kt_struct kt_layout_of_heap_function(uint32_t function);

/* Like kt_layout_of_request(), for the unified-memory driver. */
enum kt_struct kt_layout_of_uvm_request(uint32_t request);

/* Returns the smallest size that contains all fields of the layout. */
size_t kt_layout_extent(const struct kt_layout *layout);

/*
 * Reads a field, zero-extended, from the struct at data[0..size). Returns 0 if the layout
 * has no such field, the struct is too short, or the field is not a number (KT_ROLE_TEXT).
 */
uint64_t kt_layout_get(const struct kt_layout *layout, enum kt_role role, const void *data,
		       size_t size);

#endif
