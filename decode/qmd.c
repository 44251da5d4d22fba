/* SPDX-License-Identifier: MIT */
#include "decode/qmd.h"

#include <string.h>

struct row {
	const char *name;
	const char *values; /* n_values consecutive strings; "": no name */
	uint16_t hi;
	uint16_t lo;
	uint16_t count;
	uint16_t stride;
	uint8_t inner;
	uint8_t inner_stride;
	uint8_t n_values;
	uint8_t shift; /* number of low bits of the value that are not stored */
};

#define LAUNCH_MEMBERS 36

struct kt_qmd_layout {
	uint8_t major;
	uint8_t minor;
	uint16_t bytes;
	uint16_t version_at; /* bit offset of the version */
	uint16_t first;      /* index in `order` of the layout's first field */
	uint16_t n;
	uint8_t first_class;
	uint8_t n_classes;
	/* for each enum member: the number of its field, counted from 1; 0: none */
	uint8_t members[LAUNCH_MEMBERS];
};

#include "decode/qmd-layouts.inc"

_Static_assert(MEMBERS == LAUNCH_MEMBERS, "decode/tables/qmd.tsv has these members");

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static uint64_t get_bits(const uint32_t *words, size_t bytes, size_t lo, unsigned width)
{
	size_t first = lo / 32;
	size_t last = (lo + width - 1) / 32;
	unsigned shift = lo % 32;
	uint64_t value;

	if (last >= bytes / 4) {
		return 0;
	}
	value = words[first] >> shift;
	for (size_t i = first + 1; i <= last; i++) {
		value |= (uint64_t)words[i] << (32 * (i - first) - shift);
	}
	return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

static bool is_of(const struct kt_qmd_layout *layout, uint32_t class_number)
{
	for (size_t i = 0; i < layout->n_classes; i++) {
		if (classes[layout->first_class + i] == class_number) {
			return true;
		}
	}
	return false;
}

const struct kt_qmd_layout *kt_qmd_find(uint32_t class_number, const uint32_t *words,
					size_t bytes)
{
	const struct kt_qmd_layout *any = NULL;

	for (size_t i = N_LAYOUTS; i-- > 0;) {
		/* Compare with the version that the QMD itself contains. */
		if (get_bits(words, bytes, layouts[i].version_at, 8) !=
		    layouts[i].major * 16u + layouts[i].minor) {
			continue;
		}
		if (is_of(&layouts[i], class_number)) {
			return &layouts[i];
		}
		any = any ? any : &layouts[i];
	}
	return any;
}

unsigned kt_qmd_major(const struct kt_qmd_layout *layout)
{
	return layout->major;
}

unsigned kt_qmd_minor(const struct kt_qmd_layout *layout)
{
	return layout->minor;
}

size_t kt_qmd_bytes(const struct kt_qmd_layout *layout)
{
	return layout->bytes;
}

size_t kt_qmd_layouts(void)
{
	return N_LAYOUTS;
}

const struct kt_qmd_layout *kt_qmd_layout_at(size_t i)
{
	return &layouts[i];
}

uint32_t kt_qmd_class(const struct kt_qmd_layout *layout, size_t i)
{
	return i < layout->n_classes ? classes[layout->first_class + i] : 0;
}

uint32_t kt_qmd_arguments(uint32_t class_number)
{
	static const struct {
		uint32_t first; /* class: Blackwell, Hopper, Volta */
		uint32_t offset;
	} starts[] = {{0xcdc0, 0x380}, {0xcbc0, 0x210}, {0xc3c0, 0x160}};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (class_number >= starts[i].first) {
			return starts[i].offset;
		}
	}
	return 0;
}

static const struct row *row_of(const struct kt_qmd_layout *layout, size_t i)
{
	return &rows[order[layout->first + i]];
}

int kt_qmd_field(const struct kt_qmd_layout *layout, size_t i, struct kt_qmd_field *out)
{
	const struct row *row;

	if (i >= layout->n) {
		return 0;
	}
	row = row_of(layout, i);
	*out = (struct kt_qmd_field){
		.name = row->name,
		.hi = row->hi,
		.lo = row->lo,
		.stride = row->stride,
		.count = row->count,
		.inner = row->inner,
		.inner_stride = row->inner_stride,
		.id = (uint32_t)i,
	};
	return 1;
}

