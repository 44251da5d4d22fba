// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/snapshot.h"

#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

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

void dw_snapshot_rang(const struct doorbell_watch_bell *bell)
{
	struct doorbell_watch_client *client;

	rcu_read_lock();
	list_for_each_entry_rcu(client, &clients, list) {
		client->rang(client, bell);
	}
	rcu_read_unlock();
}
