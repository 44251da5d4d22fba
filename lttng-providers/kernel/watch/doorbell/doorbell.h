/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is said of a doorbell that a thread has rung, or is about to ring: its event, and
 * for a second module that knows what a doorbell submits: it is called at each doorbell,
 * while the storing thread stands in the trap right after its store (mode watch), or in the
 * page fault before it (shadow).
 */
#ifndef DW_DOORBELL_H
#define DW_DOORBELL_H

#include <linux/list.h>
#include <linux/types.h>

struct dw_doorbell;
struct module;

struct doorbell_watch_store {
	u64 physical;     /* address of the doorbell's word on the device */
	unsigned long at; /* where it was stored, in the process */
	u32 value;
	bool known; /* value is the value that was stored */
};

struct doorbell_watch_client {
	struct module *owner;
	/* Interrupts are off: may not sleep; may raise tracepoints and read device memory.
	 */
	void (*written)(struct doorbell_watch_client *client,
			const struct doorbell_watch_store *store);
	struct list_head list; /* doorbell_watch's */
};

int doorbell_watch_register(struct doorbell_watch_client *client);
/* Returns when no call of it is under way any more. */
void doorbell_watch_unregister(struct doorbell_watch_client *client);

/*
 * Counts it, raises its event and calls all clients. `by`: "watchpoint" or
 * "shadow"; `ip`: of the instruction after the store; value: known, or 0. The current task
 * is the one that stores. Interrupts are off; any context.
 */
void dw_doorbell_written(const struct dw_doorbell *doorbell, const char *by,
			 unsigned long ip, bool known, u32 value);

#endif
