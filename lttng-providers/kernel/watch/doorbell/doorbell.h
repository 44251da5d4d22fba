/* SPDX-License-Identifier: GPL-2.0 */
/* What is said of a doorbell that a thread has rung, or is about to ring. */
#ifndef DW_DOORBELL_H
#define DW_DOORBELL_H

#include <linux/types.h>

struct dw_door;

/*
 * Counts it, raises its event and tells snapshot.h's clients. `by`: "watchpoint" or
 * "shadow"; `ip`: of the instruction behind the store; value: known, or 0. The current task
 * is the one that stores. Interrupts are off; any context.
 */
void dw_doorbell_rang(const struct dw_door *door, const char *by, unsigned long ip,
		      bool known, u32 value);

#endif
