/* SPDX-License-Identifier: MIT */
/*
 * The compiler passes arguments to a function in assembler, which stores registers and
 * stack; the stored values are compared with the parameter lists of the table.
 */
#include <string.h>

#include "decode/api-functions.h"
#include "tests/suite.h"

enum { STACK = 16 };

uint64_t kt_test_registers[KT_API_ARGUMENTS];
uint64_t kt_test_stack[STACK];

/* Stores the argument registers, and the stack above the return address. */
__asm__(".text\n"
	".globl kt_test_callee\n"
	".type kt_test_callee, @function\n"
	"kt_test_callee:\n"
	"mov kt_test_registers@GOTPCREL(%rip), %rax\n"
	"mov %rdi, (%rax)\n"
	"mov %rsi, 8(%rax)\n"
	"mov %rdx, 16(%rax)\n"
	"mov %rcx, 24(%rax)\n"
	"mov %r8, 32(%rax)\n"
	"mov %r9, 40(%rax)\n"
	"mov kt_test_stack@GOTPCREL(%rip), %rax\n"
	"xor %ecx, %ecx\n"
	"1: mov 8(%rsp,%rcx,8), %rdx\n"
	"mov %rdx, (%rax,%rcx,8)\n"
	"inc %ecx\n"
	"cmp $16, %ecx\n"
	"jb 1b\n"
	"xor %eax, %eax\n"
	"ret\n"
	".size kt_test_callee, . - kt_test_callee\n");

struct three {
	unsigned x, y, z;
};

struct pitched {
	void *pointer;
	size_t pitch, width, height;
};

struct extent {
	size_t width, height, depth;
};

struct handle {
	char bytes[64];
};

/* Prototypes through which tests call kt_test_callee(). */
#define CALLEE __asm__("kt_test_callee")
int call_numbers(uint64_t, int, size_t) CALLEE;
int call_small(uint64_t, unsigned short, size_t) CALLEE;
int call_launch(const void *, struct three, struct three, void **, size_t, uint64_t) CALLEE;
int call_fill(struct pitched, int, struct extent, uint64_t) CALLEE;
int call_handle(uint64_t, struct handle, unsigned) CALLEE;
int call_float(uint64_t, int, float) CALLEE;
int call_many(uint64_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	      unsigned, uint64_t, uint64_t, uint64_t) CALLEE;

/*
 * Checks the arguments that are read from the last call's registers, and those from a
 * struct with the same values.
 */
static void compare(const char *name, const void *params, const uint64_t *expected,
		    size_t n)
{
	const struct kt_api_function *function = kt_api_function_find(name);
	uint64_t arguments[KT_API_ARGUMENTS];

	CU_ASSERT_PTR_NOT_NULL_FATAL(function);
	CU_ASSERT_EQUAL(
		kt_api_arguments_of_registers(arguments, function, kt_test_registers), n);
	CU_ASSERT_EQUAL(memcmp(arguments, expected, n * sizeof(*expected)), 0);
	memset(arguments, 0xee, sizeof(arguments));
	CU_ASSERT_EQUAL(kt_api_arguments_of_struct(arguments, function, params), n);
	CU_ASSERT_EQUAL(memcmp(arguments, expected, n * sizeof(*expected)), 0);
}

/* Checks that the last word of arguments on the stack is `mark`. */
static void ends_at(const char *name, uint64_t mark)
{
	size_t words = kt_api_stack_words(kt_api_function_find(name));

	CU_ASSERT_TRUE_FATAL(words > 0 && words <= STACK);
	CU_ASSERT_EQUAL(kt_test_stack[words - 1], mark);
}

static void numbers(void)
{
	static const struct {
		uint64_t pointer;
		uint32_t value;
		size_t count;
	} params = {0x1111111111111111, 0xfffffffe, 0x3333333333333333};
	const uint64_t expected[] = {0x1111111111111111, 0xfffffffe, 0x3333333333333333};

	call_numbers(params.pointer, -2, params.count);
	compare("cudaMemset", &params, expected, 3);
	CU_ASSERT_EQUAL(kt_api_stack_words(kt_api_function_find("cudaMemset")), 0);
}

static void small_numbers(void)
{
	static const struct {
		uint64_t pointer;
		uint16_t value;
		size_t count;
	} params = {1, 0xbeef, 3};
	const uint64_t expected[] = {1, 0xbeef, 3};

	call_small(1, 0xbeef, 3);
	compare("cuMemsetD16_v2", &params, expected, 3);
}

