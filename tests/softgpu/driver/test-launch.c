/* SPDX-License-Identifier: MIT */
/* Tests which launches kt_launch_make() prepares, whatever the device. */
#include <string.h>

#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/launch.h"
#include "tests/suite.h"

static int make(const struct kt_kernel_needs *needs, unsigned x, unsigned y, unsigned z)
{
	const struct kt_function function = {.known = true, .needs = *needs};
	const unsigned grid[3] = {1, 1, 1};
	const unsigned block[3] = {x, y, z};
	struct kt_launch launch;
	void *none[1] = {NULL};

	return kt_launch_make(&launch, &function, grid, block, 0, none, NULL);
}

/*
 * The expected limits are those of the CUDA Occupancy Calculator for 9.0: registers in
 * units of 256 a warp, warps in fours, 65,536 registers.
 */
static void test_registers(void)
{
	static const struct {
		uint32_t registers;
		unsigned most; /* threads of a block */
	} rows[] = {{255, 256}, {208, 256}, {168, 384}, {128, 512},
		    {120, 512}, {65, 896},  {64, 1024}, {16, 1024}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kt_kernel_needs needs = {.registers = rows[i].registers};

		CU_ASSERT_EQUAL(make(&needs, rows[i].most, 1, 1), KT_CU_OK);
		CU_ASSERT_EQUAL(make(&needs, 1, rows[i].most / 8, 8), KT_CU_OK);
		CU_ASSERT_EQUAL(make(&needs, rows[i].most + 1, 1, 1),
				rows[i].most < 1024 ? KT_CU_OUT_OF_RESOURCES
						    : KT_CU_INVALID_VALUE);
	}
}

static void test_bounds(void)
{
	const struct kt_kernel_needs bound = {.registers = 32, .most_threads = 128};
	const struct kt_kernel_needs block = {.registers = 32, .block = {16, 4, 1}};

	CU_ASSERT_EQUAL(make(&bound, 8, 4, 4), KT_CU_OK);
	CU_ASSERT_EQUAL(make(&bound, 129, 1, 1), KT_CU_OUT_OF_RESOURCES);
	CU_ASSERT_EQUAL(make(&bound, 0, 1, 1), KT_CU_INVALID_VALUE);
	CU_ASSERT_EQUAL(make(&block, 16, 4, 1), KT_CU_OK);
	CU_ASSERT_EQUAL(make(&block, 4, 16, 1), KT_CU_OUT_OF_RESOURCES);
	CU_ASSERT_EQUAL(make(&block, 64, 1, 1), KT_CU_OUT_OF_RESOURCES);
}

/* A kernel without parameters needs neither array. */
static void test_no_parameters(void)
{
	const struct kt_function none = {.known = true, .needs = {.registers = 8}};
	const struct kt_function one = {
		.known = true,
		.needs = {.registers = 8,
			  .parameters = {{0, 4}},
			  .n = 1,
			  .parameter_bytes = 4},
	};
	const unsigned unit[3] = {1, 1, 1};
	struct kt_launch launch;

	CU_ASSERT_EQUAL(kt_launch_make(&launch, &none, unit, unit, 0, NULL, NULL),
			KT_CU_OK);
	CU_ASSERT_EQUAL(kt_launch_make(&launch, &one, unit, unit, 0, NULL, NULL),
			KT_CU_INVALID_VALUE);
}

/* A cubin is not loaded if a kernel has more parameters than a launch can pass. */
static void test_many_parameters(void)
{
	static const _Alignas(8) unsigned char needs[] = {
#include "tests/softgpu/driver/needs-sm90.inc"
	};
	static _Alignas(8) unsigned char copy[sizeof(needs)];
	static const unsigned char head[] = {4, 0x0a, 8, 0}; /* .nv.info: PARAM_CBANK */
	struct kt_module *module = NULL;
	kt_cu_context context = NULL;
	unsigned changed = 0;

	CU_ASSERT_EQUAL_FATAL(cuCtxCreate(&context, 0, 0), KT_CU_OK);
	memcpy(copy, needs, sizeof(needs));
	for (size_t i = 0; i + 12 <= sizeof(copy); i += 4) {
		if (memcmp(copy + i, head, sizeof(head)) == 0 && copy[i + 8] == 0x10 &&
		    copy[i + 9] == 2) {
			copy[i + 10] = KT_LAUNCH_ARGUMENT_BYTES + 4;
			changed++;
		}
	}
	CU_ASSERT_EQUAL(changed, 2);
	CU_ASSERT_EQUAL(KT_LAUNCH_ARGUMENT_BYTES, 240);
	kt_driver_get()->runs_machine_code =
		true; /* to have it read; nothing is launched */
	CU_ASSERT_EQUAL(
		kt_module_load(&module, kt_context_current().context, (const char *)copy),
		KT_CU_NOT_SUPPORTED);
	CU_ASSERT_PTR_NULL(module);
	kt_driver_get()->runs_machine_code = false;
	CU_ASSERT_EQUAL(cuCtxDestroy(context), KT_CU_OK);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"registers of a block", test_registers},
		{"blocks that a kernel was compiled for", test_bounds},
		{"no parameters", test_no_parameters},
		{"more parameters than fit", test_many_parameters},
		CU_TEST_INFO_NULL,
	};

	if (cuInit(0) != KT_CU_OK) {
		return 1;
	}
	return kt_run_suite("softgpu-launch", tests);
}
