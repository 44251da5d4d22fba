/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/access/patch.h"

#include <assert.h>
#include <cpuid.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/access/access.h"
#include "collect/preload/access/give-up.h"
#include "collect/preload/access/hot-sites.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/handler-probe.h"
#include "collect/preload/signals/handler-stack.h"
#include "collect/preload/signals/signal-defer.h"
#include "collect/preload/signals/signal-mask.h"

#define OSXSAVE      (1u << 27)     /* CPUID 1, ECX */
#define AVX512BW     (1u << 30)     /* CPUID 7, EBX: 64-bit opmask registers */
#define XGETBV1      (1u << 2)      /* CPUID 0xd.1, EAX: xgetbv(1) reports parts in use */
#define PARTS_AVX    UINT64_C(0x4)  /* bits of XCR0: second 16 bytes of ymm0-15 */
#define PARTS_AVX512 UINT64_C(0xe0) /* opmasks, upper halves of zmm0-15, zmm16-31 */

/* enum kt_vectors; the assembly below uses the values as numbers. */
__attribute__((used, visibility("hidden"))) uint32_t kt_patch_vectors;
__attribute__((used, visibility("hidden"))) uint32_t kt_patch_has_xinuse;
__attribute__((used, visibility("hidden"))) const uint64_t kt_patch_blocked = ~KT_OUR_MASK;

static bool cannot_keep; /* AVX-512 without AVX512BW: opmasks cannot be saved */

static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == 40, "see kt_patch_entry");
static_assert(REG_R8 == 0 && REG_RDI == 8 && REG_RCX == 14 && REG_EFL == 17,
	      "see kt_patch_entry");
static_assert(KT_HANDLER_STACK == 131072 &&
		      offsetof(struct kt_alternate_stack, start) == 0 &&
		      offsetof(struct kt_alternate_stack, size) == 8,
	      "see kt_patch_entry");
static_assert(KT_HANDLER_STACK_OF_PATCHES == 65536 && KT_HANDLER_STACK_GAP == 4096,
	      "see kt_patch_entry");
static_assert(offsetof(struct kt_saved_vectors, masks) == 2048 &&
		      offsetof(struct kt_saved_vectors, saved) == 2112 &&
		      sizeof(struct kt_saved_vectors) == 2176,
	      "see kt_patch_entry");

/*
 * These macros repeat a line of assembly for each register number n. The vector registers
 * are saved 64 bytes apart, from %r13 on.
 */
#define EACH16(line) ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n" line ".endr\n"
#define EACH_UPPER16(line)                                                                 \
	".irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n" line ".endr\n"
#define EACH_MASK(line) ".irp n,0,1,2,3,4,5,6,7\n" line ".endr\n"
#define PUT_XMM         "	movups %xmm\\n, 64*\\n(%r13)\n"
#define GET_XMM         "	movups 64*\\n(%r13), %xmm\\n\n"
#define PUT_YMM         "	vmovups %ymm\\n, 64*\\n(%r13)\n"
#define GET_YMM         "	vmovups 64*\\n(%r13), %ymm\\n\n"
#define PUT_ZMM         "	vmovups %zmm\\n, 64*\\n(%r13)\n"
#define GET_ZMM         "	vmovups 64*\\n(%r13), %zmm\\n\n"
#define PUT_MASK        "	kmovq %k\\n, 2048+8*\\n(%r13)\n"
#define GET_MASK        "	kmovq 2048+8*\\n(%r13), %k\\n\n"

/* clang-format off */
/*
 * keep_vectors saves the vector registers at %r13 and their width in %r14d: 0, 1, 2 as in
 * enum kt_vectors; 3 if registers 0 to 15 are wider than 16 bytes but their upper parts are
 * not in use. If %r14d is 3, registers 0 to 15 are saved without their upper parts, and
 * restore_vectors clears the upper parts, which would slow down the program's code if they
 * stayed in use. Both functions together take half the time of xsave and xrstor.
 */
