/* SPDX-License-Identifier: MIT */
/* Reads launch parameters from QMDs of every version and of the software GPU's driver. */
#include <string.h>

#include "corpus/softgpu/driver/work/launch.h"
#include "decode/bits.h"
#include "decode/qmd.h"
#include "tests/suite.h"

#define WORDS (KT_QMD_BYTES / 4)

struct qmd {
	const struct kt_qmd_layout *layout;
	uint32_t words[WORDS];
};

/*
 * Sets those fields of a NULL-terminated list that the layout has. A field whose name ends
 * with _SHIFTED and a digit gets the value shifted right by that many bits. Returns the
 * number of fields set.
 */
static unsigned set(struct qmd *qmd, const char *const *names, unsigned index,
		    uint64_t value)
{
	unsigned n = 0;

	for (; *names; names++) {
		const char *shifted = strstr(*names, "_SHIFTED");
		struct kt_qmd_field field;

		if (kt_qmd_field_named(qmd->layout, *names, &field)) {
			unsigned at = kt_qmd_bit(&field, field.count > 1 ? index : 0);
			unsigned shift = shifted ? (unsigned)(shifted[8] - '0') : 0;

			kt_bits_set(qmd->words, at + field.hi - field.lo, at,
				    (uint32_t)(value >> shift));
			n++;
		}
	}
	return n;
}

#define SET(qmd, index, value, ...)                                                        \
	set(qmd, (const char *const[]){__VA_ARGS__, NULL}, index, value)

static void set_shape(struct qmd *qmd)
{
	SET(qmd, 0, 0x12345, "GRID_WIDTH", "CTA_RASTER_WIDTH", "SUB_TASK_GRID_WIDTH");
	SET(qmd, 0, 0x2345, "GRID_HEIGHT", "CTA_RASTER_HEIGHT", "SUB_TASK_GRID_HEIGHT");
	SET(qmd, 0, 0x345, "GRID_DEPTH", "CTA_RASTER_DEPTH", "SUB_TASK_GRID_DEPTH");
	SET(qmd, 0, 256, "CTA_THREAD_DIMENSION0", "SUB_TASK_CTA_THREAD_DIMENSION0");
	SET(qmd, 0, 4, "CTA_THREAD_DIMENSION1", "SUB_TASK_CTA_THREAD_DIMENSION1");
	SET(qmd, 0, 2, "CTA_THREAD_DIMENSION2", "SUB_TASK_CTA_THREAD_DIMENSION2");
	SET(qmd, 0, 40, "REGISTER_COUNT", "REGISTER_COUNT_V", "SUB_TASK_REGISTER_COUNT");
	SET(qmd, 0, 0x1880, "SHARED_MEMORY_SIZE", "SHARED_MEMORY_SIZE_SHIFTED7",
	    "SUB_TASK_SHARED_MEMORY_SIZE_SHIFTED7");
}

/*
 * Sets an address, shifted right by `shift` bits, in two fields for its lower and upper
 * half.
 */
static unsigned set_wide(struct qmd *qmd, unsigned index, uint64_t value, unsigned shift,
			 const char *lower, const char *upper)
{
	struct kt_qmd_field low, high;
	unsigned at;

	if (!kt_qmd_field_named(qmd->layout, lower, &low) ||
	    !kt_qmd_field_named(qmd->layout, upper, &high)) {
		return 0;
	}
	value >>= shift;
	at = kt_qmd_bit(&low, low.count > 1 ? index : 0);
	kt_bits_set(qmd->words, at + 31, at, (uint32_t)value);
	at = kt_qmd_bit(&high, high.count > 1 ? index : 0);
	kt_bits_set(qmd->words, at + high.hi - high.lo, at, (uint32_t)(value >> 32));
	return 1;
}

#define PROGRAM UINT64_C(0x1a23456780)
#define BANK    UINT64_C(0x7f12345640)
#define RELEASE UINT64_C(0x1b9abcdef0)

