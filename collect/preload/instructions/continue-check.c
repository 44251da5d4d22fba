/* SPDX-License-Identifier: MIT */
#include "collect/preload/instructions/continue-check.h"

#include <assert.h>
#include <cpuid.h>
#include <stddef.h>

#include "collect/preload/emit/lock.h"

#define LAHF (1u << 0) /* CPUID 0x80000001, ECX */

struct kt_continue_range kt_continue_range __attribute__((visibility("hidden")));

static_assert(offsetof(struct kt_continue_range, lo) == 8 &&
		      offsetof(struct kt_continue_range, hi) == 24 &&
		      offsetof(struct kt_continue_range, to_alias) == 40 &&
		      offsetof(struct kt_continue_site, continued) == 8,
	      "see CHECK");

/*
 * What is read of the range is valid if no thread has written it or taken the lock
 * meanwhile: x86 keeps the order of loads. The flags are in %ah and, for the overflow flag,
 * %al: adding 0x7f sets it again.
 */
#define CHECK(name, width, lo, hi)                                                         \
	__asm__(".text\n"                                                                  \
		".type " name ", @function\n"                                              \
		".p2align 6\n" name ":\n"                                                  \
		"	endbr64\n"                                                               \
		"	pushq %rax\n"                                                            \
		"	lahf\n"                                                                  \
		"	seto %al\n"                                                              \
		"	pushq %rax\n"                                                            \
		"	movq kt_continue_range(%rip), %rax\n"                                    \
		"	cmpq kt_continue_range+" lo "(%rip), %rcx\n"                       \
		"	jb 2f\n"                                                                 \
		"	addq $" width ", %rcx\n"                                           \
		"	jc 2f\n"                                                                 \
		"	cmpq kt_continue_range+" hi "(%rip), %rcx\n"                       \
		"	ja 2f\n"                                                                 \
		"	subq $" width ", %rcx\n"                                           \
		"	addq kt_continue_range+40(%rip), %rcx\n"                                 \
		"	cmpq kt_continue_range(%rip), %rax\n"                                    \
		"	jne 2f\n"                                                                \
		"	cmpq kt_lock_turns(%rip), %rax\n"                                        \
		"	jne 2f\n"                                                                \
		"	incq 8(%rsi)\n"                                                          \
		"1:	popq %rax\n"                                                           \
		"	addb $0x7f, %al\n"                                                       \
		"	sahf\n"                                                                  \
		"	popq %rax\n"                                                             \
		"	ret\n"                                                                   \
		"2:	xorl %ecx, %ecx\n"                                                     \
		"	jmp 1b\n"                                                                \
		".size " name ", . - " name "\n")

#define CHECKS(width)                                                                      \
	CHECK("check_read_" #width, #width, "8", "24");                                    \
	CHECK("check_write_" #width, #width, "16", "32");                                  \
	void check_read_##width(void) __attribute__((visibility("hidden")));               \
	void check_write_##width(void) __attribute__((visibility("hidden")))

CHECKS(1);
CHECKS(2);
CHECKS(4);
CHECKS(8);
CHECKS(16);
CHECKS(32);
CHECKS(64);

static bool has_lahf(void)
{
	unsigned a;
	unsigned b;
	unsigned c;
	unsigned d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & LAHF;
}

kt_continue_check kt_continue_check_of(const struct kt_instruction *in)
{
	static const struct {
		unsigned width;
		kt_continue_check checks[2]; /* of reads, of writes */
	} all[] = {
		{1, {check_read_1, check_write_1}},
		{2, {check_read_2, check_write_2}},
		{4, {check_read_4, check_write_4}},
		{8, {check_read_8, check_write_8}},
		{16, {check_read_16, check_write_16}},
		{32, {check_read_32, check_write_32}},
		{64, {check_read_64, check_write_64}},
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].width == in->width && has_lahf()) {
			return all[i].checks[in->writes];
		}
	}
	return NULL;
}
