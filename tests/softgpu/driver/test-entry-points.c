/* SPDX-License-Identifier: MIT */
/* Tests lookups of the software GPU's functions by name and version. */
#include <string.h>

#include "corpus/softgpu/driver/api.h"
#include "tests/suite.h"

#define OK(call)           CU_ASSERT_EQUAL((call), KT_CU_OK)
#define FAILS(call, error) CU_ASSERT_EQUAL((call), (error))

enum { FOUND, UNKNOWN, TOO_OLD };

typedef void (*any_function)(void);

static const struct {
	const char *name;
	int version;
	int status;
	any_function function;
} answers[] = {
	{"cuMemAlloc", 13000, FOUND, (any_function)cuMemAlloc},
	{"cuMemAlloc", 3020, FOUND, (any_function)cuMemAlloc},
	{"cuMemAlloc", 3010, TOO_OLD, NULL},
	{"cuMemAlloc_v2", 13000, UNKNOWN, NULL}, /* an exported symbol, not a name */
	{"cuMemAlloc", 0, TOO_OLD, NULL},
	{"", 13000, UNKNOWN, NULL},
	{"cuNoSuch", 13000, UNKNOWN, NULL},
	{"cuCtxCreate", 3020, FOUND, (any_function)cuCtxCreate},
	{"cuCtxCreate", 11030, FOUND, (any_function)cuCtxCreate},
	{"cuCtxCreate", 11040, FOUND, (any_function)cuCtxCreate_v3},
	{"cuCtxCreate", 12050, FOUND, (any_function)cuCtxCreate_v4},
	{"cuCtxSynchronize", 12090, FOUND, (any_function)cuCtxSynchronize},
	{"cuCtxSynchronize", 13000, FOUND, (any_function)cuCtxSynchronize_v2},
	{"cuGraphUpload", 11000, TOO_OLD, NULL},
	{"cuGraphUpload", 11010, FOUND, (any_function)cuGraphUpload},
	{"cuGraphInstantiate", 11080, TOO_OLD, NULL},
	{"cuGraphInstantiate", 12000, FOUND, (any_function)cuGraphInstantiate},
	{"cuGraphInstantiateWithFlags", 11040, FOUND, (any_function)cuGraphInstantiate},
	{"cuGetProcAddress", 11030, FOUND, (any_function)cuGetProcAddress_v1},
	{"cuGetProcAddress", 12000, FOUND, (any_function)cuGetProcAddress},
	{"cuGetExportTable", 13000, UNKNOWN, NULL},
};

static void test_answers(void)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		void *function = &function;
		any_function got;
		int status = -1;

		OK(cuGetProcAddress(answers[i].name, &function, answers[i].version, 0,
				    &status));
		memcpy(&got, &function, sizeof(got));
		CU_ASSERT_EQUAL(status, answers[i].status);
		CU_ASSERT(got == answers[i].function);
		FAILS(cuGetProcAddress_v1(answers[i].name, &function, answers[i].version,
					  2),
		      answers[i].status == FOUND ? KT_CU_OK : KT_CU_NOT_FOUND);
		memcpy(&got, &function, sizeof(got));
		CU_ASSERT(got == answers[i].function);
	}
}

static void test_arguments(void)
{
	void *function = NULL;
	int status = -1;

	for (uint64_t flags = 0; flags < 3; flags++) {
		OK(cuGetProcAddress("cuInit", &function, 13000, flags, NULL));
		CU_ASSERT_PTR_NOT_NULL(function);
	}
	FAILS(cuGetProcAddress("cuInit", &function, 13000, 4, &status),
	      KT_CU_INVALID_VALUE);
	FAILS(cuGetProcAddress("cuInit", &function, 13010, 0, &status),
	      KT_CU_INVALID_VALUE);
	FAILS(cuGetProcAddress(NULL, &function, 13000, 0, &status), KT_CU_INVALID_VALUE);
	FAILS(cuGetProcAddress("cuInit", NULL, 13000, 0, &status), KT_CU_INVALID_VALUE);
	FAILS(cuGetProcAddress_v1("cuInit", NULL, 13000, 0), KT_CU_INVALID_VALUE);
	CU_ASSERT_EQUAL(status, -1);
}

/* Returns whether a lookup of the name yields the exported function for some version. */
static bool is_answer(const char *field, any_function function)
{
	char name[64];
	char *version;

	strncpy(name, field, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	version = strstr(name, "_v");
	if (version) {
		*version = '\0';
	}
	for (int asked = 2000; asked <= 13000; asked += 10) {
		void *got = NULL;
		any_function found;

		OK(cuGetProcAddress(name, &got, asked, 0, NULL));
		memcpy(&found, &got, sizeof(found));
		if (found == function) {
			return true;
		}
	}
	return false;
}

static void test_all(void)
{
#define CHECK(field, symbol, parameters) CU_ASSERT(is_answer(#field, (any_function)field));
	KT_CUDA_FUNCTIONS(CHECK)
	KT_CUDA_MORE_FUNCTIONS(CHECK)
#undef CHECK
}

/* Tests newer versions of functions together with older ones. */
static void test_newer_ones(void)
{
	kt_cu_context context = NULL;
	kt_cu_context other = NULL;
	struct kt_cu_uuid uuids[2];
	kt_cu_device device = -1;
	uint32_t affinity[4] = {0};

	OK(cuInit(0));
	FAILS(cuCtxSynchronize_v2(NULL), KT_CU_INVALID_CONTEXT);
	OK(cuCtxCreate_v3(&context, NULL, 0, 0, 0));
	FAILS(cuCtxCreate_v3(&other, affinity, 1, 0, 0), KT_CU_NOT_SUPPORTED);
	FAILS(cuCtxCreate_v3(&other, NULL, 1, 0, 0), KT_CU_INVALID_VALUE);
	FAILS(cuCtxCreate_v4(&other, affinity, 0, 0), KT_CU_NOT_SUPPORTED);
	OK(cuCtxCreate_v4(&other, NULL, 0, 0));
	OK(cuCtxSynchronize_v2(context)); /* `context` is not current */
	OK(cuCtxSynchronize_v2(NULL));
	OK(cuCtxGetDevice_v2(&device, context));
	CU_ASSERT_EQUAL(device, 0);
	FAILS(cuCtxGetDevice_v2(NULL, NULL), KT_CU_INVALID_VALUE);
	OK(cuDeviceGetUuid(&uuids[0], 0));
	OK(cuDeviceGetUuid_v2(&uuids[1], 0));
	CU_ASSERT_EQUAL(memcmp(&uuids[0], &uuids[1], sizeof(uuids[0])), 0);
	OK(cuCtxDestroy(other));
	FAILS(cuCtxSynchronize_v2(other), KT_CU_CONTEXT_IS_DESTROYED);
	OK(cuCtxDestroy(context));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"answers", test_answers},   {"arguments", test_arguments},
		{"all functions", test_all}, {"newer ones", test_newer_ones},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("functions of the software GPU's driver by name", tests);
}