__asm__(".text\n"
	".type keep_vectors, @function\n"
	"keep_vectors:\n"
	"	.cfi_startproc\n"
	"	movl kt_patch_vectors(%rip), %r14d\n"
	"	cmpl $2, %r14d\n"
	"	jb 1f\n"
	EACH_UPPER16(PUT_ZMM)
	EACH_MASK(PUT_MASK)
	"1:	testl %r14d, %r14d\n"
	"	jz 3f\n"
	"	cmpl $0, kt_patch_has_xinuse(%rip)\n"
	"	je 2f\n"
	"	movl $1, %ecx\n"
	"	xgetbv\n"
	"	testl $0x44, %eax\n" /* upper parts of ymm0-15, of zmm0-15 */
	"	jnz 2f\n"
	"	movl $3, %r14d\n"
	"	jmp 3f\n"
	"2:	cmpl $2, %r14d\n"
	"	je 4f\n"
	EACH16(PUT_YMM)
	"	ret\n"
	"4:\n"
	EACH16(PUT_ZMM)
	"	ret\n"
	"3:\n"
	EACH16(PUT_XMM)
	"	ret\n"
	"	.cfi_endproc\n"
	".size keep_vectors, . - keep_vectors\n"

	".type restore_vectors, @function\n"
	"restore_vectors:\n"
	"	.cfi_startproc\n"
	"	cmpl $2, kt_patch_vectors(%rip)\n"
	"	jb 1f\n"
	EACH_UPPER16(GET_ZMM)
	EACH_MASK(GET_MASK)
	"1:	cmpl $1, %r14d\n"
	"	je 2f\n"
	"	cmpl $2, %r14d\n"
	"	je 4f\n"
	"	testl %r14d, %r14d\n"
	"	jz 3f\n"
	"	vzeroupper\n"
	"3:\n"
	EACH16(GET_XMM)
	"	ret\n"
	"2:\n"
	EACH16(GET_YMM)
	"	ret\n"
	"4:\n"
	EACH16(GET_ZMM)
	"	ret\n"
	"	.cfi_endproc\n"
	".size restore_vectors, . - restore_vectors\n");
/* clang-format on */

/*
 * When a trampoline jumps here, the program's stack holds the number of the patch below the
 * red zone. The code saves the program's registers below the number, in the order of a
 * signal frame, and replaces the number by the address at which to continue. The code is
 * entered and left by jumps, so a shadow stack is not affected.
 *
 * kt_patch_continues() handles an access that only continues a run; all others need what
 * follows it. That is a critical section (signal-defer.h): handlers of the application are
 * deferred (%r12d is 0), or nothing is to be done within another section (2). If a handler
 * may not be wrapped (1), the code blocks signals and saves the thread's mask at -16(%rbx);
 * also if the program is on its alternate stack: the kernel does not know that, once this
 * code has left the stack, and would begin a signal frame at its top.
 * If the program single-steps its own code, the trap flag is cleared meanwhile, because
 * with signals blocked the program could not be notified of steps.
 */