/* Sets an address even if the bank is not valid: the reader must ignore that address. */
static void set_bank(struct qmd *qmd, unsigned i, bool valid)
{
	SET(qmd, i, valid, "CONSTANT_BUFFER_VALID", "SUB_TASK_CONSTANT_BANK_VALID");
	set_wide(qmd, i, BANK + i * 64, 0, "CONSTANT_BUFFER_ADDR_LOWER",
		 "CONSTANT_BUFFER_ADDR_UPPER");
	set_wide(qmd, i, BANK + i * 64, 6, "CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6",
		 "CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6");
	set_wide(qmd, i, BANK + i * 64, 6, "SUB_TASK_CONSTANT_BANK_ADDR_LOWER_SHIFTED6",
		 "SUB_TASK_CONSTANT_BANK_ADDR_UPPER_SHIFTED6");
	SET(qmd, i, 0x560, "CONSTANT_BUFFER_SIZE", "CONSTANT_BUFFER_SIZE_SHIFTED4",
	    "SUB_TASK_CONSTANT_BANK_SIZE_SHIFTED4");
}

/* Returns whether the layout has a semaphore 1 whose payload may have 64 bits. */
static bool set_release(struct qmd *qmd)
{
	SET(qmd, 1, 1, "RELEASE_ENABLE", "RELEASE1_ENABLE", "SEMAPHORE_RELEASE_ENABLE1");
	set_wide(qmd, 0, RELEASE, 0, "RELEASE1_ADDRESS_LOWER", "RELEASE1_ADDRESS_UPPER");
	set_wide(qmd, 0, RELEASE, 0, "RELEASE_SEMAPHORE1_ADDR_LOWER",
		 "RELEASE_SEMAPHORE1_ADDR_UPPER");
	SET(qmd, 0, 0xabcd, "RELEASE1_PAYLOAD", "RELEASE1_PAYLOAD_LOWER",
	    "RELEASE_SEMAPHORE1_PAYLOAD_LOWER");
	return SET(qmd, 0, 5, "RELEASE1_PAYLOAD_UPPER",
		   "RELEASE_SEMAPHORE1_PAYLOAD_UPPER") > 0;
}

static void reads_shape(const struct qmd *qmd)
{
	struct kt_qmd_launch launch;

	kt_qmd_launch(qmd->layout, qmd->words, sizeof(qmd->words), &launch);
	CU_ASSERT_EQUAL(launch.grid[0], 0x12345);
	CU_ASSERT_EQUAL(launch.grid[1], 0x2345);
	CU_ASSERT_EQUAL(launch.grid[2], 0x345);
	CU_ASSERT_EQUAL(launch.block[0], 256);
	CU_ASSERT_EQUAL(launch.block[1], 4);
	CU_ASSERT_EQUAL(launch.block[2], 2);
	CU_ASSERT_EQUAL(launch.registers, 40);
	CU_ASSERT_EQUAL(launch.shared_bytes, 0x1880);
}

static void knows_the_shape(void)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		struct qmd qmd = {kt_qmd_layout_at(i), {0}};

		set_shape(&qmd);
		reads_shape(&qmd);
	}
}

/*
 * From version 2.2 on, a QMD has the program's address. Older versions have an offset,
 * whose field version 2.2 still has.
 */
static void knows_the_program(void)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		struct qmd qmd = {kt_qmd_layout_at(i), {0}};
		struct kt_qmd_launch launch;
		unsigned version = kt_qmd_major(qmd.layout) * 10 + kt_qmd_minor(qmd.layout);

		SET(&qmd, 0, 0x7000, "PROGRAM_OFFSET");
		set_wide(&qmd, 0, PROGRAM, 0, "PROGRAM_ADDRESS_LOWER",
			 "PROGRAM_ADDRESS_UPPER");
		set_wide(&qmd, 0, PROGRAM, 4, "PROGRAM_ADDRESS_LOWER_SHIFTED4",
			 "PROGRAM_ADDRESS_UPPER_SHIFTED4");
		set_wide(&qmd, 0, PROGRAM, 4, "SUB_TASK_PROGRAM_ADDRESS_LOWER_SHIFTED4",
			 "SUB_TASK_PROGRAM_ADDRESS_UPPER_SHIFTED4");
		kt_qmd_launch(qmd.layout, qmd.words, sizeof(qmd.words), &launch);
		CU_ASSERT_EQUAL(launch.program_is_offset, version < 22);
		CU_ASSERT_EQUAL(launch.program, version < 22 ? 0x7000 : PROGRAM);
	}
}

