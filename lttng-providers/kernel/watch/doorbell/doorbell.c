// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/doorbell.h"

#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

#include "watch/base/counters.h"
#include "watch/state/doorbells.h"
#include "watch/state/process.h"

static LIST_HEAD(clients);
static DEFINE_MUTEX(lock); /* serialises changes of `clients`; readers use RCU */

int doorbell_watch_register(struct doorbell_watch_client *client)
{
	if (!client->written) {
		return -EINVAL;
	}
	mutex_lock(&lock);
	list_add_tail_rcu(&client->list, &clients);
	mutex_unlock(&lock);
	return 0;
}
EXPORT_SYMBOL_GPL(doorbell_watch_register);

void doorbell_watch_unregister(struct doorbell_watch_client *client)
{
	mutex_lock(&lock);
	list_del_rcu(&client->list);
	mutex_unlock(&lock);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(doorbell_watch_unregister);

void dw_doorbell_written(const struct dw_doorbell *doorbell, const char *by,
			 unsigned long ip, bool known, u32 value)
{
	struct dw_mapping *mapping = doorbell->mapping;
	struct doorbell_watch_client *client;
	struct kt_event_doorbell event = {
		.by = by,
		.space = "reg",
		.mapping = mapping->ordinal,
		.offset = doorbell->at - mapping->base,
		.ip = ip,
		.known = known,
		.value = value,
	};
	struct doorbell_watch_store store = {
		.physical = ((u64)doorbell->pfn << PAGE_SHIFT) + dw_doorbell_offset(),
		.at = doorbell->at,
		.value = value,
		.known = known,
	};

	dw_count(doorbells);
	if (!known) {
		dw_count(undecoded);
	}
	atomic64_inc(&mapping->process->doorbells);
	DW_EMIT(mapping->process, doorbell, &event);
	rcu_read_lock();
	list_for_each_entry_rcu(client, &clients, list) {
		client->written(client, &store);
	}
	rcu_read_unlock();
}
