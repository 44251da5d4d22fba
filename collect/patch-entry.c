/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/patch-entry.h"

#include <assert.h>
#include <cpuid.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/access.h"
#include "collect/handler-probe.h"
#include "collect/handler-stack.h"
#include "collect/lock.h"
#include "collect/mappings.h"
#include "collect/patch.h"
#include "collect/signal-mask.h"

/* Parts of the processor's state that no code of ours uses: keys of pages, matrix tiles. */
#define NOT_KEPT    (UINT64_C(1) << 9 | UINT64_C(1) << 17 | UINT64_C(1) << 18)
#define OSXSAVE     (1u << 27) /* of CPUID 1, ECX */
#define XSAVEC      (1u << 1)  /* of CPUID 0xd.1, EAX */
#define VECTORS_MAX 16384
#define RED_ZONE    128

/* Known to the assembly below. */
__attribute__((used, visibility("hidden")))
uint64_t kt_patch_vectors; /* what xsave keeps */
__attribute__((used, visibility("hidden"))) uint64_t kt_patch_vectors_bytes;
__attribute__((used, visibility("hidden"))) uint32_t kt_patch_has_xsavec;
__attribute__((used, visibility("hidden"))) const uint64_t kt_patch_blocked = ~KT_OUR_MASK;

static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == 40, "see kt_patch_entry");
static_assert(REG_R8 == 0 && REG_RDI == 8 && REG_RCX == 14 && REG_EFL == 17,
	      "see kt_patch_entry");
static_assert(KT_HANDLER_STACK_OF_PATCHES == 65536 && KT_HANDLER_STACK_GAP == 4096,
	      "see kt_patch_entry");

/*
 * On the program's stack: the number of the patch, below the red zone; then its registers,
 * in the order in which a signal handler gets them. In place of the number comes where to
 * go on. Not a call and no return: a shadow stack knows nothing of it.
 */
__asm__(".text\n"
	".globl kt_patch_entry\n"
	".hidden kt_patch_entry\n"
	".type kt_patch_entry, @function\n"
	"kt_patch_entry:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	pushfq\n"
	"	pushq $0\n"
	"	pushq $0\n"
	"	pushq %rcx\n"
	"	pushq %rax\n"
	"	pushq %rdx\n"
	"	pushq %rbx\n"
	"	pushq %rbp\n"
	"	pushq %rsi\n"
	"	pushq %rdi\n"
	"	pushq %r15\n"
	"	pushq %r14\n"
	"	pushq %r13\n"
	"	pushq %r12\n"
	"	pushq %r11\n"
	"	pushq %r10\n"
	"	pushq %r9\n"
	"	pushq %r8\n"
	"	cld\n"
	"	movq %rsp, %rbx\n"
	/* The thread's signals wait; its own mask is kept at -16(%rbx). */
	"	subq $16, %rsp\n"
	"	movl $2, %edi\n" /* SIG_SETMASK */
	"	leaq kt_patch_blocked(%rip), %rsi\n"
	"	movq %rsp, %rdx\n"
	"	movl $8, %r10d\n"
	"	movl $14, %eax\n" /* rt_sigprocmask */
	"	syscall\n"
	/* To the stack of patches, if the thread has one and is not on it. */
	"	movq kt_handler_stack_top@gottpoff(%rip), %rax\n"
	"	movq %fs:(%rax), %rax\n"
	"	testq %rax, %rax\n"
	"	jz 1f\n"
	"	addq $69632, %rax\n"
	"	movq %rax, %rcx\n"
	"	subq %rsp, %rcx\n"
	"	cmpq $65536, %rcx\n"
	"	jb 1f\n"
	"	movq %rax, %rsp\n"
	"1:	andq $-64, %rsp\n"
	"	subq kt_patch_vectors_bytes(%rip), %rsp\n"
	"	movq %rsp, %r12\n"
	"	xorl %eax, %eax\n" /* the header; not by rep stos: slow beside watchpoints
				    */
	"	movq %rax, 512(%r12)\n"
	"	movq %rax, 520(%r12)\n"
	"	movq %rax, 528(%r12)\n"
	"	movq %rax, 536(%r12)\n"
	"	movq %rax, 544(%r12)\n"
	"	movq %rax, 552(%r12)\n"
	"	movq %rax, 560(%r12)\n"
	"	movq %rax, 568(%r12)\n"
	"	movl kt_patch_vectors(%rip), %eax\n"
	"	movl 4+kt_patch_vectors(%rip), %edx\n"
	"	cmpl $0, kt_patch_has_xsavec(%rip)\n"
	"	je 2f\n"
	"	xsavec64 (%r12)\n"
	"	jmp 3f\n"
	"2:	xsave64 (%r12)\n"
	"3:	leaq -40(%rbx), %rdi\n"
	"	leaq 144(%rbx), %rsi\n"
	"	call kt_patch_arrived\n"
	"	movl kt_patch_vectors(%rip), %eax\n"
	"	movl 4+kt_patch_vectors(%rip), %edx\n"
	"	xrstor64 (%r12)\n"
	"	leaq -16(%rbx), %rsp\n"
	"	movl $2, %edi\n"
	"	movq %rsp, %rsi\n"
	"	xorl %edx, %edx\n"
	"	movl $8, %r10d\n"
	"	movl $14, %eax\n"
	"	syscall\n"
	"	movq %rbx, %rsp\n"
	"	popq %r8\n"
	"	popq %r9\n"
	"	popq %r10\n"
	"	popq %r11\n"
	"	popq %r12\n"
	"	popq %r13\n"
	"	popq %r14\n"
	"	popq %r15\n"
	"	popq %rdi\n"
	"	popq %rsi\n"
	"	popq %rbp\n"
	"	popq %rbx\n"
	"	popq %rdx\n"
	"	popq %rax\n"
	"	popq %rcx\n"
	"	leaq 16(%rsp), %rsp\n"
	"	popfq\n"
	"	jmpq *(%rsp)\n"
	"	.cfi_endproc\n"
	".size kt_patch_entry, . - kt_patch_entry\n");

