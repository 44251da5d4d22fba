/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/lock.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "collect/kernel.h"

#define CONTENDED 0x80000000u /* somebody may be asleep; thread ids are below 2^22 */
#define SPINS     200

static _Atomic uint32_t owner;
static _Thread_local uint32_t cached_tid;

uint32_t kt_tid(void)
{
	if (!cached_tid) {
		cached_tid = (uint32_t)KT_KERNEL(SYS_gettid, 0);
	}
	return cached_tid;
}

bool kt_lock(void)
{
	uint32_t self = kt_tid();
	uint32_t seen = 0;

	for (int spins = 0; !atomic_compare_exchange_strong(&owner, &seen, self); spins++) {
		if ((seen & ~CONTENDED) == self) {
			return false;
		}
		if (spins < SPINS) {
			__builtin_ia32_pause();
			seen = 0;
			continue;
		}
		/* Asleep from here on: take it as contended, so that the next one is woken.
		 */
		while ((seen = atomic_load(&owner)) != 0 ||
		       !atomic_compare_exchange_strong(&owner, &seen, self | CONTENDED)) {
			if (seen & CONTENDED ||
			    (seen && atomic_compare_exchange_strong(&owner, &seen,
								    seen | CONTENDED))) {
				KT_KERNEL(SYS_futex, &owner, FUTEX_WAIT_PRIVATE,
					  seen | CONTENDED, NULL, NULL, 0);
			}
		}
		return true;
	}
	return true;
}

void kt_unlock(bool taken)
{
	if (taken && atomic_exchange(&owner, 0) & CONTENDED) {
		KT_KERNEL(SYS_futex, &owner, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
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
	atomic_store(&owner, 0);
}
