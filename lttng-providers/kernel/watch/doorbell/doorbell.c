// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/doorbell.h"

#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

#include "watch/base/counters.h"
#include "watch/state/door.h"
#include "watch/state/process.h"

static LIST_HEAD(clients);
static DEFINE_MUTEX(lock); /* of `clients`; readers have RCU */

int doorbell_watch_register(struct doorbell_watch_client *client)
{
	if (!client->rang) {
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

void dw_doorbell_rang(const struct dw_door *door, const char *by, unsigned long ip,
		      bool known, u32 value)
{
	struct dw_mapping *mapping = door->mapping;
	struct doorbell_watch_client *client;
	struct kt_event_doorbell event = {
		.by = by,
		.space = "reg",
		.mapping = mapping->ordinal,
		.offset = door->at - mapping->base,
		.ip = ip,
		.known = known,
		.value = value,
	};
	struct doorbell_watch_bell bell = {
		.physical = ((u64)door->pfn << PAGE_SHIFT) + dw_door_offset(),
		.at = door->at,
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
		client->rang(client, &bell);
	}
	rcu_read_unlock();
}