static void structs_in_registers(void)
{
	static const struct {
		const void *function;
		struct three grid, block;
		void **arguments;
		size_t shared;
		uint64_t stream;
	} params = {(void *)0x11, {2, 3, 4}, {5, 6, 7}, (void **)0x22, 0x33, 0x4444};
	const uint64_t expected[] = {
		0x11, UINT64_C(3) << 32 | 2, 4, UINT64_C(6) << 32 | 5, 7, 0x22};

	call_launch(params.function, params.grid, params.block, params.arguments,
		    params.shared, params.stream);
	compare("cudaLaunchKernel", &params, expected, 6);
	ends_at("cudaLaunchKernel", 0x4444);
	CU_ASSERT_EQUAL(kt_api_stack_words(kt_api_function_find("cudaLaunchKernel")), 2);
}

static void structs_on_the_stack(void)
{
	static const struct {
		struct pitched pitched;
		int value;
		struct extent extent;
		uint64_t stream;
	} params = {{(void *)1, 2, 3, 4}, 5, {6, 7, 0x88888888}, 9};
	const uint64_t expected[] = {5, 9};

	call_fill(params.pitched, params.value, params.extent, params.stream);
	compare("cudaMemset3DAsync_ptsz", &params, expected, 2);
	ends_at("cudaMemset3DAsync", 0x88888888);
}

static void a_struct_of_bytes(void)
{
	static const struct {
		uint64_t pointer;
		struct handle handle;
		unsigned flags;
	} params = {1, {"a handle"}, 3};
	const uint64_t expected[] = {1, 3};

	call_handle(params.pointer, params.handle, params.flags);
	compare("cuIpcOpenMemHandle_v2", &params, expected, 2);
	CU_ASSERT_EQUAL(kt_api_stack_words(kt_api_function_find("cuIpcOpenMemHandle_v2")),
			8);
}

static void a_floating_point_number(void)
{
	static const struct {
		uint64_t function;
		int offset;
		float value;
	} params = {1, 2, 3.0f};
	const uint64_t expected[] = {1, 2};

	call_float(params.function, params.offset, params.value);
	compare("cuParamSetf", &params, expected, 2);
	CU_ASSERT_EQUAL(kt_api_stack_words(kt_api_function_find("cuParamSetf")), 0);
}

static void many(void)
{
	static const struct {
		uint64_t function;
		unsigned dimensions[6], shared;
		uint64_t stream, parameters, extra;
	} params = {1, {2, 3, 4, 5, 6, 7}, 8, 9, 10, 0xabcdef};
	const uint64_t expected[] = {1, 2, 3, 4, 5, 6};

	call_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0xabcdef);
	compare("cuLaunchKernel_ptsz", &params, expected, 6);
	ends_at("cuLaunchKernel", 0xabcdef);
	CU_ASSERT_EQUAL(kt_api_stack_words(kt_api_function_find("cuLaunchKernel")), 5);
}

static void of_none_and_of_unknown(void)
{
	const struct kt_api_function *none = kt_api_function_find("cuCtxSynchronize");
	const struct kt_api_function *unknown =
		kt_api_function_find("cudaGraphInstantiate");
	const uint64_t registers[KT_API_ARGUMENTS] = {1, 2, 3, 4, 5, 6};
	uint64_t arguments[KT_API_ARGUMENTS];

	CU_ASSERT_EQUAL(kt_api_arguments_of_registers(arguments, none, registers), 0);
	CU_ASSERT_EQUAL(kt_api_arguments_of_struct(arguments, none, registers), 0);
	CU_ASSERT_PTR_NULL(unknown->parameters);
	CU_ASSERT_EQUAL(kt_api_arguments_of_registers(arguments, unknown, registers), 6);
	CU_ASSERT_EQUAL(memcmp(arguments, registers, sizeof(registers)), 0);
	CU_ASSERT_EQUAL(kt_api_arguments_of_struct(arguments, unknown, registers), 0);
	CU_ASSERT_EQUAL(kt_api_arguments_of_registers(arguments, NULL, registers), 6);
	CU_ASSERT_EQUAL(kt_api_arguments_of_struct(arguments, NULL, registers), 0);
	CU_ASSERT_EQUAL(kt_api_arguments_of_struct(
				arguments, kt_api_function_find("cuMemFree_v2"), NULL),
			0);
	CU_ASSERT_EQUAL(kt_api_stack_words(NULL), 0);
	CU_ASSERT_EQUAL(kt_api_stack_words(unknown), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"numbers", numbers},
		{"small numbers", small_numbers},
		{"structs in registers", structs_in_registers},
		{"structs on the stack", structs_on_the_stack},
		{"a struct of bytes", a_struct_of_bytes},
		{"a floating-point number", a_floating_point_number},
		{"many", many},
		{"of none and of unknown", of_none_and_of_unknown},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("API arguments", tests);
}
