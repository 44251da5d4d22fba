// SPDX-License-Identifier: GPL-2.0
#include "watch/base/zap.h"

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

struct zapper {
	struct list_head list;
	const struct task_struct *task;
};

static LIST_HEAD(zappers);
static DEFINE_SPINLOCK(lock);

void dw_zap(struct vm_area_struct *vma, unsigned long start, unsigned long length)
{
	struct zapper self = {.task = current};

	spin_lock(&lock);
	list_add(&self.list, &zappers);
	spin_unlock(&lock);
	zap_vma_ptes(vma, start, length);
	spin_lock(&lock);
	list_del(&self.list);
	spin_unlock(&lock);
}

bool dw_zap_is_ours(void)
{
	const struct zapper *zapper;
	bool found = false;

	spin_lock(&lock);
	list_for_each_entry(zapper, &zappers, list) {
		found = found || zapper->task == current;
	}
	spin_unlock(&lock);
	return found;
}