static uint64_t read_xcr0(void)
{
	uint32_t low;
	uint32_t high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

void kt_patch_entry_init(void)
{
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE) ||
	    !__get_cpuid_count(0xd, 0, &a, &b, &c, &d) || b > VECTORS_MAX) {
		return;
	}
	kt_patch_vectors_bytes = (b + 63) & ~63u;
	kt_patch_vectors = read_xcr0() & ~NOT_KEPT;
	if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d)) {
		kt_patch_has_xsavec = a & XSAVEC ? 1 : 0;
	}
}

bool kt_patch_entry_works(void)
{
	return kt_patch_vectors != 0;
}

/*
 * Does the store through the alias and reports it. false: it is still to be done. So it is
 * left for a thread on an alternate stack of the program's: a fault of ours would begin
 * that stack anew, as we have left it.
 */
static bool store(const struct kt_patch *patch, const ucontext_t *context)
{
	uintptr_t address;
	bool done;

	if (kt_handler_stack_is_set_at((uintptr_t)context->uc_mcontext.gregs[REG_RSP]) ||
	    !kt_instruction_address(&patch->store, context, patch->site, &address) ||
	    !kt_mapping_may_touch(address, patch->store.width)) {
		return false;
	}
	if (!kt_lock()) {
		return false;
	}
	done = kt_access_store(address, patch->store.width,
			       kt_instruction_source(&patch->store, context), patch->site);
	kt_unlock(true);
	return done;
}

static void remove_patch(uint32_t number)
{
	bool locked = kt_lock();

	if (locked) {
		kt_patch_remove(number);
	}
	kt_unlock(locked);
}

__attribute__((used)) void kt_patch_arrived(ucontext_t *context, uint64_t *slot);

void kt_patch_arrived(ucontext_t *context, uint64_t *slot)
{
	uint32_t number = (uint32_t)*slot;
	const struct kt_patch *patch = kt_patch_get(number);
	greg_t *registers = context->uc_mcontext.gregs;
	bool quiet = kt_lock_quiet;
	int saved = errno;
	bool done;

	KT_HANDLER_ENTER();
	kt_lock_quiet = true;
	registers[REG_RSP] = (greg_t)((uintptr_t)(slot + 1) + RED_ZONE);
	registers[REG_RIP] = (greg_t)patch->site;
	done = store(patch, context);
	*slot = done ? patch->made : patch->again;
	if (!kt_patch_ran(number, done)) {
		remove_patch(number);
	}
	kt_lock_quiet = quiet;
	errno = saved;
	KT_HANDLER_LEAVE();
}