static void knows_the_banks(void)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		struct qmd qmd = {kt_qmd_layout_at(i), {0}};
		struct kt_qmd_launch launch;
		unsigned version = kt_qmd_major(qmd.layout) * 10 + kt_qmd_minor(qmd.layout);
		unsigned n = version == 51 ? 2 : 8;

		for (unsigned j = 0; j < n; j++) {
			set_bank(&qmd, j, j % 2);
		}
		kt_qmd_launch(qmd.layout, qmd.words, sizeof(qmd.words), &launch);
		for (unsigned j = 0; j < 8; j++) {
			bool valid = j < n && j % 2;

			CU_ASSERT_EQUAL(launch.constants[j], valid ? BANK + j * 64 : 0);
			CU_ASSERT_EQUAL(launch.constant_bytes[j], valid ? 0x560 : 0);
		}
	}
}

static void knows_the_semaphores(void)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		struct qmd qmd = {kt_qmd_layout_at(i), {0}};
		struct kt_qmd_launch launch;
		bool wide = set_release(&qmd);
		/* Version 5.1 has only semaphore 0. */
		bool is_there = kt_qmd_major(qmd.layout) < 5 || !kt_qmd_minor(qmd.layout);

		kt_qmd_launch(qmd.layout, qmd.words, sizeof(qmd.words), &launch);
		CU_ASSERT_EQUAL(launch.release[0], 0);
		CU_ASSERT_EQUAL(launch.release[1], is_there ? RELEASE : 0);
		CU_ASSERT_EQUAL(launch.release[2], 0);
		CU_ASSERT_EQUAL(launch.release_payload[1], is_there ? 0xabcd : 0);
		SET(&qmd, 1, 1, "RELEASE_PAYLOAD64B", "RELEASE1_PAYLOAD64B");
		kt_qmd_launch(qmd.layout, qmd.words, sizeof(qmd.words), &launch);
		CU_ASSERT_EQUAL(launch.release_payload[1],
				wide ? UINT64_C(0x50000abcd) : (is_there ? 0xabcd : 0));
		CU_ASSERT_EQUAL(wide, is_there && kt_qmd_major(qmd.layout) >= 3);
	}
}

/*
 * Finds the layout of a QMD that the software GPU's driver built, and reads its parameters.
 */
static void reads_the_driver(void)
{
	const struct kt_launch described = {
		.code = UINT64_C(0x7f00001234500),
		.shared_bytes = 4096,
		.constants = {.block = {128, 2, 1}, .grid = {70000, 3, 5}},
	};
	const struct kt_qmd_layout *layout;
	struct kt_qmd_launch launch;
	uint32_t words[WORDS];

	kt_launch_describe(words, &described, UINT64_C(0x7e00005000));
	layout = kt_qmd_find(0xcbc0, words, sizeof(words));
	CU_ASSERT_PTR_NOT_NULL_FATAL(layout);
	CU_ASSERT_EQUAL(kt_qmd_major(layout), 4);
	CU_ASSERT_EQUAL(kt_qmd_minor(layout), 0);
	CU_ASSERT_EQUAL(kt_qmd_bytes(layout), KT_QMD_BYTES);
	kt_qmd_launch(layout, words, sizeof(words), &launch);
	CU_ASSERT_EQUAL(memcmp(launch.grid, described.constants.grid, sizeof(launch.grid)),
			0);
	CU_ASSERT_EQUAL(
		memcmp(launch.block, described.constants.block, sizeof(launch.block)), 0);
	CU_ASSERT_EQUAL(launch.program, described.code);
	CU_ASSERT_EQUAL(launch.program_is_offset, false);
	CU_ASSERT_EQUAL(launch.shared_bytes, 4096 + 1024); /* the system's part */
	CU_ASSERT_EQUAL(launch.constants[0], UINT64_C(0x7e00005000) + KT_LAUNCH_CONSTANTS);
	CU_ASSERT_EQUAL(launch.constant_bytes[0], KT_GPU_CONSTANT_BYTES);
	CU_ASSERT_EQUAL(launch.constants[1], 0);
	CU_ASSERT_EQUAL(launch.release[0], 0);
}

/* The generations of arguments: before Volta, Volta to Ada, Hopper, Blackwell. */
static void knows_where_arguments_are(void)
{
	CU_ASSERT_EQUAL(kt_qmd_arguments(0), 0);
	CU_ASSERT_EQUAL(kt_qmd_arguments(0xc1c0), 0);
	CU_ASSERT_EQUAL(kt_qmd_arguments(0xc3c0), 0x160);
	CU_ASSERT_EQUAL(kt_qmd_arguments(0xc9c0), 0x160);
	CU_ASSERT_EQUAL(kt_qmd_arguments(0xcbc0), 0x210);
	CU_ASSERT_EQUAL(kt_qmd_arguments(0xcdc0), 0x380);
	CU_ASSERT_EQUAL(kt_qmd_arguments(0xcec0), 0x380);
}

