/* SPDX-License-Identifier: MIT */
#include "collect/record/session.h"

#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"

#define MIB (UINT64_C(1) << 20)

static void test_fits(void)
{
	struct kt_shm_space space = {.cpus = 4, .size = 256 * MIB, .free = 200 * MIB};

	CU_ASSERT_EQUAL(kt_shm_space_check(&space, MIB, 8), KT_OK);
	CU_ASSERT_TRUE(kt_shm_space_need(&space, MIB, 8) > 32 * MIB);
	CU_ASSERT_TRUE(kt_shm_space_need(&space, MIB, 8) < 33 * MIB);
}

/*
 * 64 MiB, a container's default, are too small for 8 sub-buffers of 1 MiB for each of 16
 * CPUs. The message names sub-buffers that fit, and a larger size of /dev/shm.
 */
static void test_proposes(void)
{
	struct kt_shm_space space = {.cpus = 16, .size = 64 * MIB, .free = 64 * MIB};
	const char *text;

	CU_ASSERT_EQUAL(kt_shm_space_check(&space, MIB, 8), KT_E_IO);
	text = kt_error_message();
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "16 CPUs need 129 MiB"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "65536 KiB are free"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "--subbuf-size 262144 --num-subbuf 8"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "size=256m"));
	CU_ASSERT_EQUAL(kt_shm_space_check(&space, 262144, 8), KT_OK);
}

static void test_hopeless(void)
{
	struct kt_shm_space space = {.cpus = 16, .size = 64 * MIB, .free = 4096};
	const char *text;

	CU_ASSERT_EQUAL(kt_shm_space_check(&space, MIB, 8), KT_E_IO);
	text = kt_error_message();
	CU_ASSERT_PTR_NULL(strstr(text, "--subbuf-size"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "size=256m"));
}

static void test_many_buffers(void)
{
	struct kt_shm_space space = {.cpus = 1, .size = 64 * MIB, .free = MIB};

	CU_ASSERT_EQUAL(kt_shm_space_check(&space, UINT64_C(1) << 30, 1024), KT_E_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "--num-subbuf 8"));
}

static void test_this_machine(void)
{
	struct kt_shm_space space = {0};

	CU_ASSERT_EQUAL(kt_shm_space_read(&space), KT_OK);
	CU_ASSERT_TRUE(space.cpus >= 1);
	CU_ASSERT_TRUE(space.free <= space.size);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"buffers that fit", test_fits},
		{"options that would fit", test_proposes},
		{"nothing would fit", test_hopeless},
		{"very many buffers", test_many_buffers},
		{"this machine", test_this_machine},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("room", tests);
}
