/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/emit/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/process.h"
#include "collect/preload/signals/signal-defer.h"
#include "collect/preload/signals/signal-mask.h"

/* Bit of `owner`: a thread may sleep until the lock is free. Thread ids are below 2^22. */
#define CONTENDED 0x80000000u
#define SPINS     200

static _Atomic uint32_t owner;
static _Thread_local uint32_t cached_tid;

/*
 * Signal mask and cancellation state of the owner's thread before it took the lock; all 0
 * if one of the recorder's signal handlers took the lock.
 */
static struct kt_signals_saved owner_before;
static bool owner_signals_blocked;

_Atomic uint64_t kt_lock_turns;

/*
 * Not instrumented, because it also runs in threads that ThreadSanitizer does not know yet.
 */
__attribute__((no_sanitize("thread"))) uint32_t kt_tid(void)
{
	if (!cached_tid) {
		cached_tid = (uint32_t)KT_KERNEL(SYS_gettid, 0);
	}
	return cached_tid;
}

static void take(uint32_t self)
{
	uint32_t seen = 0;

	for (int spins = 0; spins <= SPINS; spins++) {
		if (atomic_compare_exchange_strong(&owner, &seen, self)) {
			return;
		}
		__builtin_ia32_pause();
		seen = 0;
	}
	/* Takes the lock as contended, so that unlocking wakes the next waiter. */
	while ((seen = atomic_load(&owner)) != 0 ||
	       !atomic_compare_exchange_strong(&owner, &seen, self | CONTENDED)) {
		if (seen & CONTENDED ||
		    (seen &&
		     atomic_compare_exchange_strong(&owner, &seen, seen | CONTENDED))) {
			KT_KERNEL(SYS_futex, &owner, FUTEX_WAIT_PRIVATE, seen | CONTENDED,
				  NULL, NULL, 0);
		}
	}
}

bool kt_lock(void)
{
	bool signals_blocked = kt_signals_blocked;
	struct kt_signals_saved before = {.deferred = false};
	uint32_t self;

	if (kt_process_is_stopped()) {
		return false;
	}
	self = kt_tid();
	if ((atomic_load(&owner) & ~CONTENDED) == self) {
		return false;
	}
	if (!signals_blocked) {
		kt_signals_hold(&before);
	}
	take(self);
	/* Before any change under the lock, as kt_lock_turn() promises. */
	atomic_store_explicit(&kt_lock_turns, kt_lock_turn() + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	owner_before = before;
	owner_signals_blocked = signals_blocked;
	return true;
}

bool kt_lock_is_mine(void)
{
	return (atomic_load(&owner) & ~CONTENDED) == kt_tid();
}

void kt_unlock(bool taken)
{
	struct kt_signals_saved before = owner_before;
	bool signals_blocked = owner_signals_blocked;

	if (!taken) {
		return;
	}
	if (atomic_exchange(&owner, 0) & CONTENDED) {
		KT_KERNEL(SYS_futex, &owner, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	if (!signals_blocked) {
		kt_signals_restore(&before);
	}
}

struct kt_signals_saved kt_lock_signals_saved(void)
{
	return owner_before;
}

void kt_cancel_off(struct kt_cancel *before)
{
	static const uint64_t cancel = KT_SIGNAL_BIT(32);
	uint64_t blocked = 0;
	int saved;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before->type);
	if (before->type != PTHREAD_CANCEL_ASYNCHRONOUS) {
		return;
	}
	/*
	 * libc cancels a thread asynchronously by sending it a signal. While the signal is
	 * pending, libc (2.36) waits at the end of each cancellation point until the signal
	 * arrives: for ever if it is blocked. So the signal is unblocked and awaited here,
	 * where no lock is held.
	 */
	saved = errno;
	KT_KERNEL(SYS_rt_sigprocmask, SIG_UNBLOCK, &cancel, &blocked, sizeof(blocked));
	fsync(-1); /* the cheapest cancellation point */
	kt_change_end(&blocked);
	errno = saved;
}

/*
 * Restores the type last. libc (2.36) may end a cancelled thread at either call, but
 * pthread_join(3) gives PTHREAD_CANCELED only if the thread ended at the second call.
 */
void kt_cancel_back(const struct kt_cancel *before)
{
	pthread_setcancelstate(before->state, NULL);
	pthread_setcanceltype(before->type, NULL);
}

void kt_signals_block(struct kt_signals_saved *before)
{
	static const uint64_t all_but_ours = ~KT_OUR_MASK;

	kt_cancel_off(&before->cancel);
	before->deferred = false;
	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &all_but_ours, &before->blocked,
		  sizeof(before->blocked));
}

/*
 * Disables cancellation first, because a thread that ends there must not leave its signals
 * deferred.
 */
void kt_signals_hold(struct kt_signals_saved *before)
{
	if (atomic_load_explicit(&kt_signals_unwrapped, memory_order_relaxed)) {
		kt_signals_block(before);
		return;
	}
	kt_cancel_off(&before->cancel);
	before->deferred = true;
	kt_signals_enter();
}

static void let_in(const struct kt_signals_saved *before)
{
	if (before->deferred) {
		kt_signals_leave();
	} else {
		kt_change_end(&before->blocked);
	}
}

/*
 * A handler may jump out of let_in(), so cancellation is restored before; except if that
 * may end the thread, which must not leave its signals deferred or blocked.
 */
void kt_signals_restore(const struct kt_signals_saved *before)
{
	if (before->cancel.type == PTHREAD_CANCEL_ASYNCHRONOUS) {
		let_in(before);
		kt_cancel_back(&before->cancel);
	} else {
		kt_cancel_back(&before->cancel);
		let_in(before);
	}
}

void kt_change_begin(uint64_t *signals)
{
	static const uint64_t all = ~UINT64_C(0);

	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &all, signals, sizeof(all));
}

void kt_change_end(const uint64_t *signals)
{
	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, signals, NULL, sizeof(*signals));
}

void kt_lock_after_fork(void)
{
	cached_tid = 0;
	atomic_store(&kt_lock_turns, kt_lock_turn() + 1);
	atomic_store(&owner, 0);
}