/* Sets what dependent i of the QMD needs. */
static void set_dependent(struct qmd *qmd, unsigned i, uint64_t action, uint64_t pointer)
{
	static const char *const names[][3][3] = {
		{{"DEPENDENT_QMD0_ENABLE", "DEPENDENT_QMD_ENABLE"},
		 {"DEPENDENT_QMD0_ACTION", "DEPENDENT_QMD_ACTION"},
		 {"DEPENDENT_QMD0_POINTER", "DEPENDENT_QMD_POINTER"}},
		{{"DEPENDENT_QMD1_ENABLE", "DEPENDENT_QMD_ENABLE"},
		 {"DEPENDENT_QMD1_ACTION", "DEPENDENT_QMD_ACTION"},
		 {"DEPENDENT_QMD1_POINTER", "DEPENDENT_QMD_POINTER"}},
	};

	CU_ASSERT_EQUAL(set(qmd, names[i][0], i, 1), 1);
	CU_ASSERT_EQUAL(set(qmd, names[i][1], i, action), 1);
	CU_ASSERT_EQUAL(set(qmd, names[i][2], i, pointer), 1);
}

/* QMDs before version 2.4 have no dependents; from 2.4 to 3.0 they have at most one. */
static void knows_dependents(void)
{
	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		struct qmd qmd = {kt_qmd_layout_at(i), {0}};
		unsigned version = 16 * kt_qmd_major(qmd.layout) + kt_qmd_minor(qmd.layout);
		struct kt_qmd_dependent next;

#define DEPENDENT(n) kt_qmd_dependent(qmd.layout, qmd.words, KT_QMD_BYTES, n, &next)
		CU_ASSERT_FALSE(DEPENDENT(0));
		CU_ASSERT_EQUAL(kt_qmd_type(qmd.layout, qmd.words, KT_QMD_BYTES) != NULL,
				version >= 0x40);
		if (version < 0x24) {
			continue;
		}
		set_dependent(&qmd, 0, 4, 0x204e10);
		CU_ASSERT_TRUE_FATAL(DEPENDENT(0));
		CU_ASSERT_EQUAL(next.address, 0x204e1000);
		CU_ASSERT_PTR_NOT_NULL_FATAL(next.action);
		CU_ASSERT_STRING_EQUAL(next.action, "QMD_DECREMENT_DEPENDENCE");
		CU_ASSERT_FALSE(DEPENDENT(1));
		if (version < 0x40) {
			continue;
		}
		set_dependent(&qmd, 1, 2, 0x204e12);
		CU_ASSERT_TRUE(DEPENDENT(1));
		CU_ASSERT_EQUAL(next.address, 0x204e1200);
		CU_ASSERT_PTR_NULL(next.action); /* the value has no name */
		CU_ASSERT_FALSE(DEPENDENT(2));
#undef DEPENDENT
	}
}

/* Fields after the end of a truncated QMD are read as 0. */
static void reads_a_cut_descriptor(void)
{
	struct qmd qmd = {kt_qmd_layout_at(kt_qmd_layouts() - 1), {0}};
	struct kt_qmd_launch launch, nothing = {0};

	set_shape(&qmd);
	kt_qmd_launch(qmd.layout, qmd.words, 112, &launch);
	CU_ASSERT_EQUAL(launch.block[0], 256);
	CU_ASSERT_EQUAL(launch.shared_bytes, 0);
	CU_ASSERT_EQUAL(launch.grid[0], 0);
	kt_qmd_launch(qmd.layout, qmd.words, 0, &launch);
	CU_ASSERT_EQUAL(memcmp(launch.grid, nothing.grid, sizeof(launch.grid)), 0);
	CU_ASSERT_EQUAL(launch.registers, 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows the shape", knows_the_shape},
		{"knows the program", knows_the_program},
		{"knows the constant banks", knows_the_banks},
		{"knows the semaphores", knows_the_semaphores},
		{"knows dependents", knows_dependents},
		{"knows where arguments are", knows_where_arguments_are},
		{"reads what the software GPU's driver built", reads_the_driver},
		{"reads a cut descriptor", reads_a_cut_descriptor},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("qmd launch", tests);
}
