/* SPDX-License-Identifier: MIT */
/* Writes every field of every layout by name and reads it back; tests known positions. */
#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"
#include "decode/qmd.h"
#include "tests/suite.h"

#define WORDS (KT_QMD_BYTES / 4)

/* Encodes a field bit by bit; shares no code with the reader. */
static void set_bits(uint32_t *words, unsigned lo, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++) {
		uint32_t bit = UINT32_C(1) << (lo + i) % 32;

		words[(lo + i) / 32] &= ~bit;
		words[(lo + i) / 32] |= value >> i & 1 ? bit : 0;
	}
}

static unsigned width_of(const struct kt_qmd_field *field)
{
	return (unsigned)(field->hi - field->lo + 1);
}

static void set(const struct kt_qmd_layout *layout, uint32_t *words, const char *name,
		unsigned index, uint64_t value)
{
	struct kt_qmd_field field;

	CU_ASSERT_EQUAL_FATAL(kt_qmd_field_named(layout, name, &field), 1);
	CU_ASSERT_TRUE_FATAL(index < field.count);
	set_bits(words, kt_qmd_bit(&field, index), width_of(&field), value);
}

/* Returns the layout that a class has for a version, NULL if it has none. */
static const struct kt_qmd_layout *layout_of(uint32_t class_number, unsigned major,
					     unsigned minor)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		const struct kt_qmd_layout *layout = kt_qmd_layout_at(i);

		for (size_t j = 0; kt_qmd_class(layout, j); j++) {
			if (kt_qmd_class(layout, j) == class_number &&
			    kt_qmd_major(layout) == major &&
			    kt_qmd_minor(layout) == minor) {
				return layout;
			}
		}
	}
	return NULL;
}

static void name_version(const struct kt_qmd_layout *layout, uint32_t *words)
{
	struct kt_qmd_field field;
	const char *minor = kt_qmd_field_named(layout, "QMD_MINOR_VERSION", &field)
				    ? "QMD_MINOR_VERSION"
				    : "QMD_VERSION";

	set(layout, words, "QMD_MAJOR_VERSION", 0, kt_qmd_major(layout));
	set(layout, words, minor, 0, kt_qmd_minor(layout));
}

static uint64_t pattern(size_t field, unsigned index, unsigned width)
{
	uint64_t value = (field + 1) * UINT64_C(0x9e3779b97f4a7c15) +
			 index * UINT64_C(0xd1b54a32d192ed03);

	value ^= value >> 29;
	return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

static void reads_what_was_written(const struct kt_qmd_layout *layout)
{
	struct kt_qmd_field field;
	uint32_t words[WORDS] = {0};
	size_t bytes = kt_qmd_bytes(layout);
	size_t wrong = 0;

	for (size_t i = 0; kt_qmd_field(layout, i, &field); i++) {
		for (unsigned j = 0; j < field.count; j++) {
			set(layout, words, field.name, j, pattern(i, j, width_of(&field)));
		}
	}
	for (size_t i = 0; kt_qmd_field(layout, i, &field); i++) {
		for (unsigned j = 0; j < field.count; j++) {
			wrong += kt_qmd_get(layout, &field, j, words, bytes) !=
				 pattern(i, j, width_of(&field));
		}
		wrong += kt_qmd_get(layout, &field, field.count, words, bytes) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void round_trip(void)
{
	CU_ASSERT_TRUE(kt_qmd_layouts() > 0);
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		reads_what_was_written(kt_qmd_layout_at(i));
	}
}

/* No two elements of any fields share a bit, and none lies past the end. */
static void fields_do_not_overlap(void)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		const struct kt_qmd_layout *layout = kt_qmd_layout_at(i);
		uint8_t taken[KT_QMD_BYTES * 8] = {0};
		struct kt_qmd_field field;
		unsigned last = 0;
		size_t wrong = 0;

		for (size_t f = 0; kt_qmd_field(layout, f, &field); f++) {
			wrong += field.lo < last;
			last = field.lo;
			for (unsigned e = 0; e < field.count; e++) {
				unsigned at = kt_qmd_bit(&field, e);

				CU_ASSERT_TRUE_FATAL(at + width_of(&field) <=
						     kt_qmd_bytes(layout) * 8);
				for (unsigned b = 0; b < width_of(&field); b++) {
					wrong += taken[at + b]++;
				}
			}
		}
		CU_ASSERT_EQUAL(wrong, 0);
	}
}

