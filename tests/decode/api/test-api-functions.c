/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/call-letter.h"
#include "decode/api-functions.h"
#include "tests/decode/api/api-oracle.h"
#include "tests/suite.h"

static const char *row_of(const char *name)
{
	const struct kt_api_function *function = kt_api_function_find(name);

	return function ? function->name : "unknown";
}

static void finds_symbols(void)
{
	static const char *const pairs[][2] = {
		{"cuInit", "cuInit"},
		{"cuMemcpyHtoD", "cuMemcpyHtoD"},
		{"cuMemcpyHtoD_v2", "cuMemcpyHtoD"},
		{"cuMemcpyHtoD_v2_ptds", "cuMemcpyHtoD"},
		{"cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync"},
		{"cuMemAlloc_v2", "cuMemAlloc"},
		{"cuLaunchKernelEx_ptsz", "cuLaunchKernelEx"},
		{"cuCtxCreate_v2", "cuCtxCreate"},
		{"cuCtxCreate_v4", "cuCtxCreate_v4"},
		{"cuCtxSynchronize", "cuCtxSynchronize"},
		{"cuGetProcAddress", "cuGetProcAddress"},
		{"cuGetProcAddress_v2", "cuGetProcAddress_v2"},
		{"cuMemPrefetchAsync_ptsz", "cuMemPrefetchAsync"},
		{"cuMemPrefetchAsync_v2_ptsz", "cuMemPrefetchAsync_v2"},
		{"cuStreamGetCaptureInfo_v3_ptsz", "cuStreamGetCaptureInfo_v3"},
		{"cudaMemcpy", "cudaMemcpy"},
		{"cudaMemcpy_v3020", "cudaMemcpy"},
		{"cudaMemcpy_ptds_v7000", "cudaMemcpy"},
		{"cudaMemcpyAsync_ptsz", "cudaMemcpyAsync"},
		{"cudaMemPrefetchAsync", "cudaMemPrefetchAsync"},
		{"cudaMemPrefetchAsync_ptsz_v8000", "cudaMemPrefetchAsync_v8000"},
		{"cudaMemPrefetchAsync_v2_ptsz_v12020", "cudaMemPrefetchAsync_v12020"},
		{"cudaMemPrefetchAsync_v2", "cudaMemPrefetchAsync_v2"},
		{"__cudaRegisterFatBinary_v13000", "__cudaRegisterFatBinary"},
		{"clCreateBuffer", "clCreateBuffer"},
		{"eglGetProcAddress", "eglGetProcAddress"},
		{"glClear", "glClear"},
		{"glXGetProcAddressARB", "glXGetProcAddressARB"},
		{"vkQueueSubmit2", "vkQueueSubmit2"},
		{"clearenv", "unknown"},
		{"cuMemAlloc_v", "unknown"},
		{"cuMemAlloc_v2x", "unknown"},
		{"cuMemAll", "unknown"},
		{"cuMemAllocX", "unknown"},
		{"cuNoSuchFunction_v2", "unknown"},
		{"_v2", "unknown"},
		{"_ptsz", "unknown"},
		{"", "unknown"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		CU_ASSERT_STRING_EQUAL(row_of(pairs[i][0]), pairs[i][1]);
	}
}

static bool is_variant(const char *name, const char *of)
{
	return kt_api_is_variant(name, of, strlen(of));
}

static void finds_variants(void)
{
	CU_ASSERT_TRUE(is_variant("cuMemAlloc", "cuMemAlloc"));
	CU_ASSERT_TRUE(is_variant("cuMemAlloc_v2", "cuMemAlloc"));
	CU_ASSERT_TRUE(is_variant("cuMemAlloc_v2", "cuMemAlloc_v2"));
	CU_ASSERT_TRUE(is_variant("cuMemcpyHtoD_v2_ptds", "cuMemcpyHtoD"));
	CU_ASSERT_TRUE(is_variant("cuMemcpyHtoD_v2_ptds", "cuMemcpyHtoD_v2"));
	CU_ASSERT_TRUE(is_variant("cudaMemcpy_ptds_v7000", "cudaMemcpy"));
	CU_ASSERT_TRUE(is_variant("cuTest_v2", "cuTest"));
	CU_ASSERT_FALSE(is_variant("cuMemAlloc", "cuMemAlloc_v2"));
	CU_ASSERT_FALSE(is_variant("cuMemAlloc_v3", "cuMemAlloc_v2"));
	CU_ASSERT_FALSE(is_variant("cuMemAllocAsync", "cuMemAlloc"));
	CU_ASSERT_FALSE(is_variant("cuMemAlloc_v", "cuMemAlloc"));
	CU_ASSERT_FALSE(is_variant("cuMemAlloc_v2x", "cuMemAlloc"));
	CU_ASSERT_FALSE(is_variant("cuMem", "cuMemAlloc"));
	CU_ASSERT_FALSE(is_variant("cuMemAlloc", ""));
}

static void knows_queries(void)
{
	static const char *const queries[] = {
		"cuCtxGetDevice",
		"cudaGetDevice",
		"cuCtxGetCurrent",
		"cudaGetLastError",
		"cudaPeekAtLastError",
		"cuDeviceGetAttribute",
		"cuStreamGetCtx",
		"cuFuncGetAttribute",
		"__cudaPushCallConfiguration",
		"cuGetErrorString",
		"cuDriverGetVersion",
		"cuStreamIsCapturing_ptsz",
		"cuCtxGetDevice_v2",
		"clGetDeviceInfo",
		"eglGetError",
		"glGetUniformLocation",
		"vkGetDeviceQueue",
		"cuOccupancyMaxActiveClusters",
	};
	static const char *const others[] = {
		"cuEventQuery",     "cuStreamQuery",    "cuEventElapsedTime",
		"cuCtxSetCurrent",  "cuMemGetInfo",     "cuModuleGetFunction",
		"cuGetProcAddress", "cuCtxSynchronize", "clGetEventInfo",
		"vkGetFenceStatus", "glGetSynciv",      "glGetQueryObjectuiv",
		"cuNoSuchFunction",
	};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		CU_ASSERT_TRUE(kt_api_is_query(kt_api_function_find(queries[i])));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		CU_ASSERT_FALSE(kt_api_is_query(kt_api_function_find(others[i])));
	}
}

