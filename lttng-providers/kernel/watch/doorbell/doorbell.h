/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports a doorbell that a thread has written, or is about to write: emits its event and
 * calls clients. A client is another module that knows what a doorbell submits. Clients are
 * called while the storing thread is in the trap right after the store (mode watch), or in
 * the page fault before the store (mode shadow).
 */
#ifndef DW_DOORBELL_H
#define DW_DOORBELL_H

#include <linux/list.h>
#include <linux/types.h>

struct dw_doorbell;
struct module;

struct doorbell_watch_store {
	u64 physical;     /* physical address of the doorbell register */
	unsigned long at; /* address of the doorbell register in the process */
	u32 value;
	bool known; /* whether `value` is known */
};

struct doorbell_watch_client {
	struct module *owner;
	/*
	 * Called with interrupts off: must not sleep; may emit tracepoints and read device
	 * memory.
	 */
	void (*written)(struct doorbell_watch_client *client,
			const struct doorbell_watch_store *store);
	struct list_head list; /* owned by doorbell_watch while registered */
};

int doorbell_watch_register(struct doorbell_watch_client *client);
/* Returns after the last call of client->written has ended. */
void doorbell_watch_unregister(struct doorbell_watch_client *client);

/*
 * Counts a doorbell, emits its event and calls all clients. `by`: "watchpoint" or "shadow";
 * `ip`: address of the instruction after the store; `value`: the value stored if `known`,
 * else 0. The current task does the store. Any context with interrupts off.
 */
void dw_doorbell_written(const struct dw_doorbell *doorbell, const char *by,
			 unsigned long ip, bool known, u32 value);

#endif
