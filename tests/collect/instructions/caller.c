/* SPDX-License-Identifier: MIT */
#include "tests/collect/instructions/caller.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

#define COMPARED 0xcd5u /* status flags and direction */
#define WIDE     0x44u  /* XINUSE: 32- and 64-byte registers, which slow other code */

enum { SSE, AVX, AVX512 };

__attribute__((used)) static uint64_t caller_sp, caller_code, caller_after, caller_flags;
__attribute__((used)) static uint64_t caller_rdi;
__attribute__((used)) static uint32_t caller_kind, caller_has_xinuse;

/* clang-format off */
#define FIRST  "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define SECOND "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
/* Offsets in struct caller_state. */
#define FLAGS   "128"
#define MASKS   "136"
#define MXCSR   "200"
#define USE     "204"
#define VECTORS "208"

void caller_run_raw(uintptr_t code, const struct caller_state *before,
		    struct caller_state *after);

__asm__(".text\n"
	".globl caller_run_raw\n"
	".type caller_run_raw, @function\n"
	"caller_run_raw:\n"
	"	endbr64\n"
	"	pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
	"	subq $8, %rsp\n"
	"	movq %rsp, caller_sp(%rip)\n"
	"	movq %rdi, caller_code(%rip)\n"
	"	movq %rdx, caller_after(%rip)\n"
	"	movq %rsi, %rdi\n"
	"	ldmxcsr " MXCSR "(%rdi)\n"
	"	cmpl $1, caller_kind(%rip)\n"
	"	jb 2f\n"
	"	vzeroall\n"
	"2:	cmpl $0, " USE "(%rdi)\n"
	"	je 5f\n"
	"	cmpl $1, caller_kind(%rip)\n"
	"	je 3f\n"
	"	ja 4f\n"
	".irp n," FIRST "\n	movups " VECTORS "+64*\\n(%rdi), %xmm\\n\n.endr\n"
	"	jmp 6f\n"
	"3:\n"
	".irp n," FIRST "\n	vmovups " VECTORS "+64*\\n(%rdi), %ymm\\n\n.endr\n"
	"	jmp 6f\n"
	"4:\n"
	".irp n," FIRST "," SECOND "\n	vmovups " VECTORS "+64*\\n(%rdi), %zmm\\n\n.endr\n"
	".irp n,0,1,2,3,4,5,6,7\n	kmovq " MASKS "+8*\\n(%rdi), %k\\n\n.endr\n"
	"	jmp 6f\n"
	"5:	cmpl $1, caller_kind(%rip)\n"
	"	jbe 6f\n"
	".irp n," SECOND "\n	vpxord %zmm\\n, %zmm\\n, %zmm\\n\n.endr\n"
	".irp n,0,1,2,3,4,5,6,7\n	kxorq %k\\n, %k\\n, %k\\n\n.endr\n"
	"6:	pushq " FLAGS "(%rdi)\n"
	"	popfq\n"
	"	movq 0(%rdi), %rax; movq 8(%rdi), %rcx; movq 16(%rdi), %rdx\n"
	"	movq 24(%rdi), %rbx; movq 40(%rdi), %rbp; movq 48(%rdi), %rsi\n"
	"	movq 64(%rdi), %r8; movq 72(%rdi), %r9; movq 80(%rdi), %r10\n"
	"	movq 88(%rdi), %r11; movq 96(%rdi), %r12; movq 104(%rdi), %r13\n"
	"	movq 112(%rdi), %r14; movq 120(%rdi), %r15; movq 56(%rdi), %rdi\n"
	"	movq $0x5a5a5a5a, -0x88(%rsp)\n" /* below the red zone */
	"	call *caller_code(%rip)\n"
	"	movq caller_sp(%rip), %rsp\n"
	"	pushfq\n"
	"	popq caller_flags(%rip)\n"
	"	cld\n"
	"	movq %rdi, caller_rdi(%rip)\n"
	"	movq caller_after(%rip), %rdi\n"
	"	movq %rax, 0(%rdi); movq %rcx, 8(%rdi); movq %rdx, 16(%rdi)\n"
	"	movq %rbx, 24(%rdi); movq %rbp, 40(%rdi); movq %rsi, 48(%rdi)\n"
	"	movq %r8, 64(%rdi); movq %r9, 72(%rdi); movq %r10, 80(%rdi)\n"
	"	movq %r11, 88(%rdi); movq %r12, 96(%rdi); movq %r13, 104(%rdi)\n"
	"	movq %r14, 112(%rdi); movq %r15, 120(%rdi)\n"
	"	movq caller_rdi(%rip), %rax; movq %rax, 56(%rdi)\n"
	"	movq caller_flags(%rip), %rax; movq %rax, " FLAGS "(%rdi)\n"
	"	xorl %eax, %eax\n"
	"	cmpl $0, caller_has_xinuse(%rip)\n"
	"	je 1f\n"
	"	movl $1, %ecx\n"
	"	xgetbv\n"
	"1:	movl %eax, " USE "(%rdi)\n"
	"	stmxcsr " MXCSR "(%rdi)\n"
	"	cmpl $1, caller_kind(%rip)\n"
	"	je 3f\n"
	"	ja 4f\n"
	".irp n," FIRST "\n	movups %xmm\\n, " VECTORS "+64*\\n(%rdi)\n.endr\n"
	"	jmp 6f\n"
	"3:\n"
	".irp n," FIRST "\n	vmovups %ymm\\n, " VECTORS "+64*\\n(%rdi)\n.endr\n"
	"	jmp 5f\n"
	"4:\n"
	".irp n," FIRST "," SECOND "\n	vmovups %zmm\\n, " VECTORS "+64*\\n(%rdi)\n.endr\n"
	".irp n,0,1,2,3,4,5,6,7\n	kmovq %k\\n, " MASKS "+8*\\n(%rdi)\n.endr\n"
	"5:	vzeroupper\n"
	"6:	addq $8, %rsp\n"
	"	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
	"	ret\n"
	".size caller_run_raw, . - caller_run_raw\n");
