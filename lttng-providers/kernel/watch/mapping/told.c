// SPDX-License-Identifier: GPL-2.0
#include "watch/mapping/follow.h"

#include <linux/slab.h>

#include "watch/access/run.h"
#include "watch/doorbell/watch.h"
#include "watch/faults/faults.h"
#include "watch/state/process.h"

struct untold {
	struct list_head list;
	const struct task_struct *task; /* that did it, and tells of it; only compared */
	struct dw_mapping *mapping;     /* a reference */
	bool moved;                     /* made by mremap; else a part of it is gone */
	unsigned long address;
	unsigned long length;
};

struct telling {
	struct dw_deferred work;
	struct work_struct later; /* where no task can */
	const struct task_struct *task;
	struct dw_process *process; /* a reference */
};

/* --- the events --- */

static void tell_gone(struct dw_mapping *mapping, unsigned long address,
		      unsigned long length)
{
	struct kt_event_munmap raw = {
		.mapping = mapping->ordinal,
		.address = address,
		.length = length,
	};
	struct kt_event_unmap event = {
		.space = mapping->memory.space,
		.mapping = mapping->ordinal,
		.address = address,
		.length = length,
		.client = mapping->memory.client,
		.object = mapping->memory.object,
	};

	DW_EMIT(mapping->process, munmap, &raw);
	DW_EMIT(mapping->process, unmap, &event);
}

static void tell_moved(struct dw_mapping *mapping)
{
	struct kt_event_map event = {
		.device = "",
		.space = mapping->memory.space,
		.address = mapping->base,
		.length = mapping->length,
		.client = mapping->memory.client,
		.object = mapping->memory.object,
		.class_ = mapping->memory.class_,
	};

	mapping->ordinal = atomic_inc_return(&mapping->process->mappings);
	event.mapping = mapping->ordinal;
	DW_EMIT(mapping->process, map, &event);
	dw_mapping_trace_accesses(mapping);
	dw_watch_open(mapping);
}

static void tell_of(struct dw_process *process, const struct task_struct *task)
{
	struct untold *untold;
	struct untold *next;
	LIST_HEAD(mine);

	mutex_lock(&process->lock);
	list_for_each_entry_safe(untold, next, &process->untold, list) {
		if (untold->task == task) {
			list_move_tail(&untold->list, &mine);
		}
	}
	mutex_unlock(&process->lock);
	if (list_empty(&mine)) {
		return;
	}
	dw_run_end(process);
	list_for_each_entry_safe(untold, next, &mine, list) {
		struct dw_mapping *mapping = untold->mapping;

		if (untold->moved) {
			tell_moved(mapping);
		} else {
			tell_gone(mapping, untold->address, untold->length);
		}
		dw_mapping_put(mapping);
		kfree(untold);
	}
}

void dw_told_tell(struct dw_process *process)
{
	tell_of(process, current);
}

/* --- until then --- */

static void tell_all(struct telling *telling)
{
	tell_of(telling->process, telling->task);
	dw_process_put(telling->process);
	kfree(telling);
}

static void tell(struct dw_deferred *work)
{
	tell_all(container_of(work, struct telling, work));
}

static void tell_later(struct work_struct *work)
{
	tell_all(container_of(work, struct telling, later));
}

/*
 * A piece that goes on where the task's last piece of the same mapping has ended joins it.
 * Pieces that are gone are told by address, also where the kernel takes what lies in the
 * way of an mremap before what moves.
 */
static void add(struct dw_mapping *mapping, unsigned long address, unsigned long length,
		bool moved)
{
	struct dw_process *process = mapping->process;
	struct untold *untold = kzalloc(sizeof(*untold), GFP_KERNEL | __GFP_NOFAIL);
	struct list_head *place;
	struct telling *telling;

	untold->task = current;
	untold->mapping = mapping;
	untold->address = address;
	untold->length = length;
	untold->moved = moved;
	mutex_lock(&process->lock);
	place = process->untold.prev;
	if (!moved && place != &process->untold) {
		struct untold *last = list_entry(place, struct untold, list);

		if (last->task == current && !last->moved && last->mapping == mapping &&
		    last->address + last->length == address) {
			last->length += length;
			mutex_unlock(&process->lock);
			kfree(untold);
			return;
		}
	}
	dw_mapping_get(mapping);
	while (!moved && place != &process->untold) {
		const struct untold *before = list_entry(place, struct untold, list);

		if (before->moved || before->address < address) {
			break;
		}
		place = place->prev;
	}
	list_add(&untold->list, place);
	mutex_unlock(&process->lock);
	telling = kzalloc(sizeof(*telling), GFP_KERNEL | __GFP_NOFAIL);
	dw_process_get(process);
	telling->process = process;
	telling->task = current;
	if (dw_defer(current, &telling->work, tell)) {
		/* Unmapped by a task of the kernel's: its tid will be another such. */
		INIT_WORK(&telling->later, tell_later);
		queue_work(dw_workers, &telling->later);
	}
}

void dw_told_gone(struct dw_mapping *mapping, unsigned long address, unsigned long length)
{
	add(mapping, address, length, false);
}

void dw_told_moved(struct dw_mapping *mapping)
{
	add(mapping, mapping->base, mapping->length, true);
}
