// SPDX-License-Identifier: GPL-2.0
/* What the device uses of the kernel: its heap, its clock and its kernel thread. */
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "corpus/softgpu/device/engine.h"
#include "corpus/softgpu/device/store.h"

#define MOST ((size_t)1 << 30) /* limit of an allocation, in bytes */

/* Header of an allocation; the caller's bytes follow it. */
struct kt_store_piece {
	size_t bytes; /* size that the caller requested */
	size_t unused;
};

void *kt_store_pages(size_t bytes)
{
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
}

void kt_store_give_pages(void *pages, size_t bytes)
{
	kvfree(pages);
}

void *kt_store_take(struct kt_store *store, size_t bytes)
{
	struct kt_store_piece *piece;

	if (bytes > MOST) {
		return NULL;
	}
	piece = kvzalloc(sizeof(*piece) + bytes, GFP_KERNEL_ACCOUNT);
	if (!piece) {
		return NULL;
	}
	piece->bytes = bytes;
	return piece + 1;
}

void kt_store_give(struct kt_store *store, void *given)
{
	if (given) {
		kvfree((struct kt_store_piece *)given - 1);
	}
}

void *kt_store_resize(struct kt_store *store, void *old, size_t bytes)
{
	size_t had = old ? ((struct kt_store_piece *)old)[-1].bytes : 0;
	void *grown;

	if (old && had >= bytes) {
		return old;
	}
	grown = kt_store_take(store, bytes);
	if (grown && old) {
		memcpy(grown, old, had);
		kt_store_give(store, old);
	}
	return grown;
}

/* Does nothing, because kt_store_give() frees each allocation. */
void kt_store_end(struct kt_store *store)
{
}

uint64_t kt_gpu_time(void)
{
	return ktime_get_ns();
}

void kt_gpu_yield(void)
{
	yield();
}

void kt_gpu_sleep(uint64_t nanoseconds)
{
	ktime_t time = ns_to_ktime(min_t(u64, nanoseconds, NSEC_PER_SEC));

	set_current_state(TASK_IDLE);
	schedule_hrtimeout(&time, HRTIMER_MODE_REL);
}

static int run(void *gpu)
{
	kt_gpu_run(gpu);
	return 0;
}

int kt_gpu_start(struct kt_gpu *gpu)
{
	struct task_struct *task;

	if (gpu->steps || gpu->runs) {
		return 0;
	}
	task = kthread_run(run, gpu, "gpusim/%d", current->tgid);
	if (IS_ERR(task)) {
		return PTR_ERR(task);
	}
	gpu->thread = get_task_struct(task); /* the thread may exit before kt_gpu_join() */
	gpu->runs = true;
	return 0;
}

void kt_gpu_join(struct kt_gpu *gpu)
{
	kthread_stop(gpu->thread);
	put_task_struct(gpu->thread);
}
