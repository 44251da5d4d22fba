/* SPDX-License-Identifier: MIT */
/*
 * How far work is that takes longer than two seconds: a line on standard error, if that is
 * a terminal, which is gone when the work ends. Silent until a program enables it, so that
 * libraries may count anyway. One work at a time, in one thread.
 */
#ifndef KTAIL_BASE_PROGRESS_H
#define KTAIL_BASE_PROGRESS_H

#include <stdint.h>

/* `program` begins the line; it stays the caller's. */
void kt_progress_enable(const char *program);

/*
 * Begins a work, in place of one that has not ended. total: of its steps; 0: it is not
 * known, their rate is shown, and the last work goes on if `what` is the same text, as
 * traces are read one by one. `what` stays the caller's. The clock is read once in `each`
 * steps.
 */
void kt_progress_begin(const char *what, uint64_t total, uint64_t each);

/* That many steps more are done. */
void kt_progress_add(uint64_t steps);

/* Takes the line away, for who writes to the terminal before the work ends. */
void kt_progress_hide(void);

/* The work is done. Nothing if there is none. */
void kt_progress_end(void);

#endif
