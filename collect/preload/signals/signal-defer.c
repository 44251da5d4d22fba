/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/signal-defer.h"

#include <assert.h>
#include <stddef.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/signal-carry.h"

#define FIRST_QUEUED 32 /* the kernel's SIGRTMIN */

_Thread_local bool kt_signals_blocked;
_Thread_local struct kt_deferred kt_deferred;
_Atomic uint32_t kt_signals_unwrapped = 1;

static_assert(offsetof(struct kt_deferred, pending) == 0, "see kt_patch_entry");

__asm__(".text\n"
	".globl kt_deferred_run\n"
	".hidden kt_deferred_run, kt_deferred_at\n"
	".type kt_deferred_run, @function\n"
	"kt_deferred_run:\n"
	"	.cfi_startproc\n"
	".globl kt_deferred_at\n"
	"kt_deferred_at:\n"
	"	hlt\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size kt_deferred_run, . - kt_deferred_run\n");

static uint64_t set_mask(uint64_t mask)
{
	uint64_t before = 0;

	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof(mask));
	return before;
}

/* Several instances of a real-time signal are kept by the kernel, in their order. */
static bool is_queued(int signal)
{
	return signal >= FIRST_QUEUED;
}

static void keep(int signal, const siginfo_t *info,
		 void (*put_back)(int, const siginfo_t *))
{
	kt_deferred.info = *info;
	kt_deferred.put_back = put_back;
	atomic_signal_fence(memory_order_seq_cst);
	kt_deferred.signal = signal;
}

/*
 * A second signal may arrive in this function, before all are blocked; the kernel enters
 * two handlers at once if both signals are pending. The second finds `pending` set, or sets
 * it first. A queued signal is not put back if another can be, as it would come after the
 * rest of its queue. The outer call ends last, so `mask` is that of the section.
 */
void kt_defer(int signal, const siginfo_t *info, ucontext_t *context,
	      void (*put_back)(int, const siginfo_t *))
{
	uint64_t *mask = kt_frame_mask(context);

	if (!__atomic_exchange_n(&kt_deferred.pending, true, __ATOMIC_SEQ_CST)) {
		keep(signal, info, put_back);
	} else {
		set_mask(~KT_OUR_MASK);
		if (is_queued(signal) && kt_deferred.signal &&
		    !is_queued(kt_deferred.signal)) {
			kt_deferred.put_back(kt_deferred.signal, &kt_deferred.info);
			keep(signal, info, put_back);
		} else {
			put_back(signal, info);
		}
	}
	kt_deferred.mask = *mask;
	*mask = ~KT_OUR_MASK;
}

struct kt_deferred kt_deferred_take(ucontext_t *context)
{
	struct kt_deferred taken = kt_deferred;

	kt_deferred.signal = 0;
	kt_deferred.pending = false;
	context->uc_mcontext.gregs[REG_RIP]++; /* after hlt */
	*kt_frame_mask(context) = taken.mask;
	return taken;
}

uint64_t kt_deferred_get_mask(void)
{
	uint64_t before = set_mask(~KT_OUR_MASK);

	return kt_deferred.pending ? kt_deferred.mask : before;
}

void kt_deferred_set_mask(uint64_t mask)
{
	if (kt_deferred.pending) {
		kt_deferred.mask = mask;
	} else {
		set_mask(mask);
	}
}

void kt_deferred_after_fork(void)
{
	if (kt_deferred.pending) {
		kt_deferred.signal = 0;
		kt_deferred.pending = false;
		set_mask(kt_deferred.mask);
	}
}

void kt_deferred_abandon(void)
{
	long pid = KT_KERNEL(SYS_getpid, 0);

	kt_signals_blocked = false;
	if (kt_deferred.pending) {
		kt_deferred.pending = false;
		/* The kernel refuses most kinds of siginfo for another thread. */
		if (KT_KERNEL(SYS_rt_sigqueueinfo, pid, kt_deferred.signal,
			      &kt_deferred.info) != 0) {
			KT_KERNEL(SYS_kill, pid, kt_deferred.signal);
		}
		kt_deferred.signal = 0;
	}
}