static uint64_t random_below(uint64_t n)
{
	static uint64_t state = 20130626;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % n;
}

/* Writes a row's name, or its beginning, with valid and invalid suffixes. */
static void make_name(char *name, size_t bytes)
{
	static const char *const endings[] = {
		"_v2",  "_v3", "_v12020", "_v8000", "_ptsz",  "_ptds", "_v",
		"_v2x", "_",   "2",       "_pts",   "_v1_v2", "_v0",   "Async"};
	const char *row = kt_api_function_at(random_below(kt_api_functions()))->name;
	size_t n = random_below(8) ? strlen(row) : random_below(strlen(row));
	size_t parts = random_below(4);

	snprintf(name, bytes, "%.*s", (int)n, row);
	while (parts-- > 0) {
		n = strlen(name);
		snprintf(name + n, bytes - n, "%s",
			 endings[random_below(sizeof(endings) / sizeof(endings[0]))]);
	}
}

static void finds_what_the_oracle_finds(void)
{
	size_t found = 0;

	for (int i = 0; i < 200000; i++) {
		char name[200];
		const struct kt_api_function *function;

		make_name(name, sizeof(name));
		function = kt_api_function_find(name);
		found += function != NULL;
		if (function != api_oracle_find(name)) {
			CU_FAIL("the oracle finds another row");
			fprintf(stderr, "%s\n", name);
			return;
		}
	}
	CU_ASSERT_TRUE(found > 50000 && found < 150000);
}

/* Returns whether text is a parameter list of the table's grammar. */
static bool well_formed(const char *text)
{
	while (*text != '\0') {
		size_t group = strspn(text, "1248fd");

		text += group;
		if (*text == '(') {
			size_t size = strspn(text + 1, "0123456789");

			if (size == 0 || text[1 + size] != '/' ||
			    !strchr("148", text[2 + size]) || text[3 + size] != ')') {
				return false;
			}
			text += 4 + size;
		} else if (group == 0) {
			return false;
		}
	}
	return true;
}

static bool is_name(const char *name)
{
	for (const char *c = name; *c != '\0'; c++) {
		if (!isalnum((unsigned char)*c) && *c != '_') {
			return false;
		}
	}
	return strncmp(name, "__cuda", 6) == 0 || kt_is_call_letter(name);
}

