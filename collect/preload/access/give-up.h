/* SPDX-License-Identifier: MIT */
/*
 * Keeps the recorder's overhead below a limit (ktail record --overhead). If the overhead of
 * a thread (collect/preload/overhead/overhead.h) was above it in one window, the process
 * gives up detail, the least valuable first: accesses to the mappings that cost the thread
 * most, as few as suffice; all accesses, if all together do not suffice; ring entries and
 * commands, if the overhead is above the limit without accesses. Each step is final for the
 * process, because whether more detail fits again is known only by recording it, and each
 * attempt would cut the words. An event `detail` says where. Doorbells, ioctls, mappings
 * and API calls are never given up.
 */
#ifndef KTAIL_COLLECT_GIVE_UP_H
#define KTAIL_COLLECT_GIVE_UP_H

#include <stdint.h>

#include "collect/preload/overhead/visits.h"

/*
 * If kt_overhead_percent is set, measures what the delivery of a signal costs, by faults on
 * a page of the recorder's own, and what blocking signals costs: call after
 * kt_signals_install().
 */
void kt_give_up_init(void);

/* Judges the thread's window. Takes the lock. Signal-safe. */
void kt_give_up_judge(void);

/* Call after a visit; see kt_give_up_judge(). */
static inline void kt_give_up_if_due(void)
{
	if (kt_visit_window_is_over()) {
		kt_give_up_judge();
	}
}

/* In a forked child, which begins with all detail. Not signal-safe. */
void kt_give_up_after_fork(void);

#endif
