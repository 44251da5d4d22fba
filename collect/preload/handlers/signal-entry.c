/* SPDX-License-Identifier: MIT */
/*
 * Entry of the recorder's signals. If the recorder did not cause the signal, this code
 * jumps to the application's handler, with the signal frame where the kernel would have put
 * it. Below the frame, the stack holds nothing of the recorder's, so the handler may
 * return, jump out, throw, or never return.
 */
#define _GNU_SOURCE
#include "collect/preload/handlers/signals.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "collect/preload/access/access.h"
#include "collect/preload/access/give-up.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/instructions/registers.h"
#include "collect/preload/mappings/steps.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/handler-probe.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/handler-stack.h"
#include "collect/preload/signals/signal-actions.h"
#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-defer.h"
#include "collect/preload/signals/signal-mask.h"
#include "collect/preload/submissions/doorbell.h"

#define PAGE_FAULT_WRITE 2          /* bit of the page-fault error code: a write */
#define FRAME_SLACK      1024       /* bytes; more than a frame without vector registers */
#define AUTODISARM       (1u << 31) /* SS_AUTODISARM */

/* A call of the application's handler; kt_signal_entry depends on the layout. */
struct handler_call {
	struct kt_signal_frame *frame;
	uintptr_t handler;
	uint64_t mask;
	int64_t signal;
};

static_assert(offsetof(struct handler_call, handler) == 8, "see kt_signal_entry");
static_assert(offsetof(struct handler_call, mask) == 16, "see kt_signal_entry");
static_assert(offsetof(struct handler_call, signal) == 24, "see kt_signal_entry");
static_assert(offsetof(struct kt_signal_frame, context) == 8, "see kt_signal_entry");
static_assert(offsetof(struct kt_signal_frame, info) == 312, "see kt_signal_entry");
static_assert(KT_HANDLER_STACK == 131072, "see kt_signal_entry");

_Thread_local struct kt_signals_passed kt_signals_passed;

/*
 * Switches to the handler stack, unless the thread is already on it, and calls
 * kt_signal_arrived(). Then it either returns to rt_sigreturn or jumps to the application's
 * handler. The handler's mask is set after the switch to the handler's own stack, because
 * signals that the new mask unblocks are delivered at once.
 */
__asm__(".text\n"
	".globl kt_signal_entry\n"
	".hidden kt_signal_entry\n"
	".type kt_signal_entry, @function\n"
	"kt_signal_entry:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	movq %rsp, %rbx\n"
	"	.cfi_def_cfa %rbx, 8\n"
	"	movq kt_handler_stack_top@gottpoff(%rip), %rax\n"
	"	movq %fs:(%rax), %rax\n"
	"	testq %rax, %rax\n"
	"	jz 1f\n"
	"	movq %rax, %rcx\n"
	"	subq %rsp, %rcx\n"
	"	cmpq $131072, %rcx\n"
	"	jb 1f\n"
	"	movq %rax, %rsp\n"
	"1:	subq $64, %rsp\n"
	"	andq $-16, %rsp\n"
	"	movq %rsp, %rcx\n"
	"	movq %rsp, %r12\n"
	"	call kt_signal_arrived\n"
	"	testb %al, %al\n"
	"	jz 2f\n"
	"	movq 0(%r12), %rsp\n"
	"	movq 24(%r12), %r13\n"
	"	leaq 16(%r12), %rsi\n"
	"	movq 8(%r12), %r12\n"
	"	movl $2, %edi\n" /* SIG_SETMASK */
	"	xorl %edx, %edx\n"
	"	movl $8, %r10d\n"
	"	movl $14, %eax\n" /* rt_sigprocmask */
	"	syscall\n"
	"	movq %r13, %rdi\n"
	"	leaq 312(%rsp), %rsi\n"
	"	leaq 8(%rsp), %rdx\n"
	"	xorl %eax, %eax\n"
	"	jmpq *%r12\n"
	"2:	movq %rbx, %rsp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size kt_signal_entry, . - kt_signal_entry\n");

/* --- the default action --- */

/*
 * Ends the process as it would have ended without the recorder: raises the signal again
 * with the default action. The signal stays blocked until the interrupted code continues,
 * so that a core file shows that code.
 */
void kt_signal_die(int signal, siginfo_t *info)
{
	static const struct kt_action standard = {.handler = KT_SIG_DFL};
	uint64_t blocked = KT_SIGNAL_BIT(signal);
	long pid = KT_KERNEL(SYS_getpid, 0);
	long tid = KT_KERNEL(SYS_gettid, 0); /* kt_tid() would be wrong in a vfork child */

	KT_KERNEL(SYS_rt_sigaction, signal, &standard, NULL, sizeof(blocked));
	KT_KERNEL(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, NULL, sizeof(blocked));
	if (KT_KERNEL(SYS_rt_tgsigqueueinfo, pid, tid, signal, info) != 0) {
		KT_KERNEL(SYS_tgkill, pid, tid, signal);
	}
}

/*
 * Ends the process as the kernel does when it cannot write a handler's frame: by SIGSEGV.
 */
