/* SPDX-License-Identifier: MIT */
/*
 * If a task takes longer than two seconds, shows its progress in a line on standard error,
 * provided that this is a terminal. The line is erased when the task ends. Without
 * kt_progress_enable() nothing is shown, so libraries may always count steps. At most one
 * task is in progress, and only one thread may call these functions.
 */
#ifndef KTAIL_BASE_PROGRESS_H
#define KTAIL_BASE_PROGRESS_H

#include <stdint.h>

/* Enables the line, which begins with `program`. The string must remain valid. */
void kt_progress_enable(const char *program);

/*
 * Begins a task, and ends the previous one. The line shows `what`, which must remain valid,
 * and the steps done of `total`. If total is 0 (unknown), the line shows the rate; a task
 * with the same `what` pointer then continues the previous count, as for traces that are
 * read one by one. The clock is read once in `each` steps.
 */
void kt_progress_begin(const char *what, uint64_t total, uint64_t each);

/* Adds `steps` to the steps done. */
void kt_progress_add(uint64_t steps);

/* Erases the line. Call this before other output to the terminal during the task. */
void kt_progress_hide(void);

/* Ends the task. Does nothing if no task is in progress. */
void kt_progress_end(void);

#endif
