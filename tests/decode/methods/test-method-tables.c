/* SPDX-License-Identifier: MIT */
/*
 * Compares the library's methods with the tables as method-tables.c expands them, and with
 * counts taken from NVIDIA's headers.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/methods.h"
#include "tests/decode/methods/method-tables.h"
#include "tests/suite.h"

#define END_OF_METHODS 0x4000 /* offsets have 12 bits, in dwords */
#define MOST_FIELDS    64

static struct kt_table table;

static const struct expected {
	uint32_t number;
	const char *name;
	size_t methods;
	size_t fields;
	size_t values;
} expected[] = {
	{0x206e, "NV20_CHANNEL_DMA", 7, 0, 0},
	{0x366e, "NV36_CHANNEL_DMA", 6, 0, 0},
	{0x406e, "NV40_CHANNEL_DMA", 6, 0, 0},
	{0x446e, "NV44_CHANNEL_DMA", 7, 0, 0},
	{0x502d, "NV50_TWOD", 103, 162, 192},
	{0x5039, "NV50_MEMORY_TO_MEMORY_FORMAT", 32, 39, 36},
	{0x506f, "NV50_CHANNEL_GPFIFO", 7, 0, 0},
	{0x50c0, "NV50_COMPUTE", 121, 160, 164},
	{0x826f, "G82_CHANNEL_GPFIFO", 14, 4, 3},
	{0x85b5, "GT212_DMA_COPY", 33, 57, 92},
	{0x85c0, "GT214_COMPUTE", 122, 161, 170},
	{0x866f, "GT21A_CHANNEL_GPFIFO", 17, 9, 8},
	{0x902d, "FERMI_TWOD_A", 180, 243, 258},
	{0x9039, "FERMI_MEMORY_TO_MEMORY_FORMAT_A", 100, 110, 58},
	{0x906f, "GF100_CHANNEL_GPFIFO", 14, 23, 26},
	{0x9097, "FERMI_A", 545, 871, 1820},
	{0x90b5, "GF100_DMA_COPY", 37, 77, 108},
	{0x90c0, "FERMI_COMPUTE_A", 166, 218, 224},
	{0x9197, "FERMI_B", 547, 876, 1827},
	{0x91c0, "FERMI_COMPUTE_B", 167, 222, 232},
	{0x9297, "FERMI_C", 557, 894, 1874},
	{0xa040, "KEPLER_INLINE_TO_MEMORY_A", 72, 82, 51},
	{0xa06f, "KEPLER_CHANNEL_GPFIFO_A", 14, 23, 26},
	{0xa097, "KEPLER_A", 562, 888, 1771},
	{0xa0b5, "KEPLER_DMA_COPY_A", 35, 62, 125},
	{0xa0c0, "KEPLER_COMPUTE_A", 149, 201, 113},
	{0xa140, "KEPLER_INLINE_TO_MEMORY_B", 72, 82, 51},
	{0xa16f, "KEPLER_CHANNEL_GPFIFO_B", 15, 26, 37},
	{0xa197, "KEPLER_B", 564, 891, 1773},
	{0xa1c0, "KEPLER_COMPUTE_B", 155, 208, 117},
	{0xa26f, "KEPLER_CHANNEL_GPFIFO_C", 17, 30, 32},
	{0xa297, "KEPLER_C", 579, 929, 1892},
	{0xb06f, "MAXWELL_CHANNEL_GPFIFO_A", 15, 27, 41},
	{0xb097, "MAXWELL_A", 571, 919, 1871},
	{0xb0b5, "MAXWELL_DMA_COPY_A", 35, 63, 123},
	{0xb0c0, "MAXWELL_COMPUTE_A", 173, 225, 115},
	{0xb197, "MAXWELL_B", 599, 971, 1962},
	{0xb1c0, "MAXWELL_COMPUTE_B", 181, 233, 121},
	{0xc06f, "PASCAL_CHANNEL_GPFIFO_A", 19, 38, 68},
	{0xc097, "PASCAL_A", 607, 981, 1967},
	{0xc0b5, "PASCAL_DMA_COPY_A", 35, 65, 121},
	{0xc0c0, "PASCAL_COMPUTE_A", 190, 242, 121},
	{0xc197, "PASCAL_B", 619, 999, 1983},
	{0xc1b5, "PASCAL_DMA_COPY_B", 39, 71, 123},
	{0xc1c0, "PASCAL_COMPUTE_B", 193, 248, 127},
	{0xc361, "VOLTA_USERMODE_A", 3, 0, 0},
	{0xc36f, "VOLTA_CHANNEL_GPFIFO_A", 23, 54, 107},
	{0xc397, "VOLTA_A", 614, 999, 1994},
	{0xc3b5, "VOLTA_DMA_COPY_A", 39, 74, 125},
	{0xc3c0, "VOLTA_COMPUTE_A", 166, 220, 117},
	{0xc461, "TURING_USERMODE_A", 3, 0, 0},
	{0xc46f, "TURING_CHANNEL_GPFIFO_A", 23, 54, 107},
	{0xc4c0, "VOLTA_COMPUTE_B", 166, 220, 117},
	{0xc561, "AMPERE_USERMODE_A", 3, 0, 0},
	{0xc56f, "AMPERE_CHANNEL_GPFIFO_A", 22, 54, 110},
	{0xc597, "TURING_A", 655, 1077, 2269},
	{0xc5b5, "TURING_DMA_COPY_A", 39, 75, 128},
	{0xc5c0, "TURING_COMPUTE_A", 169, 229, 131},
	{0xc661, "HOPPER_USERMODE_A", 3, 0, 0},
	{0xc697, "AMPERE_A", 655, 1077, 2269},
	{0xc6b5, "AMPERE_DMA_COPY_A", 39, 77, 126},
	{0xc6c0, "AMPERE_COMPUTE_A", 154, 214, 141},
	{0xc761, "BLACKWELL_USERMODE_A", 3, 0, 0},
	{0xc76f, "AMPERE_CHANNEL_GPFIFO_B", 22, 55, 113},
	{0xc797, "AMPERE_B", 666, 1105, 2356},
	{0xc7b5, "AMPERE_DMA_COPY_B", 43, 82, 139},
	{0xc7c0, "AMPERE_COMPUTE_B", 179, 255, 201},
	{0xc86f, "HOPPER_CHANNEL_GPFIFO_A", 22, 55, 113},
	{0xc8b5, "HOPPER_DMA_COPY_A", 51, 92, 150},
	{0xc96f, "BLACKWELL_CHANNEL_GPFIFO_A", 22, 55, 114},
	{0xc997, "ADA_A", 666, 1105, 2356},
	{0xc9b5, "BLACKWELL_DMA_COPY_A", 51, 91, 148},
	{0xc9c0, "ADA_COMPUTE_A", 179, 255, 201},
	{0xca6f, "BLACKWELL_CHANNEL_GPFIFO_B", 22, 55, 114},
	{0xcab5, "BLACKWELL_DMA_COPY_B", 52, 94, 161},
	{0xcb97, "HOPPER_A", 667, 1106, 2352},
	{0xcbc0, "HOPPER_COMPUTE_A", 179, 254, 197},
	{0xcd40, "BLACKWELL_INLINE_TO_MEMORY_A", 72, 82, 51},
	{0xcd97, "BLACKWELL_A", 665, 1105, 2344},
	{0xcdc0, "BLACKWELL_COMPUTE_A", 171, 237, 167},
	{0xce97, "BLACKWELL_B", 671, 1111, 2344},
	{0xcec0, "BLACKWELL_COMPUTE_B", 180, 251, 181},
};