static void die_of_stack(int signal, siginfo_t *info)
{
	siginfo_t segv;

	if (signal == SIGSEGV) {
		kt_signal_die(signal, info);
		return;
	}
	memset(&segv, 0, sizeof(segv));
	segv.si_signo = SIGSEGV;
	segv.si_code = SI_KERNEL;
	kt_signal_die(SIGSEGV, &segv);
}

/* --- the application's handler --- */

static bool has_space(const stack_t *stack, const struct kt_signal_frame *frame)
{
	return (uintptr_t)frame > (uintptr_t)stack->ss_sp &&
	       (uintptr_t)frame - (uintptr_t)stack->ss_sp <= stack->ss_size;
}

/*
 * Returns the handler's frame: the kernel's frame if it is at the right address, otherwise
 * a copy at the right address. Returns NULL if the handler's stack has no space for the
 * frame.
 */
static struct kt_signal_frame *right_frame(struct kt_signal_frame *frame, bool onstack)
{
	ucontext_t *context = kt_frame_context(frame);
	uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
	size_t vector_size = kt_frame_vector_size(context);
	stack_t own = kt_handler_stack_seen(&context->uc_stack);
	uintptr_t start = (uintptr_t)own.ss_sp;
	/* Whether the interrupted code was running on the alternate stack already. */
	bool nested = own.ss_size && !((unsigned)own.ss_flags & AUTODISARM) && sp > start &&
		      sp - start <= own.ss_size;
	bool enters = onstack && own.ss_size && !nested;
	uintptr_t top = enters ? (uintptr_t)own.ss_sp + own.ss_size : sp - KT_RED_ZONE;
	struct kt_signal_frame *to = kt_frame_address(top, vector_size);

	if ((enters || nested) && !has_space(&own, to)) {
		return NULL;
	}
	if (top - (uintptr_t)frame < vector_size + FRAME_SLACK) {
		return frame; /* the kernel has put the frame at that address */
	}
	return kt_frame_move(to, frame, vector_size) ? to : NULL;
}

static bool call_handler(int signal, const struct kt_action *action,
			 struct kt_signal_frame *frame, struct handler_call *call)
{
	ucontext_t *context = kt_frame_context(frame);
	const stack_t *stack = &context->uc_stack;
	stack_t own = kt_handler_stack_seen(stack);
	struct kt_signal_frame *to = right_frame(frame, action->flags & SA_ONSTACK);
	uint64_t mask = *kt_frame_mask(context) | kt_mask_to_kernel(action->mask);

	if (!to) {
		die_of_stack(signal, &frame->info);
		return false;
	}
	if (!(action->flags & SA_NODEFER)) {
		mask |= kt_mask_to_kernel(KT_SIGNAL_BIT(signal));
	}
	/* Restores the application's alternate stack, which arrived() has disabled. */
	if (kt_handler_stack_top && !kt_handler_stack_is(stack) &&
	    !(stack->ss_flags & SS_DISABLE) &&
	    !(has_space(&own, to) && (unsigned)stack->ss_flags & AUTODISARM)) {
		KT_KERNEL(SYS_sigaltstack, stack, NULL);
	}
	call->frame = to;
	call->handler = action->handler;
	call->mask = mask;
	call->signal = signal;
	return true;
}

static void put_back(int signal, const siginfo_t *info)
{
	if (kt_signal_carrier(signal)) {
		kt_carry(signal, info);
	} else {
		kt_wrap_put_back(signal,
				 info); /* a carrier, which the program uses itself */
	}
}

/*
 * Returns whether the running instruction has caused the signal. It never causes a carrier,
 * which a file may send with a positive si_code, and it has not accessed memory of which
 * the kernel only says that it has failed.
 */