int kt_qmd_field_named(const struct kt_qmd_layout *layout, const char *name,
		       struct kt_qmd_field *out)
{
	for (size_t i = 0; i < layout->n; i++) {
		if (strcmp(row_of(layout, i)->name, name) == 0) {
			return kt_qmd_field(layout, i, out);
		}
	}
	return 0;
}

unsigned kt_qmd_bit(const struct kt_qmd_field *field, unsigned index)
{
	return field->lo + index / field->inner * field->stride +
	       index % field->inner * field->inner_stride;
}

uint64_t kt_qmd_get(const struct kt_qmd_layout *layout, const struct kt_qmd_field *field,
		    unsigned index, const uint32_t *words, size_t bytes)
{
	if (index >= field->count) {
		return 0;
	}
	bytes = bytes < layout->bytes ? bytes : layout->bytes;
	return get_bits(words, bytes, kt_qmd_bit(field, index),
			(unsigned)(field->hi - field->lo + 1));
}

const char *kt_qmd_value_name(const struct kt_qmd_layout *layout,
			      const struct kt_qmd_field *field, uint64_t value)
{
	const struct row *row = field->id < layout->n ? row_of(layout, field->id) : NULL;
	const char *name;

	if (!row || value >= row->n_values) {
		return NULL;
	}
	name = row->values;
	for (uint64_t i = 0; i < value; i++) {
		name += strlen(name) + 1;
	}
	return *name ? name : NULL;
}

struct qmd {
	const struct kt_qmd_layout *layout;
	const uint32_t *words;
	size_t bytes;
};

/*
 * Returns element `index` of a launch member; 0 if the layout does not have the member. A
 * member that is not an array gives its value for any index.
 */
static uint64_t get(const struct qmd *qmd, enum member member, unsigned index)
{
	struct kt_qmd_field field;
	unsigned number = qmd->layout->members[member];

	if (!number || !kt_qmd_field(qmd->layout, number - 1u, &field)) {
		return 0;
	}
	index = field.count > 1 ? index : 0;
	return kt_qmd_get(qmd->layout, &field, index, qmd->words, qmd->bytes)
	       << row_of(qmd->layout, number - 1u)->shift;
}

/*
 * Returns a value that is stored as two halves. Both halves are stored shifted right by the
 * same number of bits; get() shifts them back.
 */
static uint64_t get_wide(const struct qmd *qmd, enum member lower, enum member upper,
			 unsigned index)
{
	return get(qmd, upper, index) << 32 | get(qmd, lower, index);
}

/*
 * Distance in `enum member` from a member of a semaphore to the same member of the next
 * semaphore.
 */
#define RELEASE_MEMBERS (MEMBER_RELEASE_1_ENABLE - MEMBER_RELEASE_0_ENABLE)

void kt_qmd_launch(const struct kt_qmd_layout *layout, const uint32_t *words, size_t bytes,
		   struct kt_qmd_launch *out)
{
	/* FOUR_WORDS, ONE_WORD, TWO_WORDS; the last one has no name */
	static const uint8_t sizes[] = {16, 4, 8, 16};
	struct qmd qmd = {layout, words, bytes};
	unsigned number = layout->members[MEMBER_CONSTANT_VALID];
	struct kt_qmd_field field;

