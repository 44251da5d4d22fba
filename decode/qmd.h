/* SPDX-License-Identifier: MIT */
/*
 * Queue metadata, the descriptor of a compute launch: fields by the version that stands in
 * it, 0.6 (Kepler) to 5.1 (Blackwell). Source of the facts: decode/tables/qmd.tsv.
 *
 * The version is a byte, major in the high half: bits 583:576 up to version 4.1, bits
 * 471:464 from 5.0. Which places a class uses is known, so with the class of the channel's
 * compute object the layout is certain up to Hopper; a Blackwell class has 4.1, 5.0 and 5.1
 * and so both places. Some versions have fields that only some classes have: they are
 * layouts of their own. Static data; nothing allocates; safe in a signal handler.
 */
#ifndef KTAIL_DECODE_QMD_H
#define KTAIL_DECODE_QMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_qmd_layout;

/*
 * The layout of a QMD of `bytes` bytes that a compute class submitted: the youngest of that
 * class that names itself in the words, else the youngest of any class (0: any class). A
 * QMD that was cut off still has its layout if its version is within the words. NULL: none
 * names itself so.
 */
const struct kt_qmd_layout *kt_qmd_find(uint32_t class_number, const uint32_t *words,
					size_t bytes);
unsigned kt_qmd_major(const struct kt_qmd_layout *layout);
unsigned kt_qmd_minor(const struct kt_qmd_layout *layout);
size_t kt_qmd_bytes(const struct kt_qmd_layout *layout); /* 256 up to 3.0, then 384 */

/* All layouts, from the oldest version to the youngest, for tests and listings. */
size_t kt_qmd_layouts(void);
const struct kt_qmd_layout *kt_qmd_layout_at(size_t i);
/* Compute class i that uses the layout; 0: there are no more. */
uint32_t kt_qmd_class(const struct kt_qmd_layout *layout, size_t i);

struct kt_qmd_field {
	const char *name;
	uint16_t hi; /* bits, of element 0 */
	uint16_t lo;
	uint16_t stride; /* bits from one element to the next; 0: no array */
	uint16_t count;  /* elements; 1: no array */
	/*
	 * Of an array of two dimensions (version 5.1: constant banks of sub-tasks), how
	 * many elements make a row, and the bits between them; `stride` is then that of
	 * rows, and element e is at row e / inner. 1 and 0 of any other.
	 */
	uint16_t inner;
	uint16_t inner_stride;
	uint32_t id; /* for kt_qmd_value_name() */
};

/* Field i in the order of bits; 0: there are no more. */
int kt_qmd_field(const struct kt_qmd_layout *layout, size_t i, struct kt_qmd_field *out);
/* 0: there is none of that name. O(fields). */
int kt_qmd_field_named(const struct kt_qmd_layout *layout, const char *name,
		       struct kt_qmd_field *out);

/* Where the lowest bit of element `index` lies. */
unsigned kt_qmd_bit(const struct kt_qmd_field *field, unsigned index);
/* Element `index` of a field, up to 64 bits; 0 outside of the words. */
uint64_t kt_qmd_get(const struct kt_qmd_layout *layout, const struct kt_qmd_field *field,
		    unsigned index, const uint32_t *words, size_t bytes);
/* What a value of the field is called; NULL: nothing. */
const char *kt_qmd_value_name(const struct kt_qmd_layout *layout,
			      const struct kt_qmd_field *field, uint64_t value);

/*
 * What a person wants to know of a launch; members that the layout lacks are 0. Of a QMD
 * with sub-tasks (5.1) it is the first one.
 */
struct kt_qmd_launch {
	uint32_t grid[3];
	uint32_t block[3];
	uint64_t program; /* GPU address */
	/* Up to version 2.1 `program` is an offset from SET_PROGRAM_REGION's address. */
	bool program_is_offset;
	uint32_t registers;
	uint32_t shared_bytes;
	uint64_t constants[8]; /* GPU addresses of valid constant banks, else 0 */
	uint32_t constant_bytes[8];
	uint64_t release[3]; /* GPU addresses of semaphores that it releases, else 0 */
	uint64_t release_payload[3];
};
void kt_qmd_launch(const struct kt_qmd_layout *layout, const uint32_t *words, size_t bytes,
		   struct kt_qmd_launch *out);

#endif
