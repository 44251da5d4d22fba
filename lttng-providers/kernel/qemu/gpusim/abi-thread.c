// SPDX-License-Identifier: GPL-2.0
/* The device's thread: one of the kernel's. */
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "corpus/softgpu/device/engine.h"

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
	gpu->thread = get_task_struct(task); /* it may end before it is waited for */
	gpu->runs = true;
	return 0;
}

void kt_gpu_join(struct kt_gpu *gpu)
{
	kthread_stop(gpu->thread);
	put_task_struct(gpu->thread);
}
