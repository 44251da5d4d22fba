/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/signal-caught.h"

#include <stdatomic.h>
#include <time.h>

#include "collect/preload/process/kernel.h"

#define NOTED     1
#define SETTLED   2    /* all threads that had read 0 have left the recorder's code */
#define WAITS_MAX 1000 /* milliseconds */

_Atomic uint32_t kt_signals_caught;
_Atomic uint32_t kt_signals_open;

/*
 * Waits only for a limited time: a handler installed past the recorder may have left the
 * recorder's code by longjmp(), and then its thread stays counted in kt_signals_open. A
 * call from within a handler finds kt_signals_caught SETTLED, so a thread never waits for
 * itself.
 */
void kt_signals_note(uintptr_t handler)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	uint32_t seen = 0;

	if (handler == KT_SIG_DFL || handler == KT_SIG_IGN ||
	    atomic_load(&kt_signals_caught) == SETTLED) {
		return;
	}
	atomic_compare_exchange_strong(&kt_signals_caught, &seen, NOTED);
	for (int i = 0; i < WAITS_MAX && atomic_load(&kt_signals_open); i++) {
		KT_KERNEL(SYS_nanosleep, &pause, NULL);
	}
	atomic_store(&kt_signals_caught, SETTLED);
}

void kt_signals_after_fork(void)
{
	atomic_store(&kt_signals_open, 0);
}
