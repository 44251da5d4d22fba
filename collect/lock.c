/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/lock.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "collect/kernel.h"
#include "collect/signal-mask.h"

#define CONTENDED 0x80000000u /* somebody may be asleep; thread ids are below 2^22 */
#define SPINS     200

static _Atomic uint32_t owner;
static _Thread_local uint32_t cached_tid;

/* Of the owner: what its thread blocked before, unless it is a handler of ours. */
static uint64_t owner_blocked;
static bool owner_quiet;

_Thread_local bool kt_lock_quiet;
uint64_t kt_lock_turns;

static const uint64_t all_but_ours = ~KT_OUR_MASK;

/* Also in threads that the thread sanitizer does not know yet. */
__attribute__((no_sanitize("thread"))) uint32_t kt_tid(void)
{
	if (!cached_tid) {
		cached_tid = (uint32_t)KT_KERNEL(SYS_gettid, 0);
	}
	return cached_tid;
}

static void wait_asleep(uint32_t self)
{
	uint32_t seen;

	/* Takes it as contended, so that the next one is woken. */
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

static void take(uint32_t self)
{
	uint32_t seen = 0;

	for (int spins = 0; !atomic_compare_exchange_strong(&owner, &seen, self); spins++) {
		if (spins == SPINS) {
			wait_asleep(self);
			return;
		}
		__builtin_ia32_pause();
		seen = 0;
	}
}

bool kt_lock(void)
{
	uint32_t self = kt_tid();
	bool quiet = kt_lock_quiet;
	uint64_t blocked = 0;

	if ((atomic_load(&owner) & ~CONTENDED) == self) {
		return false;
	}
	if (!quiet) {
		KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &all_but_ours, &blocked,
			  sizeof(blocked));
	}
	take(self);
	kt_lock_turns++;
	owner_blocked = blocked;
	owner_quiet = quiet;
	return true;
}

bool kt_lock_is_mine(void)
{
	return (atomic_load(&owner) & ~CONTENDED) == kt_tid();
}

void kt_unlock(bool taken)
{
	uint64_t blocked = owner_blocked;
	bool quiet = owner_quiet;

	if (!taken) {
		return;
	}
	if (atomic_exchange(&owner, 0) & CONTENDED) {
		KT_KERNEL(SYS_futex, &owner, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	if (!quiet) {
		kt_change_end(&blocked);
	}
}

uint64_t kt_lock_signals(void)
{
	return owner_blocked;
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
	atomic_store(&owner, 0);
}
