/* SPDX-License-Identifier: MIT */
/*
 * The device's thread. It is not notified of stores, so it polls, at growing intervals
 * while idle. It polls GP_PUT of every channel and ignores the doorbell: a doorbell store
 * may be overwritten before the thread reads it, and carries no more information than
 * GP_PUT.
 */
#include "corpus/softgpu/device/engine.h"

#define SPINS       64     /* polls before the first sleep, with yields in between */
#define SLEEP_FIRST 20000u /* nanoseconds */
#define SLEEP_LAST  500000u
#define LET_THROUGH 256 /* maximum number of yields in a row for waiting callers */

void kt_gpu_use_steps(struct kt_gpu *gpu)
{
	gpu->steps = true;
}

bool kt_gpu_step(struct kt_gpu *gpu, uint64_t *wake)
{
	bool worked = false;
	uint64_t first = UINT64_MAX;

	kt_gpu_show_time(gpu);
	(void)pthread_mutex_lock(&gpu->lock);
	worked = kt_gpu_transfer_serve(gpu);
	for (size_t i = 0;
	     i < gpu->channels_end && !__atomic_load_n(&gpu->stop, __ATOMIC_ACQUIRE); i++) {
		struct kt_gpu_channel *channel = gpu->channels[i];

		if (!channel) {
			continue;
		}
		if (kt_gpu_channel_turn(channel) == KT_GPU_WORKED) {
			worked = true;
			kt_gpu_show_time(gpu);
		} else if (channel->wake < first) {
			first = channel->wake;
		}
		/*
		 * Lets waiting callers take the lock. Without the yields, this thread could
		 * lock the mutex again before they run.
		 */
		if (__atomic_load_n(&gpu->waiting, __ATOMIC_ACQUIRE)) {
			(void)pthread_mutex_unlock(&gpu->lock);
			for (int j = 0; j < LET_THROUGH &&
					__atomic_load_n(&gpu->waiting, __ATOMIC_ACQUIRE);
			     j++) {
				kt_gpu_yield();
			}
			(void)pthread_mutex_lock(&gpu->lock);
		}
	}
	(void)pthread_mutex_unlock(&gpu->lock);
	if (wake) {
		*wake = first;
	}
	return worked;
}

void kt_gpu_run(struct kt_gpu *gpu)
{
	uint64_t sleep = SLEEP_FIRST;
	unsigned idle = 0;

	while (!__atomic_load_n(&gpu->stop, __ATOMIC_ACQUIRE)) {
		uint64_t wake = UINT64_MAX;
		uint64_t left = UINT64_MAX;

		if (kt_gpu_step(gpu, &wake)) {
			idle = 0;
			continue;
		}
		if (idle < SPINS) {
			idle++;
			sleep = SLEEP_FIRST;
			kt_gpu_yield();
			continue;
		}
		if (wake != UINT64_MAX) {
			uint64_t now = kt_gpu_time();

			left = wake > now ? wake - now : 0;
		}
		if (left < SLEEP_FIRST) {
			kt_gpu_yield();
			continue;
		}
		kt_gpu_sleep(sleep < left ? sleep : left);
		sleep = sleep * 2 < SLEEP_LAST ? sleep * 2 : SLEEP_LAST;
	}
}