/* Checks that the arguments from which a number of bytes is computed are in registers. */
static void check_bytes(const struct kt_api_function *function)
{
	static const uint64_t registers[KT_API_ARGUMENTS] = {3, 3, 3, 3, 3, 3};
	uint64_t arguments[KT_API_ARGUMENTS];
	size_t n = kt_api_arguments_of_registers(arguments, function, registers);
	uint64_t bytes;

	CU_ASSERT_EQUAL(kt_api_bytes(&bytes, function, arguments, n), function->bytes >= 0);
	if (function->bytes >= 0) {
		CU_ASSERT_EQUAL(bytes,
				(function->rows >= 0 ? 9u : 3u) * (unsigned)function->unit);
	}
}

static void every_row_is_well_formed(void)
{
	size_t kinds[KT_API_KIND_COUNT] = {0};

	CU_ASSERT_EQUAL(kt_api_functions(), KT_API_ROWS + KT_KHRONOS_ROWS);
	for (size_t i = 0; i < kt_api_functions(); i++) {
		const struct kt_api_function *function = kt_api_function_at(i);

		CU_ASSERT_TRUE(is_name(function->name));
		CU_ASSERT_TRUE(!function->parameters || well_formed(function->parameters));
		CU_ASSERT_TRUE(i == 0 ||
			       strcmp(kt_api_function_at(i - 1)->name, function->name) < 0);
		CU_ASSERT_PTR_EQUAL(kt_api_function_find(function->name), function);
		CU_ASSERT_TRUE(function->unit == 1 || function->unit == 2 ||
			       function->unit == 4);
		check_bytes(function);
		kinds[function->kind]++;
	}
	for (size_t kind = 0; kind < KT_API_KIND_COUNT; kind++) {
		CU_ASSERT_TRUE(kinds[kind] > 0);
	}
}

/* All functions of one kind that have a phase have the same phase. */
static void a_kind_is_of_one_phase(void)
{
	enum kt_api_phase phases[KT_API_KIND_COUNT] = {KT_API_PHASE_NONE};

	for (size_t i = 0; i < kt_api_functions(); i++) {
		const struct kt_api_function *function = kt_api_function_at(i);
		enum kt_api_phase *phase = &phases[function->kind];

		CU_ASSERT_TRUE(*phase == KT_API_PHASE_NONE ||
			       function->phase == KT_API_PHASE_NONE ||
			       *phase == function->phase);
		if (function->phase != KT_API_PHASE_NONE) {
			*phase = function->phase;
		}
	}
}

static void names_kinds_and_phases(void)
{
	const struct kt_api_function *copy = kt_api_function_find("cuMemcpyHtoD_v2");

	CU_ASSERT_STRING_EQUAL(kt_api_kind_name(copy->kind), "copy-to-device");
	CU_ASSERT_STRING_EQUAL(kt_api_phase_name(copy->phase), "USE");
	CU_ASSERT_STRING_EQUAL(kt_api_kind_name(KT_API_KIND_INIT), "init");
	CU_ASSERT_STRING_EQUAL(kt_api_kind_name(KT_API_KIND_OTHER), "other");
	CU_ASSERT_STRING_EQUAL(kt_api_phase_name(KT_API_PHASE_NONE), "-");
	CU_ASSERT_STRING_EQUAL(kt_api_phase_name(KT_API_PHASE_CREATE), "CREATE");
	CU_ASSERT_STRING_EQUAL(kt_api_phase_name(KT_API_PHASE_INIT), "INIT");
	CU_ASSERT_STRING_EQUAL(kt_api_phase_name(KT_API_PHASE_DESTROY), "DESTROY");
}

static void says_which_results_are_codes(void)
{
	CU_ASSERT_TRUE(kt_api_function_find("cuInit")->returns_code);
	CU_ASSERT_FALSE(kt_api_function_find("cudaGetErrorName")->returns_code);
	CU_ASSERT_FALSE(kt_api_function_find("cudaCreateChannelDesc")->returns_code);
	CU_ASSERT_TRUE(kt_api_function_find("clFinish")->returns_code);
	CU_ASSERT_FALSE(kt_api_function_find("clCreateBuffer")->returns_code);
	CU_ASSERT_TRUE(kt_api_function_find("vkCreateDevice")->returns_code);
	CU_ASSERT_FALSE(kt_api_function_find("vkDestroyDevice")->returns_code);
	CU_ASSERT_FALSE(kt_api_function_find("eglInitialize")->returns_code);
	CU_ASSERT_FALSE(kt_api_function_find("glFinish")->returns_code);
}