#define CLASSES (sizeof(expected) / sizeof(expected[0]))

static void has_the_classes_in_order(void)
{
	CU_ASSERT_EQUAL_FATAL(kt_method_classes(), CLASSES);
	for (size_t i = 0; i < CLASSES; i++) {
		const struct kt_method_class *class_ = kt_method_class_at(i);

		CU_ASSERT_EQUAL(kt_method_class_number(class_), expected[i].number);
		CU_ASSERT_STRING_EQUAL(kt_method_class_name(class_), expected[i].name);
		CU_ASSERT_PTR_EQUAL(kt_method_class_find(expected[i].number), class_);
		CU_ASSERT_TRUE(i == 0 || expected[i - 1].number < expected[i].number);
	}
	CU_ASSERT_PTR_NULL(kt_method_class_at(CLASSES));
	CU_ASSERT_PTR_NULL(kt_method_class_find(0));
	CU_ASSERT_PTR_NULL(kt_method_class_find(0xc8b6));
	CU_ASSERT_PTR_NULL(kt_method_class_find(0x1c8b5));
	CU_ASSERT_PTR_NULL(kt_method_class_find(UINT32_MAX));
}

static void expands_to_what_the_headers_have(void)
{
	for (size_t i = 0; i < CLASSES; i++) {
		size_t methods = 0, fields = 0, values = 0;
		size_t first, end;

		kt_table_class(&table, expected[i].number, &first, &end);
		for (size_t k = first + 1; k < end; k++) {
			const struct kt_table_row *row = &table.rows[k];

			values += row->value[0] != '\0';
			fields += row->field[0] && !row->value[0];
			methods += !row->field[0];
		}
		CU_ASSERT_EQUAL(methods, expected[i].methods);
		CU_ASSERT_EQUAL(fields, expected[i].fields);
		CU_ASSERT_EQUAL(values, expected[i].values);
	}
}

