/* SPDX-License-Identifier: MIT */
/*
 * Queue metadata, the descriptor of a compute launch: fields by the version that stands in
 * it, 0.6 (Kepler) to 5.1 (Blackwell). Where the version stands depends on the generation:
 * kt_qmd_find() looks at each place and takes the layout that names itself there. Static
 * data; nothing allocates.
 */
#ifndef KTAIL_DECODE_QMD_H
#define KTAIL_DECODE_QMD_H

#include <stddef.h>
#include <stdint.h>

struct kt_qmd_layout;

/*
 * The layout of a QMD of `bytes` bytes (256 or 384 to be useful) that a compute class
 * submitted (0: any class). NULL: none names itself so.
 */
const struct kt_qmd_layout *kt_qmd_find(uint32_t class_number, const uint32_t *words,
					size_t bytes);
unsigned kt_qmd_major(const struct kt_qmd_layout *layout);
unsigned kt_qmd_minor(const struct kt_qmd_layout *layout);
size_t kt_qmd_bytes(const struct kt_qmd_layout *layout);

struct kt_qmd_field {
	const char *name;
	uint16_t hi; /* bits, of element 0 */
	uint16_t lo;
	uint16_t stride; /* bits from one element to the next; 0: no array */
	uint16_t count;  /* elements that fit */
	uint32_t id;
};

/* Field i in the order of bits; 0: there are no more. */
int kt_qmd_field(const struct kt_qmd_layout *layout, size_t i, struct kt_qmd_field *out);
int kt_qmd_field_named(const struct kt_qmd_layout *layout, const char *name,
		       struct kt_qmd_field *out);
/* Element `index` of a field, up to 64 bits; 0 outside of the words. */
uint64_t kt_qmd_get(const struct kt_qmd_layout *layout, const struct kt_qmd_field *field,
		    unsigned index, const uint32_t *words, size_t bytes);
const char *kt_qmd_value_name(const struct kt_qmd_layout *layout,
			      const struct kt_qmd_field *field, uint64_t value);

/* What a person wants to know of a launch; members that the layout lacks are 0. */
struct kt_qmd_launch {
	uint32_t grid[3];
	uint32_t block[3];
	uint64_t program; /* GPU address */
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