__asm__(".text\n"
	".globl kt_patch_entry\n"
	".hidden kt_patch_entry\n"
	".type kt_patch_entry, @function\n"
	"kt_patch_entry:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	endbr64\n"
	"	pushfq\n"
	"	pushq $0\n"
	"	pushq $0\n"
	".irp r,rcx,rax,rdx,rbx,rbp,rsi,rdi,r15,r14,r13,r12,r11,r10,r9,r8\n"
	"	pushq %\\r\n"
	".endr\n"
	"	cld\n"
	"	movq %rsp, %rbx\n"
	"	testl $0x100, 136(%rbx)\n" /* the trap flag */
	"	jz 1f\n"
	"	pushfq\n"
	"	andl $0xfffffeff, (%rsp)\n"
	"	popfq\n"
	"1:	leaq -40(%rbx), %rdi\n"
	"	leaq 144(%rbx), %rsi\n"
	"	andq $-16, %rsp\n"
	"	call kt_patch_continues\n"
	"	testb %al, %al\n"
	"	jnz 6f\n"
	"	leaq -16(%rbx), %rsp\n"
	"	movq kt_signals_blocked@gottpoff(%rip), %r15\n"
	"	movl $2, %r12d\n"
	"	cmpb $0, %fs:(%r15)\n"
	"	jne 3f\n"
	"	movl $1, %r12d\n"
	"	cmpl $0, kt_signals_unwrapped(%rip)\n"
	"	jne 2f\n"
	"	movq kt_alternate_stack@gottpoff(%rip), %rax\n"
	"	movq %rsp, %rcx\n"
	"	subq %fs:(%rax), %rcx\n"
	"	cmpq %fs:8(%rax), %rcx\n"
	"	jbe 2f\n"
	"	movq kt_handler_stack_top@gottpoff(%rip), %rax\n"
	"	movq %fs:(%rax), %rcx\n"
	"	subq %rsp, %rcx\n"
	"	cmpq $131072, %rcx\n"
	"	jbe 2f\n"
	"	xorl %r12d, %r12d\n"
	"	movb $1, %fs:(%r15)\n"
	"	jmp 3f\n"
	"2:	movl $2, %edi\n" /* SIG_SETMASK */
	"	leaq kt_patch_blocked(%rip), %rsi\n"
	"	movq %rsp, %rdx\n"
	"	movl $8, %r10d\n"
	"	movl $14, %eax\n" /* rt_sigprocmask */
	"	syscall\n"
	/* Switches to the stack of patches, if the thread has one and is not on it yet. */
	"3:	movq kt_handler_stack_top@gottpoff(%rip), %rax\n"
	"	movq %fs:(%rax), %rax\n"
	"	testq %rax, %rax\n"
	"	jz 4f\n"
	"	addq $69632, %rax\n"
	"	movq %rax, %rcx\n"
	"	subq %rsp, %rcx\n"
	"	cmpq $65536, %rcx\n"
	"	jb 4f\n"
	"	movq %rax, %rsp\n"
	"4:	andq $-64, %rsp\n"
	"	subq $2176, %rsp\n"
	"	movq %rsp, %r13\n"
	"	call keep_vectors\n"
	"	leaq -40(%rbx), %rdi\n"
	"	leaq 144(%rbx), %rsi\n"
	"	movl %r14d, 2112(%r13)\n"
	"	movq %r13, %rdx\n"
	"	call kt_patch_arrived\n"
	"	movl 2112(%r13), %r14d\n"
	"	call restore_vectors\n"
	"	leaq -16(%rbx), %rsp\n"
	"	testl %r12d, %r12d\n"
	"	jnz 5f\n"
	"	movb $0, %fs:(%r15)\n"
	"	movq kt_deferred@gottpoff(%rip), %rax\n"
	"	cmpb $0, %fs:(%rax)\n"
	"	je 6f\n"
	"	call kt_deferred_run\n"
	"	jmp 6f\n"
	"5:	cmpl $2, %r12d\n"
	"	je 6f\n"
	"	movl $2, %edi\n"
	"	movq %rsp, %rsi\n"
	"	xorl %edx, %edx\n"
	"	movl $8, %r10d\n"
	"	movl $14, %eax\n"
	"	syscall\n"
	"6:	movq %rbx, %rsp\n"
	".irp r,r8,r9,r10,r11,r12,r13,r14,r15,rdi,rsi,rbp,rbx,rdx,rax,rcx\n"
	"	popq %\\r\n"
	".endr\n"
	"	leaq 16(%rsp), %rsp\n"
	"	popfq\n"
	"	jmpq *(%rsp)\n"
	"	.cfi_endproc\n"
	".size kt_patch_entry, . - kt_patch_entry\n");