static void finds_each_layout_by_its_version(void)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		const struct kt_qmd_layout *layout = kt_qmd_layout_at(i);
		const struct kt_qmd_layout *any;
		uint32_t words[WORDS] = {0};

		name_version(layout, words);
		for (size_t j = 0; kt_qmd_class(layout, j); j++) {
			CU_ASSERT_PTR_EQUAL(kt_qmd_find(kt_qmd_class(layout, j), words,
							kt_qmd_bytes(layout)),
					    layout);
		}
		any = kt_qmd_find(0, words, kt_qmd_bytes(layout));
		CU_ASSERT_PTR_NOT_NULL_FATAL(any);
		CU_ASSERT_EQUAL(kt_qmd_major(any), kt_qmd_major(layout));
		CU_ASSERT_EQUAL(kt_qmd_minor(any), kt_qmd_minor(layout));
	}
}

/*
 * The dwords of a QMD may contain a second valid version number at another position. The
 * class decides which of the two counts.
 */
static void asks_the_class(void)
{
	const struct kt_qmd_layout *hopper = layout_of(0xcbc0, 4, 0);
	uint32_t words[WORDS] = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(hopper);
	name_version(hopper, words);
	set(hopper, words, "DEPENDENT_QMD0_POINTER", 0, 0x500000);
	CU_ASSERT_PTR_EQUAL(kt_qmd_find(0xcbc0, words, KT_QMD_BYTES), hopper);
	CU_ASSERT_EQUAL(kt_qmd_major(kt_qmd_find(0xcdc0, words, KT_QMD_BYTES)), 5);
	/* A class without the version gets the layout that other classes have. */
	CU_ASSERT_PTR_EQUAL(kt_qmd_find(0xc3c0, words, KT_QMD_BYTES),
			    layout_of(0xcec0, 5, 0));
}

static void finds_nothing(void)
{
	uint32_t words[WORDS] = {0};

	CU_ASSERT_PTR_NULL(kt_qmd_find(0xcbc0, words, sizeof(words)));
	CU_ASSERT_PTR_NULL(kt_qmd_find(0, words, sizeof(words)));
	memset(words, 0xff, sizeof(words));
	CU_ASSERT_PTR_NULL(kt_qmd_find(0xcbc0, words, sizeof(words)));
	words[18] = 0x40;
	words[14] = 0;
	CU_ASSERT_PTR_NOT_NULL(kt_qmd_find(0xcbc0, words, 76));
	CU_ASSERT_PTR_NULL(kt_qmd_find(0xcbc0, words, 75));
	CU_ASSERT_PTR_NULL(kt_qmd_find(0xcbc0, words, 0));
	CU_ASSERT_PTR_NULL(kt_qmd_find(0xcbc0, NULL, 0));
}

/* Fields after the end of the dwords and elements that do not exist are read as 0. */
static void gives_nothing_outside(void)
{
	const struct kt_qmd_layout *layout = layout_of(0xcbc0, 4, 0);
	struct kt_qmd_field field;
	uint32_t words[WORDS];

	memset(words, 0xff, sizeof(words));
	CU_ASSERT_EQUAL_FATAL(kt_qmd_field_named(layout, "GRID_WIDTH", &field), 1);
	CU_ASSERT_EQUAL(kt_qmd_get(layout, &field, 0, words, 132), UINT32_MAX);
	CU_ASSERT_EQUAL(kt_qmd_get(layout, &field, 0, words, 131), 0);
	CU_ASSERT_EQUAL(kt_qmd_get(layout, &field, 1, words, sizeof(words)), 0);
	CU_ASSERT_EQUAL(kt_qmd_field_named(layout, "GRID", &field), 0);
	CU_ASSERT_EQUAL(kt_qmd_field(layout, 100000, &field), 0);
}

/*
 * A field may have up to 64 bits at any position, although no field in the tables crosses
 * dwords like these.
 */
static void reads_across_words(void)
{
	const struct kt_qmd_layout *layout = layout_of(0xcbc0, 4, 0);

	for (unsigned lo = 0; lo < 32; lo++) {
		for (unsigned width = 1; width <= 64; width++) {
			struct kt_qmd_field field = {
				.lo = (uint16_t)(96 + lo),
				.hi = (uint16_t)(96 + lo + width - 1),
				.stride = 75,
				.count = 3,
				.inner = 1,
			};
			uint32_t words[WORDS];

			memset(words, 0xff, sizeof(words));
			for (unsigned e = 0; e < 3; e++) {
				uint64_t value = pattern(lo, e, width);

				set_bits(words, kt_qmd_bit(&field, e), width, value);
				CU_ASSERT_EQUAL(
					kt_qmd_get(layout, &field, e, words, sizeof(words)),
					value);
			}
		}
	}
}