static bool find_field(const struct kt_method_class *class_,
		       const struct kt_method_info *method, const char *name,
		       struct kt_method_field *out)
{
	for (size_t i = 0; kt_method_field(class_, method, i, out); i++) {
		if (strcmp(out->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Returns the first name that the tables have for a value of a field. */
static const char *first_name(const struct kt_table_row *value, size_t first)
{
	for (size_t i = first;; i++) {
		const struct kt_table_row *row = &table.rows[i];

		if (row->value[0] && row->number == value->number &&
		    strcmp(row->method, value->method) == 0 &&
		    strcmp(row->field, value->field) == 0) {
			return row->value;
		}
	}
}

static bool knows_row(const struct kt_method_class *class_, const struct kt_table_row *row,
		      size_t first)
{
	struct kt_method_info method;
	struct kt_method_field field;

	if (!kt_method_find_name(class_, row->method, &method)) {
		return false;
	}
	if (!row->field[0]) {
		return method.offset == row->offset && method.count == row->count &&
		       method.stride == row->stride && method.index == 0;
	}
	if (!find_field(class_, &method, row->field, &field)) {
		return false;
	}
	if (!row->value[0]) {
		return field.hi == row->hi && field.lo == row->lo;
	}
	return kt_method_value_name(class_, &field, row->number) &&
	       strcmp(kt_method_value_name(class_, &field, row->number),
		      first_name(row, first)) == 0;
}

static void knows_every_row(void)
{
	for (size_t i = 0; i < CLASSES; i++) {
		const struct kt_method_class *class_ = kt_method_class_at(i);
		size_t unknown = 0;
		size_t first, end;

		kt_table_class(&table, kt_method_class_number(class_), &first, &end);
		for (size_t k = first + 1; k < end; k++) {
			unknown += !knows_row(class_, &table.rows[k], first);
		}
		CU_ASSERT_EQUAL(unknown, 0);
	}
}

/* Counts the fields of a method, and the pairs of them that share bits. */
static size_t check_fields(const struct kt_method_class *class_,
			   const struct kt_method_info *method, size_t *pairs)
{
	struct kt_method_field fields[MOST_FIELDS];
	size_t n = 0;

	while (n < MOST_FIELDS && kt_method_field(class_, method, n, &fields[n])) {
		CU_ASSERT_TRUE(fields[n].hi <= 31 && fields[n].lo <= fields[n].hi);
		CU_ASSERT_TRUE(n == 0 || fields[n].hi < fields[n - 1].hi ||
			       (fields[n].hi == fields[n - 1].hi &&
				fields[n].lo <= fields[n - 1].lo));
		for (size_t i = 0; i < n; i++) {
			*pairs += fields[i].lo <= fields[n].hi;
		}
		n++;
	}
	CU_ASSERT_TRUE(n < MOST_FIELDS);
	return n;
}

#define SMALL 0x200 /* all values are below, except OpenGL's numbers in the 3D classes */

static uint32_t large[1000]; /* the distinct values of the tables from SMALL on */
static size_t n_large;

static void collect_large(void)
{
	for (size_t i = 0; i < table.n; i++) {
		const struct kt_table_row *row = &table.rows[i];
		size_t k = 0;

		if (!row->value[0] || row->number < SMALL) {
			continue;
		}
		while (k < n_large && large[k] != row->number) {
			k++;
		}
		CU_ASSERT_TRUE_FATAL(k < sizeof(large) / sizeof(large[0]));
		large[k] = row->number;
		n_large += k == n_large;
	}
}

/* Counts the distinct values that have names, and checks that they fit the field. */
static size_t count_values(const struct kt_method_class *class_,
			   const struct kt_method_field *field)
{
	uint64_t end = UINT64_C(2) << (field->hi - field->lo);
	size_t n = 0;

	for (size_t i = 0; i < SMALL + n_large; i++) {
		uint32_t value = i < SMALL ? (uint32_t)i : large[i - SMALL];
		bool named = kt_method_value_name(class_, field, value) != NULL;

		n += named;
		CU_ASSERT_TRUE(!named || value < end);
	}
	CU_ASSERT_PTR_NULL(kt_method_value_name(class_, field, UINT32_MAX));
	return n;
}

/* The dwords of MEM_OP_* and LL_CMD1 have alternative meanings, so their fields overlap. */
static bool may_overlap(const char *method)
{
	return strncmp(method, "MEM_OP_", 7) == 0 || strcmp(method, "LL_CMD1") == 0;
}

static void knows_nothing_else(void)
{
	size_t values = 0, all_values = 0, all_pairs = 0;

	collect_large();
	for (size_t i = 0; i < CLASSES; i++) {
		const struct kt_method_class *class_ = kt_method_class_at(i);
		size_t methods = 0, fields = 0;
		struct kt_method_info method;
		struct kt_method_field field;

		for (uint32_t at = 0; at < 2 * END_OF_METHODS; at++) {
			size_t pairs = 0;

			if (!kt_method_find(class_, at, &method) || method.index != 0) {
				continue;
			}
			methods++;
			fields += check_fields(class_, &method, &pairs);
			CU_ASSERT_TRUE(pairs == 0 || may_overlap(method.name));
			all_pairs += pairs;
			for (size_t k = 0; kt_method_field(class_, &method, k, &field);
			     k++) {
				values += count_values(class_, &field);
			}
		}
		CU_ASSERT_EQUAL(methods, expected[i].methods);
		CU_ASSERT_EQUAL(fields, expected[i].fields);
		all_values += expected[i].values;
	}
	CU_ASSERT_EQUAL(all_pairs, 185);
	CU_ASSERT_EQUAL(all_values - values, 26); /* values that have a second name */
}

/* Finds the row of the method at an offset by scanning all rows; NULL if there is none. */
static const struct kt_table_row *scan(size_t first, size_t end, uint32_t offset,
				       uint32_t *index)
{
	for (size_t i = first + 1; i < end; i++) {
		const struct kt_table_row *row = &table.rows[i];

		for (*index = 0; !row->field[0] && *index < row->count; ++*index) {
			if (row->offset + *index * row->stride == offset) {
				return row;
			}
		}
	}
	return NULL;
}

static bool agrees(const struct kt_method_class *class_, size_t first, size_t end,
		   uint32_t offset)
{
	struct kt_method_info method;
	uint32_t index;
	const struct kt_table_row *row = scan(first, end, offset, &index);

	if (!kt_method_find(class_, offset, &method)) {
		return !row;
	}
	return row && strcmp(row->method, method.name) == 0 && method.index == index &&
	       method.offset == row->offset && method.count == row->count;
}

static void finds_what_a_scan_finds(void)
{
	uint32_t random = 1;

	for (size_t i = 0; i < CLASSES; i++) {
		const struct kt_method_class *class_ = kt_method_class_at(i);
		size_t differ = 0;
		size_t first, end;

		kt_table_class(&table, kt_method_class_number(class_), &first, &end);
		for (uint32_t offset = 0; offset < END_OF_METHODS; offset += 4) {
			differ += !agrees(class_, first, end, offset);
		}
		for (int n = 0; n < 500; n++) {
			random = random * 1664525 + 1013904223;
			differ += !agrees(class_, first, end, random >> (n % 20));
		}
		CU_ASSERT_EQUAL(differ, 0);
	}
}

static void stands_what_is_out_of_range(void)
{
	const struct kt_method_class *class_ = kt_method_class_find(0xc8b5);
	struct kt_method_info method = {.id = UINT32_MAX};
	struct kt_method_field field = {.id = UINT32_MAX};

	CU_ASSERT_FALSE(kt_method_field(class_, &method, 0, &field));
	CU_ASSERT_PTR_NULL(kt_method_value_name(class_, &field, 0));
	CU_ASSERT_FALSE(kt_method_find(class_, UINT32_MAX, &method));
	CU_ASSERT_FALSE(kt_method_find_name(class_, "", &method));
	CU_ASSERT_TRUE_FATAL(kt_method_find(class_, 0x300, &method));
	CU_ASSERT_FALSE(kt_method_field(class_, &method, SIZE_MAX, &field));
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"has the classes in order", has_the_classes_in_order},
		{"expands to what the headers have", expands_to_what_the_headers_have},
		{"knows every row", knows_every_row},
		{"knows nothing else", knows_nothing_else},
		{"finds what a scan finds", finds_what_a_scan_finds},
		{"stands what is out of range", stands_what_is_out_of_range},
		CU_TEST_INFO_NULL,
	};
	int failed;

	if (argc != 2 || kt_table_read(&table, argv[1]) != 0) {
		return 2;
	}
	failed = kt_run_suite("methods and their tables", tests);
	kt_table_free(&table);
	return failed;
}