/* clang-format on */

static void ask_processor(void)
{
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t d;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx")) {
		caller_kind = AVX;
	}
	if (__builtin_cpu_supports("avx512bw")) {
		caller_kind = AVX512;
	}
	caller_has_xinuse = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & 4;
}

void caller_run(uintptr_t code, const struct caller_state *before,
		struct caller_state *after)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	ask_processor();
	memset(after, 0, sizeof(*after));
	caller_run_raw(code, before, after);
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

size_t caller_vector_size(void)
{
	ask_processor();
	return caller_kind == AVX512 ? 64 : caller_kind == AVX ? 32 : 16;
}

size_t caller_vector_count(void)
{
	ask_processor();
	return caller_kind == AVX512 ? 32 : 16;
}

bool caller_same(const struct caller_state *a, const struct caller_state *b)
{
	bool same = true;

	for (unsigned i = 0; i < 16; i++) {
		if (i != 4 && a->general[i] != b->general[i]) {
			printf("register %u: %llx, %llx\n", i,
			       (unsigned long long)a->general[i],
			       (unsigned long long)b->general[i]);
			same = false;
		}
	}
	if ((a->flags ^ b->flags) & COMPARED) {
		printf("flags: %llx, %llx\n", (unsigned long long)a->flags,
		       (unsigned long long)b->flags);
		same = false;
	}
	if (a->mxcsr != b->mxcsr || (a->use ^ b->use) & WIDE) {
		printf("mxcsr, use: %x %x, %x %x\n", a->mxcsr, a->use, b->mxcsr, b->use);
		same = false;
	}
	if (memcmp(a->masks, b->masks, sizeof(a->masks)) != 0 ||
	    memcmp(a->vectors, b->vectors, sizeof(a->vectors)) != 0) {
		printf("vector registers differ\n");
		same = false;
	}
	return same;
}

uint64_t caller_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

void caller_randomize(struct caller_state *state)
{
	for (unsigned i = 0; i < 16; i++) {
		state->general[i] = caller_random() >> (caller_random() & 63);
	}
	for (unsigned i = 0; i < 8; i++) {
		state->masks[i] = caller_random();
	}
	for (size_t i = 0; i < sizeof(state->vectors) / 8; i++) {
		((uint64_t *)(void *)state->vectors)[i] = caller_random();
	}
	state->flags = 0x202 | (caller_random() & COMPARED);
	state->mxcsr = 0x1f80 | (caller_random() & 0xe03f); /* rounding, DAZ, FTZ, flags */
	state->use = caller_random() & 1;
}