	*out = (struct kt_qmd_launch){0};
	for (unsigned i = 0; i < 3; i++) {
		unsigned next = i * RELEASE_MEMBERS;

		out->grid[i] = (uint32_t)get(&qmd, MEMBER_GRID_0 + i, 0);
		out->block[i] = (uint32_t)get(&qmd, MEMBER_BLOCK_0 + i, 0);
		if (!get(&qmd, MEMBER_RELEASE_0_ENABLE + next, i)) {
			continue;
		}
		out->release[i] = get_wide(&qmd, MEMBER_RELEASE_0_LOWER + next,
					   MEMBER_RELEASE_0_UPPER + next, 0);
		out->release_payload[i] = get(&qmd, MEMBER_RELEASE_0_PAYLOAD + next, 0);
		out->release_bytes[i] =
			sizes[get(&qmd, MEMBER_RELEASE_0_SIZE + next, i) & 3];
		if (get(&qmd, MEMBER_RELEASE_0_PAYLOAD64B + next, i)) {
			out->release_bytes[i] += out->release_bytes[i] == 4 ? 4 : 0;
			out->release_payload[i] |=
				get(&qmd, MEMBER_RELEASE_0_PAYLOAD_UPPER + next, 0) << 32;
		}
	}
	out->program_is_offset = !layout->members[MEMBER_PROGRAM_LOWER];
	out->program = out->program_is_offset ? get(&qmd, MEMBER_PROGRAM_OFFSET, 0)
					      : get_wide(&qmd, MEMBER_PROGRAM_LOWER,
							 MEMBER_PROGRAM_UPPER, 0);
	out->registers = (uint32_t)get(&qmd, MEMBER_REGISTERS, 0);
	out->shared_bytes = (uint32_t)get(&qmd, MEMBER_SHARED, 0);
	if (number && kt_qmd_field(layout, number - 1u, &field)) {
		unsigned n = field.inner > 1 ? field.inner : field.count;

		for (unsigned i = 0; i < n && i < 8; i++) {
			if (get(&qmd, MEMBER_CONSTANT_VALID, i)) {
				out->constants[i] = get_wide(&qmd, MEMBER_CONSTANT_LOWER,
							     MEMBER_CONSTANT_UPPER, i);
				out->constant_bytes[i] =
					(uint32_t)get(&qmd, MEMBER_CONSTANT_SIZE, i);
			}
		}
	}
}

const char *kt_qmd_type(const struct kt_qmd_layout *layout, const uint32_t *words,
			size_t bytes)
{
	struct kt_qmd_field type;

	return kt_qmd_field_named(layout, "QMD_TYPE", &type)
		       ? kt_qmd_value_name(layout, &type,
					   kt_qmd_get(layout, &type, 0, words, bytes))
		       : NULL;
}

/*
 * Names of the fields of dependents. Some versions have fields for dependents 0 and 1 (the
 * first two rows), others have arrays (the last row).
 */
static const char *const dependent_names[][3] = {
	{"DEPENDENT_QMD0_ENABLE", "DEPENDENT_QMD0_ACTION", "DEPENDENT_QMD0_POINTER"},
	{"DEPENDENT_QMD1_ENABLE", "DEPENDENT_QMD1_ACTION", "DEPENDENT_QMD1_POINTER"},
	{"DEPENDENT_QMD_ENABLE", "DEPENDENT_QMD_ACTION", "DEPENDENT_QMD_POINTER"},
};

/* Sets *out to a field of dependent i, and *index to the element of the field. */
static bool dependent_field(const struct kt_qmd_layout *layout, unsigned i, unsigned which,
			    struct kt_qmd_field *out, unsigned *index)
{
	*index = 0;
	if (i < 2 && kt_qmd_field_named(layout, dependent_names[i][which], out)) {
		return true;
	}
	*index = i;
	return kt_qmd_field_named(layout, dependent_names[2][which], out) && i < out->count;
}

bool kt_qmd_dependent(const struct kt_qmd_layout *layout, const uint32_t *words,
		      size_t bytes, unsigned i, struct kt_qmd_dependent *out)
{
	struct kt_qmd_field enable, action, pointer;
	unsigned n, at, p;

	if (!dependent_field(layout, i, 0, &enable, &n) ||
	    !dependent_field(layout, i, 1, &action, &at) ||
	    !dependent_field(layout, i, 2, &pointer, &p) ||
	    !kt_qmd_get(layout, &enable, n, words, bytes)) {
		return false;
	}
	/* The pointer is the address without its 8 low bits, as in SEND_PCAS_A. */
	out->address = kt_qmd_get(layout, &pointer, p, words, bytes) << 8;
	out->action = kt_qmd_value_name(layout, &action,
					kt_qmd_get(layout, &action, at, words, bytes));
	return true;
}
