/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/guard.h"

#define SLOT 64 /* bytes of code for each action and width */

typedef int action_fn(void *memory, struct kt_guard_values *values);
typedef int vector_fn(void *memory);
typedef int copy_fn(void *to, const void *from);
typedef int many_fn(void *to, const void *from, size_t n);
typedef int string_fn(void *to, const void *from, size_t n, uint64_t *rax, int down);

extern const unsigned char kt_guard_begin[] __attribute__((visibility("hidden")));
extern const unsigned char kt_guard_copies[] __attribute__((visibility("hidden")));
extern const unsigned char kt_guard_vectors[] __attribute__((visibility("hidden")));
extern const unsigned char kt_guard_failed[] __attribute__((visibility("hidden")));

#define VECTOR_SLOT 16 /* bytes of code for each kind of move and vector register */

/* The code of kt_guard_vector() for one kind of move; \\n is the register's number. */
#define EACH_REGISTER(move)                                                                \
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"                                   \
	"0:	endbr64; " move "; mov $1,%eax; ret\n"                                     \
	"	.org 0b+16,0xcc\n"                                                               \
	".endr\n"

/*
 * Functions with the C calling convention. At the instruction that may fault, only the
 * return address is on the stack and no saved registers need restoring, so that a jump to
 * kt_guard_failed makes any of the functions return 0. `.org` fails to assemble if the code
 * is larger than a slot.
 */
__asm__(".pushsection .text.kt_guard,\"ax\",@progbits\n"
	".macro KT_DO insn:vararg\n"
	"0:	endbr64\n"
	"	mov 16(%rsi),%rax; mov (%rsi),%rcx; mov 8(%rsi),%edx; shr $1,%edx\n"
	"	\\insn\n"
	"	mov %rcx,(%rsi); mov %rax,16(%rsi); pushfq; popq 8(%rsi); mov $1,%eax; "
	"ret\n"
	"	.org 0b+64,0xcc\n"
	".endm\n"
	".macro KT_TO op:vararg\n"
	"	KT_DO \\op %cl,(%rdi)\n"
	"	KT_DO \\op %cx,(%rdi)\n"
	"	KT_DO \\op %ecx,(%rdi)\n"
	"	KT_DO \\op %rcx,(%rdi)\n"
	".endm\n"
	".macro KT_FROM op\n"
	"	KT_DO \\op (%rdi),%cl\n"
	"	KT_DO \\op (%rdi),%cx\n"
	"	KT_DO \\op (%rdi),%ecx\n"
	"	KT_DO \\op (%rdi),%rcx\n"
	".endm\n"
	".macro KT_ON op:vararg\n"
	"	KT_DO \\op\\()b (%rdi)\n"
	"	KT_DO \\op\\()w (%rdi)\n"
	"	KT_DO \\op\\()l (%rdi)\n"
	"	KT_DO \\op\\()q (%rdi)\n"
	".endm\n"
	".macro KT_STRING insn:vararg\n"
	"0:	endbr64\n"
	"	mov %rcx,%r9; mov (%r9),%rax; mov %rdx,%rcx; test %r8d,%r8d; jz 1f; std\n"
	"1:	rep \\insn\n"
	"	cld; mov %rax,(%r9); mov $1,%eax; ret\n"
	"	.org 0b+64,0xcc\n"
	".endm\n"
	".macro KT_COPY load:req store:req clean:vararg\n"
	"0:	endbr64\n"
	"	\\load; \\store; \\clean\n"
	"	mov $1,%eax; ret\n"
	"	.org 0b+64,0xcc\n"
	".endm\n"
	".balign 64\n"
	".globl kt_guard_begin, kt_guard_copies, kt_guard_vectors, kt_guard_failed\n"
	".hidden kt_guard_begin, kt_guard_copies, kt_guard_vectors, kt_guard_failed\n"
	"kt_guard_begin:\n"
	"	KT_TO mov\n"
	"	KT_FROM mov\n"
	".irp op,add,or,adc,sbb,and,sub,xor,xadd,cmpxchg,xchg,cmp,test\n"
	"	KT_TO \\op\n"
	".endr\n"
	".irp op,inc,dec,neg,not\n"
	"	KT_ON \\op\n"
	".endr\n"
	".irp op,add,or,adc,sbb,and,sub,xor,cmp\n"
	"	KT_FROM \\op\n"
	".endr\n"
	".irp op,add,or,adc,sbb,and,sub,xor,xadd,cmpxchg\n"
	"	KT_TO lock \\op\n"
	".endr\n"
	".irp op,inc,dec,neg,not\n"
	"	KT_ON lock \\op\n"
	".endr\n"
	".irp op,movs,stos,lods\n"
	".irp size,b,w,l,q\n"
	"	KT_STRING \\op\\size\n"
	".endr\n"
	".endr\n"
	"kt_guard_copies:\n"
	"	KT_COPY \"movdqu (%rsi),%xmm0\" \"movdqu %xmm0,(%rdi)\"\n"
	"	KT_COPY \"vmovdqu (%rsi),%ymm0\" \"vmovdqu %ymm0,(%rdi)\" vzeroupper\n"
	"	KT_COPY \"vmovdqu64 (%rsi),%zmm0\" \"vmovdqu64 %zmm0,(%rdi)\" vzeroupper\n"
	"0:	endbr64\n"
	"1:	movdqu (%rsi),%xmm0; movdqu %xmm0,(%rdi); add $16,%rsi; add $16,%rdi\n"
	"	dec %rdx; jnz 1b\n"
	"	mov $1,%eax; ret\n"
	"	.org 0b+64,0xcc\n"
	"kt_guard_vectors:\n"
	/* clang-format off */
	EACH_REGISTER("movups %xmm\\n,(%rdi)")
	EACH_REGISTER("movups (%rdi),%xmm\\n")
	EACH_REGISTER("vmovups (%rdi),%xmm\\n")
	EACH_REGISTER("vmovups %ymm\\n,(%rdi)")
	EACH_REGISTER("vmovups (%rdi),%ymm\\n")
	/* clang-format on */
	"kt_guard_failed:\n"
	"	endbr64; cld; xor %eax,%eax; ret\n"
	".popsection\n");

