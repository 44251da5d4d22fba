/* SPDX-License-Identifier: MIT */
/*
 * Describes queue metadata (QMD), the descriptor of a compute launch: its fields in each
 * version from 0.6 (Kepler) to 5.1 (Blackwell). Source of the facts: decode/tables/qmd.tsv.
 *
 * A QMD contains its version as a byte, major version in the high half: bits 583:576 up to
 * version 4.1, bits 471:464 from 5.0. Classes up to Hopper have only versions up to 4.0 and
 * thus the first position; Blackwell classes have versions 4.1, 5.0 and 5.1, and therefore
 * both positions. Versions in which some fields exist only for some classes have several
 * layouts. Static data; allocates nothing; safe in a signal handler.
 */
#ifndef KTAIL_DECODE_QMD_H
#define KTAIL_DECODE_QMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_qmd_layout;

/*
 * Finds the layout of a QMD of `bytes` bytes, submitted to an object of class class_number
 * (0: unknown). Among the layouts whose version equals the version in the dwords, returns
 * the newest of this class, else the newest of any class, else NULL. The QMD may be
 * truncated after its version.
 */
const struct kt_qmd_layout *kt_qmd_find(uint32_t class_number, const uint32_t *words,
					size_t bytes);
unsigned kt_qmd_major(const struct kt_qmd_layout *layout);
unsigned kt_qmd_minor(const struct kt_qmd_layout *layout);
size_t kt_qmd_bytes(const struct kt_qmd_layout *layout); /* 256 up to version 3.0, then
							  * 384 */

/* Enumerate all layouts, from the oldest version to the newest, for tests and listings. */
size_t kt_qmd_layouts(void);
const struct kt_qmd_layout *kt_qmd_layout_at(size_t i);
/* Returns the i-th compute class that uses the layout; 0 if the layout has no class i. */
uint32_t kt_qmd_class(const struct kt_qmd_layout *layout, size_t i);

/*
 * Returns the offset of a kernel's arguments in constant bank 0 for a compute class; 0 if
 * the offset is not known, as for classes before Volta. The bytes before the arguments hold
 * data of the driver. Sources: for sm_75 to sm_121, EIATTR_PARAM_CBANK in cubins of ptxas
 * 13.0; for sm_70, canonical.s of celeritas-project/cuda-test-snippets, a listing made by
 * cuobjdump (c[0x0][0x160]).
 */
uint32_t kt_qmd_arguments(uint32_t class_number);

struct kt_qmd_field {
	const char *name;
	uint16_t hi; /* highest and lowest bit of element 0 */
	uint16_t lo;
	uint16_t stride; /* distance between elements in bits; 0: not an array */
	uint16_t count;  /* number of elements; 1: not an array */
	/*
	 * For a two-dimensional array (version 5.1: constant banks of sub-tasks), the
	 * number of elements per row, and the distance between the elements of a row in
	 * bits. `stride` is then the distance between rows, and element e is in row e /
	 * inner. For any other field, `inner` is 1 and inner_stride is 0.
	 */
	uint16_t inner;
	uint16_t inner_stride;
	uint32_t id; /* for kt_qmd_value_name() */
};

/*
 * Sets *out to field i in ascending order of bits; returns 0 if the layout has no field i.
 */
int kt_qmd_field(const struct kt_qmd_layout *layout, size_t i, struct kt_qmd_field *out);
/*
 * Sets *out to the field with that name; returns 0 if the layout has no such field.
 * O(fields).
 */
int kt_qmd_field_named(const struct kt_qmd_layout *layout, const char *name,
		       struct kt_qmd_field *out);

/* Returns the lowest bit of element `index` of a field. */
unsigned kt_qmd_bit(const struct kt_qmd_field *field, unsigned index);
/*
 * Returns element `index` of a field, up to 64 bits; 0 if the array has no such element or
 * the dwords end before it.
 */
uint64_t kt_qmd_get(const struct kt_qmd_layout *layout, const struct kt_qmd_field *field,
		    unsigned index, const uint32_t *words, size_t bytes);
/* Returns the name of a value of the field, or NULL. */
const char *kt_qmd_value_name(const struct kt_qmd_layout *layout,
			      const struct kt_qmd_field *field, uint64_t value);

/*
 * The main parameters of a launch. A parameter that the layout does not have is 0. For a
 * QMD with sub-tasks (5.1), these are the parameters of the first sub-task.
 */
struct kt_qmd_launch {
	uint32_t grid[3];
	uint32_t block[3];
	uint64_t program; /* GPU address */
	/*
	 * `program` is an offset from the address of SET_PROGRAM_REGION; true up to version
	 * 2.1.
	 */
	bool program_is_offset;
	uint32_t registers;
	uint32_t shared_bytes;
	uint64_t constants[8]; /* GPU addresses of the constant banks; 0: not valid */
	uint32_t constant_bytes[8];
	uint64_t release[3]; /* GPU addresses of semaphores to release; 0: none */
	uint64_t release_payload[3];
	uint32_t release_bytes[3]; /* bytes written: 4, 8 or 16; 0: no release */
};
void kt_qmd_launch(const struct kt_qmd_layout *layout, const uint32_t *words, size_t bytes,
		   struct kt_qmd_launch *out);

/*
 * Returns the name of the QMD's type, such as "GRID_CTA" or "GRID_NULL"; NULL if the value
 * of the type has no name, or if the version is before 4.0 and has no types.
 */
const char *kt_qmd_type(const struct kt_qmd_layout *layout, const uint32_t *words,
			size_t bytes);

/*
 * A dependent of a QMD: another QMD that is scheduled, or whose dependence counter is
 * decremented, when this one completes. Exists from version 2.4 on.
 */
struct kt_qmd_dependent {
	uint64_t address; /* GPU address of the other QMD */
	const char *
		action; /* "QMD_SCHEDULE", "QMD_DECREMENT_DEPENDENCE", ...; NULL: no name */
};
#define KT_QMD_DEPENDENTS 8 /* maximum number of dependents of a QMD */
/*
 * Sets *out to dependent i, in ascending order from 0; returns false if it is not enabled.
 * O(fields).
 */
bool kt_qmd_dependent(const struct kt_qmd_layout *layout, const uint32_t *words,
		      size_t bytes, unsigned i, struct kt_qmd_dependent *out);

#endif
