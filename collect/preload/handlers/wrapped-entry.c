/* SPDX-License-Identifier: MIT */
/*
 * Entry of the application's handlers (signal-wrap.h). Outside of critical sections it
 * jumps to the handler with the kernel's registers and stack, so the handler may return,
 * jump out, or never return.
 */
#define _GNU_SOURCE
#include "collect/preload/handlers/signals.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/handler-probe.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-defer.h"
#include "collect/preload/signals/signal-wrap.h"

/*
 * Signals of the instruction that is running, unless a process or file has sent them
 * (si_code): their handler may have to change the registers.
 */
#define SYNCHRONOUS (KT_SIGNAL_BIT(SIGILL) | KT_SIGNAL_BIT(SIGFPE) | KT_SIGNAL_BIT(SIGSYS))

static_assert(offsetof(struct kt_visits, depth) == 0, "see kt_wrapped_entry");

/* On entry, as at a function's entry, %rsp is 8 below a multiple of 16. */
__asm__(".text\n"
	".globl kt_wrapped_entry\n"
	".hidden kt_wrapped_entry\n"
	".type kt_wrapped_entry, @function\n"
	"kt_wrapped_entry:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	movq kt_signals_blocked@gottpoff(%rip), %rax\n"
	"	cmpb $0, %fs:(%rax)\n"
	"	jne 2f\n"
	"1:	movq kt_visits@gottpoff(%rip), %rax\n"
	"	movl $0, %fs:(%rax)\n" /* kt_visit_abandon() */
	"	movslq %edi, %rax\n"
	"	leaq kt_wrapped_handlers(%rip), %rcx\n"
	"	movq (%rcx,%rax,8), %rcx\n"
	"	xorl %eax, %eax\n"
	"	testq %rcx, %rcx\n"
	"	jz kt_wrapped_default\n"
	"	jmpq *%rcx\n"
	"2:	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call kt_wrapped_defer\n"
	"	popq %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	testb %al, %al\n"
	"	jz 1b\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size kt_wrapped_entry, . - kt_wrapped_entry\n");

__attribute__((used)) bool kt_wrapped_defer(int signal, const siginfo_t *info,
					    ucontext_t *context);
__attribute__((used)) void kt_wrapped_default(int signal, siginfo_t *info,
					      ucontext_t *context);

/* Returns false if the handler is to run at once. */
bool kt_wrapped_defer(int signal, const siginfo_t *info, ucontext_t *context)
{
	if (SYNCHRONOUS & KT_SIGNAL_BIT(signal) && info->si_code > 0) {
		return false;
	}
	KT_HANDLER_ENTER();
	kt_defer(signal, info, context, kt_wrap_put_back);
	KT_HANDLER_LEAVE();
	return true;
}

/*
 * In sigsuspend(2) and similar calls, the frame holds the mask of before the call, which
 * may block the signal. The default action must not wait for that.
 */
void kt_wrapped_default(int signal, siginfo_t *info, ucontext_t *context)
{
	KT_HANDLER_ENTER();
	*kt_frame_mask(context) &= ~KT_SIGNAL_BIT(signal);
	kt_signal_die(signal, info);
	KT_HANDLER_LEAVE();
}