static void says_bytes(void)
{
	const uint64_t arguments[] = {1, 2, 3, UINT64_C(1) << 40, UINT64_C(1) << 24, 6};
	uint64_t bytes = 0;

	CU_ASSERT_TRUE(
		kt_api_bytes(&bytes, kt_api_function_find("cudaMemcpy"), arguments, 6));
	CU_ASSERT_EQUAL(bytes, 3);
	CU_ASSERT_TRUE(
		kt_api_bytes(&bytes, kt_api_function_find("cuMemsetD32_v2"), arguments, 6));
	CU_ASSERT_EQUAL(bytes, 12);
	CU_ASSERT_TRUE(
		kt_api_bytes(&bytes, kt_api_function_find("cudaMemcpy2D"), arguments, 6));
	CU_ASSERT_EQUAL(bytes, 6 * (UINT64_C(1) << 24));
	CU_ASSERT_FALSE(
		kt_api_bytes(&bytes, kt_api_function_find("cudaMemcpy"), arguments, 2));
	CU_ASSERT_FALSE(
		kt_api_bytes(&bytes, kt_api_function_find("cudaMemcpy2D"), arguments, 5));
	/* the product of 2^40 and 2^24 overflows */
	CU_ASSERT_FALSE(
		kt_api_bytes(&bytes, kt_api_function_find("cudaMemset2D"), arguments, 6));
	CU_ASSERT_FALSE(kt_api_bytes(&bytes, kt_api_function_find("cuInit"), arguments, 6));
	CU_ASSERT_FALSE(kt_api_bytes(&bytes, NULL, arguments, 6));
}

/* Codes as in cuda.h, driver_types.h, cl.h and vulkan_core.h. */
static void judges_results(void)
{
	static const struct {
		const char *api;
		int64_t result;
		enum kt_api_outcome outcome;
	} cases[] = {
		{"driver", 0, KT_API_SUCCEEDED},
		{"driver", 1, KT_API_FAILED},    /* CUDA_ERROR_INVALID_VALUE */
		{"driver", 600, KT_API_NOT_YET}, /* CUDA_ERROR_NOT_READY */
		{"driver", 700, KT_API_FAILED},  /* CUDA_ERROR_ILLEGAL_ADDRESS */
		{"runtime", 2, KT_API_FAILED},   /* cudaErrorMemoryAllocation */
		{"runtime", 600, KT_API_NOT_YET},
		{"opencl", 0, KT_API_SUCCEEDED},
		{"opencl", -5, KT_API_FAILED}, /* CL_OUT_OF_RESOURCES */
		{"opencl", 1, KT_API_SUCCEEDED},
		{"vulkan", 0, KT_API_SUCCEEDED},
		{"vulkan", 1, KT_API_NOT_YET},            /* VK_NOT_READY */
		{"vulkan", 2, KT_API_NOT_YET},            /* VK_TIMEOUT */
		{"vulkan", 3, KT_API_SUCCEEDED},          /* VK_EVENT_SET */
		{"vulkan", 5, KT_API_SUCCEEDED},          /* VK_INCOMPLETE */
		{"vulkan", 600, KT_API_SUCCEEDED},        /* no code of CUDA */
		{"vulkan", 1000001003, KT_API_SUCCEEDED}, /* VK_SUBOPTIMAL_KHR */
		{"vulkan", -4, KT_API_FAILED},            /* VK_ERROR_DEVICE_LOST */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum kt_api_outcome outcome =
			kt_api_outcome(cases[i].api, true, cases[i].result);

		if (outcome != cases[i].outcome) {
			printf("\n    %s %lld: %d\n", cases[i].api,
			       (long long)cases[i].result, outcome);
		}
		CU_ASSERT_EQUAL(outcome, cases[i].outcome);
		CU_ASSERT_EQUAL(kt_api_outcome(cases[i].api, false, cases[i].result),
				KT_API_SUCCEEDED);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"finds symbols", finds_symbols},
		{"finds variants", finds_variants},
		{"knows queries", knows_queries},
		{"finds what the oracle finds", finds_what_the_oracle_finds},
		{"every row is well formed", every_row_is_well_formed},
		{"a kind is of one phase", a_kind_is_of_one_phase},
		{"names kinds and phases", names_kinds_and_phases},
		{"says which results are codes", says_which_results_are_codes},
		{"says bytes", says_bytes},
		{"judges results", judges_results},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("API functions", tests);
}
