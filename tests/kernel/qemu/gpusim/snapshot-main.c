// SPDX-License-Identifier: GPL-2.0
/*
 * gpusim_snapshot: reads from the rings of /dev/gpusim the entries that a doorbell submits,
 * while the thread that wrote the doorbell is still in the debug exception.
 */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/spinlock.h>

#include "gpusim.h"
#include "watch/doorbell/doorbell.h"

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The ktail authors");
MODULE_DESCRIPTION("Reads the rings of gpusim at each doorbell");

static DEFINE_RAW_SPINLOCK(lock); /* protects `seen` and `next` */
static struct bare_state seen;
static u32 next[BARE_CHANNELS]; /* index of the next entry to read */

static void find_entries(unsigned int channel)
{
	struct bare_ring *ring = gpusim_ring(channel);
	u32 put = smp_load_acquire(&ring->put) % BARE_ENTRIES;

	while (next[channel] != put) {
		seen.sum += ring->entries[next[channel]];
		seen.entries++;
		next[channel] = (next[channel] + 1) % BARE_ENTRIES;
	}
}

static void written(struct doorbell_watch_client *client,
		    const struct doorbell_watch_store *store)
{
	u64 first = gpusim_doorbells();
	unsigned long flags;
	unsigned int i;

	if (store->physical - first >= BARE_PAGES * PAGE_SIZE ||
	    store->physical % PAGE_SIZE != BARE_DOORBELL) {
		return;
	}
	raw_spin_lock_irqsave(&lock, flags);
	seen.doorbells++;
	seen.unknown_doorbells += !store->known;
	seen.last_doorbells += store->physical - first >= (BARE_PAGES - 1) * PAGE_SIZE;
	if (store->known && store->value & 8) {
		find_entries(store->value & 7);
	} else {
		for (i = 0; i < BARE_CHANNELS; i++) {
			find_entries(i);
		}
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void observe(struct bare_state *state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	state->doorbells = seen.doorbells;
	state->unknown_doorbells = seen.unknown_doorbells;
	state->entries = seen.entries;
	state->sum = seen.sum;
	state->last_doorbells = seen.last_doorbells;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static struct doorbell_watch_client client = {.owner = THIS_MODULE, .written = written};

static int __init snapshot_init(void)
{
	int error;
	unsigned int i;

	for (i = 0; i < BARE_CHANNELS; i++) {
		next[i] = gpusim_ring(i)->put % BARE_ENTRIES;
	}
	error = doorbell_watch_register(&client);
	if (!error) {
		gpusim_set_observer(observe);
	}
	return error;
}

static void __exit snapshot_exit(void)
{
	gpusim_set_observer(NULL);
	doorbell_watch_unregister(&client);
}

module_init(snapshot_init);
module_exit(snapshot_exit);