static const char *value_of(const struct kt_qmd_layout *layout, const char *name,
			    uint64_t value)
{
	struct kt_qmd_field field;

	CU_ASSERT_EQUAL_FATAL(kt_qmd_field_named(layout, name, &field), 1);
	return kt_qmd_value_name(layout, &field, value);
}

static void names_values(void)
{
	const struct kt_qmd_layout *kepler = layout_of(0xa0c0, 0, 6);
	const struct kt_qmd_layout *hopper = layout_of(0xcbc0, 4, 0);

	CU_ASSERT_STRING_EQUAL(value_of(hopper, "QMD_TYPE", 0), "QUEUE");
	CU_ASSERT_STRING_EQUAL(value_of(hopper, "QMD_TYPE", 2), "GRID_CTA");
	CU_ASSERT_PTR_NULL(value_of(hopper, "QMD_TYPE", 6));
	CU_ASSERT_PTR_NULL(value_of(hopper, "QMD_TYPE", UINT64_MAX));
	CU_ASSERT_PTR_NULL(value_of(hopper, "GRID_WIDTH", 0));
	CU_ASSERT_STRING_EQUAL(value_of(kepler, "API_VISIBLE_CALL_LIMIT", 0), "_32");
	CU_ASSERT_STRING_EQUAL(value_of(kepler, "CWD_MEMBAR_TYPE", 1), "L1_SYSMEMBAR");
	CU_ASSERT_PTR_NULL(value_of(kepler, "CWD_MEMBAR_TYPE", 2));
	CU_ASSERT_STRING_EQUAL(value_of(kepler, "CWD_MEMBAR_TYPE", 3), "L1_MEMBAR");
}

/* Bit positions of some fields, from NVIDIA's headers. */
static void knows_positions(void)
{
	static const struct {
		uint32_t class_number;
		uint8_t major, minor;
		const char *name;
		uint16_t hi, lo, stride, count;
	} known[] = {
		{0xa0c0, 0, 6, "CTA_RASTER_WIDTH", 415, 384, 0, 1},
		{0xb0c0, 1, 7, "RUN_CTA_IN_ONE_SM_PARTITION", 199, 199, 0, 1},
		{0xc3c0, 2, 2, "REGISTER_COUNT_V", 656, 648, 0, 1},
		{0xc6c0, 3, 0, "RELEASE0_NON_BLOCKING_INTR_TYPE", 828, 827, 0, 1},
		{0xc7c0, 3, 0, "RELEASE0_TRAP_TYPE", 828, 827, 0, 1},
		{0xcbc0, 4, 0, "RELEASE_ENABLE", 320, 320, 16, 3},
		{0xcbc0, 4, 0, "CTA_THREAD_DIMENSION2", 1199, 1184, 0, 1},
		{0xcdc0, 4, 1, "CTA_THREAD_DIMENSION2", 1191, 1184, 0, 1},
		{0xcec0, 5, 0, "DEPENDENT_QMD_POINTER", 415, 384, 32, 2},
		{0xcec0, 5, 1, "SUB_TASK_GRID_WIDTH", 1151, 1120, 416, 5},
		{0xcec0, 5, 1, "SUB_TASK_CONSTANT_BANK_VALID", 886, 886, 416, 10},
	};
	struct kt_qmd_field field;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct kt_qmd_layout *layout =
			layout_of(known[i].class_number, known[i].major, known[i].minor);

		CU_ASSERT_PTR_NOT_NULL_FATAL(layout);
		CU_ASSERT_EQUAL_FATAL(kt_qmd_field_named(layout, known[i].name, &field), 1);
		CU_ASSERT_EQUAL(field.hi, known[i].hi);
		CU_ASSERT_EQUAL(field.lo, known[i].lo);
		CU_ASSERT_EQUAL(field.stride, known[i].stride);
		CU_ASSERT_EQUAL(field.count, known[i].count);
	}
	/* Element 5 is the second bank of the third sub-task. */
	CU_ASSERT_EQUAL(kt_qmd_bit(&field, 2 * 2 + 1), 886 + 2 * 416 + 202);
	CU_ASSERT_PTR_NULL(layout_of(0xc7c0, 4, 0));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"round trip of every field of every version", round_trip},
		{"fields do not overlap", fields_do_not_overlap},
		{"finds each layout by its version", finds_each_layout_by_its_version},
		{"asks the class", asks_the_class},
		{"finds nothing", finds_nothing},
		{"gives nothing outside of the words", gives_nothing_outside},
		{"reads across words", reads_across_words},
		{"names values", names_values},
		{"knows places", knows_positions},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("qmd", tests);
}
