// SPDX-License-Identifier: GPL-2.0
#include "watch/mapping/follow.h"

#include <linux/slab.h>

#include "watch/access/run.h"
#include "watch/doorbell/watch.h"
#include "watch/faults/faults.h"
#include "watch/state/process.h"

struct pending {
	struct list_head list;
	/* Weak: the task that has changed the mapping and emits the event; only compared */
	const struct task_struct *task;
	struct dw_mapping *mapping; /* holds a reference */
	/* true: mremap has created the mapping; false: part of the mapping was unmapped */
	bool moved;
	unsigned long address;
	unsigned long length;
};

struct emission {
	struct dw_deferred work;
	struct work_struct later; /* used if the task cannot run deferred work */
	const struct task_struct *task;
	struct dw_process *process; /* holds a reference */
};

/* --- events --- */

static void emit_unmapped(struct dw_mapping *mapping, unsigned long address,
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

static void emit_moved(struct dw_mapping *mapping)
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

static void emit_of(struct dw_process *process, const struct task_struct *task)
{
	struct pending *pending;
	struct pending *next;
	LIST_HEAD(mine);

	mutex_lock(&process->lock);
	list_for_each_entry_safe(pending, next, &process->pending, list) {
		if (pending->task == task) {
			list_move_tail(&pending->list, &mine);
		}
	}
	mutex_unlock(&process->lock);
	if (list_empty(&mine)) {
		return;
	}
	dw_run_end(process);
	list_for_each_entry_safe(pending, next, &mine, list) {
		struct dw_mapping *mapping = pending->mapping;

		if (pending->moved) {
			emit_moved(mapping);
		} else {
			emit_unmapped(mapping, pending->address, pending->length);
		}
		dw_mapping_put(mapping);
		kfree(pending);
	}
}

void dw_pending_emit(struct dw_process *process)
{
	emit_of(process, current);
}

/* --- pending events --- */

static void emit_all(struct emission *emission)
{
	emit_of(emission->process, emission->task);
	dw_process_put(emission->process);
	kfree(emission);
}

static void emit_deferred(struct dw_deferred *work)
{
	emit_all(container_of(work, struct emission, work));
}

static void emit_later(struct work_struct *work)
{
	emit_all(container_of(work, struct emission, later));
}

/*
 * Adds an event of the current task. If the last pending event is an unmapped piece of the
 * same task and mapping, and a new unmapped piece begins where that piece ends, the pieces
 * are joined. Otherwise, unmapped pieces are ordered by address, even if the kernel unmaps
 * them in another order, such as the target range of an mremap before the source.
 */
static void add(struct dw_mapping *mapping, unsigned long address, unsigned long length,
		bool moved)
{
	struct dw_process *process = mapping->process;
	struct pending *pending = kzalloc(sizeof(*pending), GFP_KERNEL | __GFP_NOFAIL);
	struct list_head *position;
	struct emission *emission;

	pending->task = current;
	pending->mapping = mapping;
	pending->address = address;
	pending->length = length;
	pending->moved = moved;
	mutex_lock(&process->lock);
	position = process->pending.prev;
	if (!moved && position != &process->pending) {
		struct pending *last = list_entry(position, struct pending, list);

		if (last->task == current && !last->moved && last->mapping == mapping &&
		    last->address + last->length == address) {
			last->length += length;
			mutex_unlock(&process->lock);
			kfree(pending);
			return;
		}
	}
	dw_mapping_get(mapping);
	while (!moved && position != &process->pending) {
		const struct pending *before = list_entry(position, struct pending, list);

		if (before->moved || before->address < address) {
			break;
		}
		position = position->prev;
	}
	list_add(&pending->list, position);
	mutex_unlock(&process->lock);
	emission = kzalloc(sizeof(*emission), GFP_KERNEL | __GFP_NOFAIL);
	dw_process_get(process);
	emission->process = process;
	emission->task = current;
	if (dw_defer(current, &emission->work, emit_deferred)) {
		/*
		 * A kernel thread or an exiting task has unmapped the piece. A worker emits
		 * the event, which therefore has the worker's tid.
		 */
		INIT_WORK(&emission->later, emit_later);
		queue_work(dw_workers, &emission->later);
	}
}

void dw_pending_unmapped(struct dw_mapping *mapping, unsigned long address,
			 unsigned long length)
{
	add(mapping, address, length, false);
}

void dw_pending_moved(struct dw_mapping *mapping)
{
	add(mapping, mapping->base, mapping->length, true);
}