static unsigned log2_of(unsigned width)
{
	return (unsigned)__builtin_ctz(width);
}

static const unsigned char *slot_of(enum kt_guard_action action, unsigned width)
{
	return kt_guard_begin + SLOT * (4 * (unsigned)action + log2_of(width));
}

bool kt_guard_do(enum kt_guard_action action, unsigned width, void *memory,
		 struct kt_guard_values *values)
{
	action_fn *run = (action_fn *)(uintptr_t)slot_of(action, width);

	return run(memory, values);
}

bool kt_guard_copy(unsigned width, void *to, const void *from)
{
	const unsigned char *code = kt_guard_copies + SLOT * (log2_of(width) - 4);
	copy_fn *run = (copy_fn *)(uintptr_t)code;

	return run(to, from);
}

bool kt_guard_vector(bool store, unsigned width, bool clears_above, unsigned number,
		     void *memory)
{
	unsigned kind = width == 32 ? 3 + !store : store ? 0 : 1 + clears_above;
	const unsigned char *code = kt_guard_vectors + VECTOR_SLOT * (16 * kind + number);
	vector_fn *run = (vector_fn *)(uintptr_t)code;

	return run(memory);
}

bool kt_guard_copy_many(void *to, const void *from, size_t n)
{
	const unsigned char *code = kt_guard_copies + 3 * SLOT;
	many_fn *run = (many_fn *)(uintptr_t)code;

	return n == 0 || run(to, from, n);
}

bool kt_guard_string(enum kt_guard_action action, unsigned width, void *to,
		     const void *from, size_t n, uint64_t *rax, bool down)
{
	string_fn *run = (string_fn *)(uintptr_t)slot_of(action, width);

	return run(to, from, n, rax, down);
}

bool kt_guard_fixup(ucontext_t *context)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

	if (ip < (uintptr_t)kt_guard_begin || ip >= (uintptr_t)kt_guard_failed) {
		return false;
	}
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)kt_guard_failed;
	return true;
}
