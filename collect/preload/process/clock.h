/* SPDX-License-Identifier: MIT */
/*
 * The monotonic clock by which the recorder measures durations. It is libc's own: a
 * preloaded library that fakes the time affects neither the events nor the recorder.
 */
#ifndef KTAIL_COLLECT_CLOCK_H
#define KTAIL_COLLECT_CLOCK_H

#include <stdint.h>

/* Finds libc's function; until then, each reading is a system call. Not signal-safe. */
void kt_clock_init(void);

/* Returns nanoseconds of CLOCK_MONOTONIC. Signal-safe. */
uint64_t kt_now_ns(void);

/*
 * Returns nanoseconds of the coarse clock, which the kernel sets at each tick, if a tick
 * takes at most 4 ms; else of CLOCK_MONOTONIC. Two readings differ from the true time
 * between them by less than a tick, and each takes a third of the time of kt_now_ns().
 * Signal-safe.
 */
uint64_t kt_coarse_ns(void);

#endif