static bool is_forced(int signal, const siginfo_t *info)
{
	return kt_signal_carrier(signal) && info->si_code > 0 &&
	       !(signal == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

static bool for_application(int signal, bool waited, bool in_section,
			    struct kt_signal_frame *frame, struct handler_call *call)
{
	bool forced = is_forced(signal, &frame->info);
	struct kt_action action;

	/*
	 * The handler gets an address in the program's code instead of the address in a
	 * trampoline. After a SIGTRAP it gets the real address, because the program may be
	 * single-stepping through the trampoline.
	 */
	if (forced && signal != SIGTRAP) {
		kt_patch_hide(kt_frame_context(frame));
	}
	/*
	 * If the frame's mask blocks the carrier, the application blocks the signal, unless
	 * it has asked to block only the carrier. The mask is not checked if the signal
	 * arrived as its carrier, because the kernel has already found the carrier
	 * unblocked. Moreover, the mask in the frame may not have been in force:
	 * sigsuspend(2) and similar calls wait with a mask of their own, and the frame
	 * holds the mask that they restore.
	 */
	if (!waited && kt_signal_carrier(signal) &&
	    kt_mask_seen(*kt_frame_mask(kt_frame_context(frame))) & KT_SIGNAL_BIT(signal)) {
		if (forced) {
			kt_signal_die(signal, &frame->info);
		} else {
			kt_carry(signal, &frame->info);
			kt_signals_passed.unnoticed++;
		}
		return false;
	}
	if (in_section && forced) {
		kt_signal_die(signal, &frame->info);
		return false;
	}
	if (in_section) {
		kt_defer(signal, &frame->info, kt_frame_context(frame), put_back);
		return false;
	}
	action = kt_signals_taken(signal);
	if (action.handler == KT_SIG_IGN && !forced) {
		kt_signals_passed.unnoticed++;
		return false;
	}
	if (action.handler == KT_SIG_DFL || action.handler == KT_SIG_IGN) {
		kt_signal_die(signal, &frame->info);
		return false;
	}
	kt_signals_passed.handled++;
	return call_handler(signal, &action, frame, call);
}

/* Enters the handler of a signal that arrived in a critical section, which has ended. */
static bool deferred(struct kt_signal_frame *frame, struct handler_call *call)
{
	struct kt_deferred kept = kt_deferred_take(kt_frame_context(frame));
	struct kt_action action;

	frame->info = kept.info;
	if (kt_kept_find(kept.signal)) {
		return for_application(kept.signal, true, false, frame, call);
	}
	action = kt_wrap_taken(kept.signal);
	if (action.handler == KT_SIG_DFL) {
		kt_signal_die(kept.signal, &frame->info);
	}
	return action.handler != KT_SIG_DFL && action.handler != KT_SIG_IGN &&
	       call_handler(kept.signal, &action, frame, call);
}

/* --- the recorder's own signals --- */

static bool is_ours(int signal, const siginfo_t *info, ucontext_t *context)
{
	switch (signal) {
	case SIGSEGV:
		if (info->si_code != SEGV_MAPERR && info->si_code != SEGV_ACCERR) {
			return (info->si_code > 0 && kt_patch_fixup(context)) ||
			       kt_patch_trap(info, context);
		}
		return kt_frame_fixup(context) || kt_guard_fixup(context) ||
		       kt_patch_fixup(context) ||
		       kt_access_fault((uintptr_t)info->si_addr,
				       context->uc_mcontext.gregs[REG_ERR] &
					       PAGE_FAULT_WRITE,
				       context);
	case SIGBUS:
		/*
		 * An access beyond the end of a mapped file. It is the recorder's only if
		 * kt_guarded_copy(), a function of guard.h or a trampoline made the access.
		 */
		return info->si_code > 0 &&
		       (kt_frame_fixup(context) || kt_guard_fixup(context) ||
			kt_patch_fixup(context));
	case SIGTRAP:
		return kt_doorbell_trap(info, context) || kt_step_trap(info, context) ||
		       kt_patch_trap(info, context);
	default: return false; /* a carrier */
	}
}

/*
 * Runs if the thread is cancelled and therefore never returns to the interrupted code:
 * undoes a single step and restores the mask.
 */
static void on_cancel(void *context)
{
	kt_step_abandon(context);
	kt_change_end(kt_frame_mask(context));
}

/* Returns whether the application's handler is to be called. */
static bool arrived(int signal, siginfo_t *info, ucontext_t *context,
		    struct handler_call *call)
{
	static const stack_t none = {.ss_flags = SS_DISABLE};
	const stack_t *stack = &context->uc_stack;
	int number = kt_carry_undo(signal, info);
	bool signals_blocked = kt_signals_blocked;
	bool enter = false;
	int saved = errno;

	/*
	 * Disables the application's alternate stack while the recorder runs on a stack of
	 * its own. If the alternate stack stayed enabled, the kernel would use it from its
	 * top again when the recorder faults, and overwrite the signal frame that is in use
	 * there. rt_sigreturn enables the stack again.
	 */
	if (kt_handler_stack_top && !kt_handler_stack_is(stack) &&
	    !(stack->ss_flags & SS_DISABLE)) {
		KT_KERNEL(SYS_sigaltstack, &none, NULL);
	}
	kt_signals_blocked = true;
	if (signal == SIGSEGV && info->si_code == SI_KERNEL &&
	    context->uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)kt_deferred_at) {
		enter = deferred(kt_frame_of(context), call);
	} else if (!is_ours(signal, info, context)) {
		kt_step_abandon(context);
		enter = for_application(number, number != signal, signals_blocked,
					kt_frame_of(context), call);
	}
	kt_signals_blocked = signals_blocked;
	errno = saved;
	return enter;
}

__attribute__((used)) bool kt_signal_arrived(int signal, siginfo_t *info,
					     ucontext_t *context,
					     struct handler_call *call);

/*
 * Returns true if the application's handler is to be called, false if the interrupted code
 * continues.
 */
bool kt_signal_arrived(int signal, siginfo_t *info, ucontext_t *context,
		       struct handler_call *call)
{
	struct kt_cancel cancel;
	bool enter;

	KT_HANDLER_ENTER();
	kt_visit_begin(KT_VISIT_TRAP);
	pthread_cleanup_push(on_cancel, context);
	kt_cancel_off(&cancel);
	enter = arrived(signal, info, context, call);
	kt_visit_end();
	kt_give_up_if_due();
	if (enter) {
		kt_visit_abandon();
	}
	kt_cancel_back(&cancel);
	pthread_cleanup_pop(0);
	KT_HANDLER_LEAVE();
	return enter;
}
