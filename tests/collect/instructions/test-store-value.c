/* SPDX-License-Identifier: MIT */
/*
 * The values of stores in many encodings, decoded before and after they execute. Misleading
 * bytes precede and follow the stores.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "collect/preload/instructions/instruction.h"
#include "tests/suite.h"

#define ADDRESS 0x7f0000000090u

/* %rax and %r8 hold the address, %rbx the address - 0x90, %rcx and %r9 values. */
static ucontext_t context_at(const void *ip)
{
	ucontext_t context;
	greg_t *regs = context.uc_mcontext.gregs;

	memset(&context, 0, sizeof(context));
	regs[REG_RIP] = (greg_t)(uintptr_t)ip;
	regs[REG_RAX] = regs[REG_R8] = ADDRESS;
	regs[REG_RBX] = ADDRESS - 0x90;
	regs[REG_RCX] = 0x111;
	regs[REG_R9] = 0x999;
	regs[REG_RDX] = 4;
	return context;
}

static const struct {
	const char *text;
	unsigned char bytes[16];
	uint32_t value;
} stores[] = {
	{"mov %ecx,(%rax)", {2, 0x89, 0x08}, 0x111},
	{"mov %r9d,(%rax)", {3, 0x44, 0x89, 0x08}, 0x999},
	{"mov %ecx,(%r8)", {3, 0x41, 0x89, 0x08}, 0x111},
	{"mov %ecx,0x90(%rbx)", {6, 0x89, 0x8b, 0x90, 0, 0, 0}, 0x111},
	{"movl $0x12345678,(%rax)", {6, 0xc7, 0x00, 0x78, 0x56, 0x34, 0x12}, 0x12345678},
	{"mov %ecx,-0x10(%rax,%rdx,4)", {4, 0x89, 0x4c, 0x90, 0xf0}, 0x111},
	{"movnti %ecx,(%rax)", {3, 0x0f, 0xc3, 0x08}, 0x111},
};

/*
 * Instructions before the store: the one in libcuda, and one whose last byte looks like a
 * prefix.
 */
static const unsigned char fronts[][8] = {
	{0x48, 0x03, 0x86, 0x18, 0x15, 0x00, 0x00, 0}, /* add 0x1518(%rsi),%rax */
	{0x48, 0x05, 0x00, 0x00, 0x00, 0x41, 0x90, 0}, /* add $0x41000000,%rax; nop */
};

static void reads_the_store_that_is_about_to_run(void)
{
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		ucontext_t context = context_at(stores[i].bytes + 1);
		uint32_t value = 0;

		CU_ASSERT_TRUE(kt_store_value_at(&context, ADDRESS, &value));
		CU_ASSERT_EQUAL(value, stores[i].value);
		CU_ASSERT_FALSE(kt_store_value_at(&context, ADDRESS + 4, &value));
	}
}

static void finds_the_store_that_has_run(void)
{
	for (size_t f = 0; f < sizeof(fronts) / sizeof(fronts[0]); f++) {
		for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
			unsigned char *code = malloc(4096);
			size_t length = stores[i].bytes[0];
			ucontext_t context;
			uint32_t value = 0;

			memset(code, 0x90, 4096);
			for (size_t at = 0; at < 200 - 7; at += 7) {
				memcpy(code + 200 - 7 - at, fronts[f], 7);
			}
			memcpy(code + 200, stores[i].bytes + 1, length);
			context = context_at(code + 200 + length);
			CU_ASSERT_TRUE(kt_store_value_before(&context, ADDRESS, &value));
			CU_ASSERT_EQUAL(value, stores[i].value);
			value = 0; /* Decodes the store again: now it is cached. */
			CU_ASSERT_TRUE(kt_store_value_before(&context, ADDRESS, &value));
			CU_ASSERT_EQUAL(value, stores[i].value);
			free(code);
		}
	}
}

/* The last byte of the preceding instruction looks like a REX prefix: 83 c0 44 | 89 08. */
static void is_not_misled_by_an_immediate(void)
{
	static unsigned char code[256];
	ucontext_t context;
	uint32_t value = 0;

	for (size_t at = 0; at + 3 <= 201; at += 3) {
		memcpy(code + at, "\x83\xc2\x44", 3); /* add $0x44,%edx */
	}
	memcpy(code + 201, "\x89\x08", 2);
	context = context_at(code + 203);
	CU_ASSERT_TRUE(kt_store_value_before(&context, ADDRESS, &value));
	CU_ASSERT_EQUAL(value, 0x111);
}

static void says_when_it_does_not_know(void)
{
	static const unsigned char other[] = {0x90, 0x90, 0x48, 0x89, 0xc8, 0x90};
	unsigned char *code = calloc(1, 4096);
	ucontext_t context;
	uint32_t value;

	memcpy(code + 200, other, sizeof(other));
	context = context_at(code + 206);
	CU_ASSERT_FALSE(kt_store_value_before(&context, ADDRESS, &value));
	context = context_at(NULL);
	CU_ASSERT_FALSE(kt_store_value_at(&context, ADDRESS, &value));
	free(code);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reads the store that is about to run",
		 reads_the_store_that_is_about_to_run},
		{"finds the store that has run", finds_the_store_that_has_run},
		{"is not misled by an immediate", is_not_misled_by_an_immediate},
		{"reports when it does not know", says_when_it_does_not_know},
		CU_TEST_INFO_NULL,
	};

	kt_instruction_init();
	return kt_run_suite("store-value", tests);
}