void kt_patch_entry_init(void)
{
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t d;
	uint64_t parts;
	uint32_t high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE)) {
		return;
	}
	__asm__("xgetbv" : "=a"(a), "=d"(high) : "c"(0));
	parts = (uint64_t)high << 32 | a;
	if (parts & PARTS_AVX) {
		kt_patch_vectors = KT_VECTORS_YMM;
	}
	if ((parts & PARTS_AVX512) == PARTS_AVX512) {
		kt_patch_vectors = KT_VECTORS_ZMM;
	}
	if (kt_patch_vectors == KT_VECTORS_ZMM &&
	    (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & AVX512BW))) {
		cannot_keep = true;
	}
	if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d)) {
		kt_patch_has_xinuse = a & XGETBV1;
	}
}

bool kt_patch_entry_works(void)
{
	return !cannot_keep;
}

/*
 * Makes the access through the alias and reports it. Returns false if it is still to be
 * made, for example because the program was running on the thread's alternate signal
 * stack. In that case, this code has left the alternate stack: if the recorder faulted, the
 * kernel would put a signal frame at the top of that stack and overwrite the program's data
 * there.
 */
static bool make_access(const struct kt_patch *patch, ucontext_t *context,
			struct kt_saved_vectors *vectors, enum kt_patched *what)
{
	uintptr_t address;
	bool done;

	if (kt_handler_stack_is_alternate((uintptr_t)context->uc_mcontext.gregs[REG_RSP]) ||
	    !kt_instruction_address(&patch->instruction, context, patch->site, &address) ||
	    !kt_mapping_may_touch(address, patch->instruction.width)) {
		return false;
	}
	if (!kt_lock()) {
		return false;
	}
	done = kt_access_patched(&patch->instruction, context, vectors, what);
	kt_unlock(true);
	return done;
}

__attribute__((used)) void kt_patch_arrived(ucontext_t *context, uint64_t *slot,
					    struct kt_saved_vectors *vectors);

void kt_patch_arrived(ucontext_t *context, uint64_t *slot, struct kt_saved_vectors *vectors)
{
	uint32_t number = (uint32_t)*slot;
	struct kt_patch_site *site = &kt_patch_sites[number];
	const struct kt_patch *patch = kt_patch_get(number);
	greg_t *registers = context->uc_mcontext.gregs;
	bool signals_blocked = kt_signals_blocked;
	struct kt_cancel cancel;
	uint64_t continued;
	int saved = errno;
	enum kt_patched what = KT_PATCHED_STRAY;
	bool done;

	KT_HANDLER_ENTER();
	kt_visit_begin(kt_signals_unwrapped ? KT_VISIT_PATCH_BLOCKING : KT_VISIT_PATCH);
	kt_cancel_off(&cancel);
	kt_signals_blocked = true;
	registers[REG_RSP] = (greg_t)kt_patch_stack_pointer(slot);
	registers[REG_RIP] = (greg_t)patch->site;
	vectors->processor = kt_patch_vectors;
	done = make_access(patch, context, vectors, &what);
	*slot = done ? patch->after_access : patch->again;
	continued = kt_patch_take_continued(site);
	if (continued) {
		kt_count_many(&kt_counters->patched_accesses, continued);
		kt_visit_continued(continued);
	}
	kt_patch_count(what == KT_PATCHED_STRAY ? &site->strays : &site->hits);
	if (what == KT_PATCHED_LOOP || kt_patch_has_strayed(site)) {
		bool locked = kt_lock();

		if (locked) {
			kt_hot_site_cool(kt_patch_pause(number));
		}
		kt_unlock(locked);
	}
	kt_visit_end();
	if (done) {
		kt_give_up_if_due();
	}
	kt_signals_blocked = signals_blocked;
	errno = saved;
	kt_cancel_back(&cancel);
	KT_HANDLER_LEAVE();
}
