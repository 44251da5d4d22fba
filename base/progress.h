/* SPDX-License-Identifier: MIT */
/*
 * Shows the progress of work that takes longer than two seconds, as a line on standard
 * error if that is a terminal; the line is erased when the work ends. Nothing is shown
 * until a program enables it, so that libraries may always count steps. At most one task is
 * in progress, in one thread.
 */
#ifndef KTAIL_BASE_PROGRESS_H
#define KTAIL_BASE_PROGRESS_H

#include <stdint.h>

/* Enables the line, which begins with `program`; the text must remain valid. */
void kt_progress_enable(const char *program);

/*
 * Begins a task, and ends the previous one. `total` is the number of steps, or 0 if it is
 * unknown: then the line shows the rate, and a task with the same `what` pointer continues
 * the previous count, as for traces that are read one by one. `what` must remain valid. The
 * clock is read once in `each` steps.
 */
void kt_progress_begin(const char *what, uint64_t total, uint64_t each);

/* Adds `steps` to the steps done. */
void kt_progress_add(uint64_t steps);

/* Erases the line. Call this before other output to the terminal during the task. */
void kt_progress_hide(void);

/* Ends the task. Does nothing if there is none. */
void kt_progress_end(void);

#endif
