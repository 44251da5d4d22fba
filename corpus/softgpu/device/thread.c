/* SPDX-License-Identifier: MIT */
/*
 * The device's thread. Nothing tells it of a store to a page, so it polls. What it looks at
 * is GP_PUT of every channel: a doorbell store may be overwritten by the next before
 * anyone sees it, and one that is seen says no more than GP_PUT does, so the doorbell's
 * word is not looked at. Less and less often while there is nothing to do.
 */
#include "corpus/softgpu/device/engine.h"

#define SPINS       64     /* looks with a yield between, after work */
#define SLEEP_FIRST 20000u /* nanoseconds */
#define SLEEP_LAST  500000u
#define LET_THROUGH 256 /* looks at whether those who want the lock have it */

void kt_gpu_use_steps(struct kt_gpu *gpu)
{
	gpu->steps = true;
}

/* Those who wait for the lock are let through: a mutex alone would not be fair. */
static void let_others(struct kt_gpu *gpu)
{
	for (int i = 0; i < LET_THROUGH && __atomic_load_n(&gpu->waiting, __ATOMIC_ACQUIRE);
	     i++) {
		kt_gpu_yield();
	}
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
		if (__atomic_load_n(&gpu->waiting, __ATOMIC_ACQUIRE)) {
			(void)pthread_mutex_unlock(&gpu->lock);
			let_others(gpu);
			(void)pthread_mutex_lock(&gpu->lock);
		}
	}
	(void)pthread_mutex_unlock(&gpu->lock);
	if (wake) {
		*wake = first;
	}
	return worked;
}

static void rest(unsigned idle, uint64_t *sleep, uint64_t wake)
{
	uint64_t now = 0;
	uint64_t left = UINT64_MAX;

	if (idle <= SPINS) {
		*sleep = SLEEP_FIRST;
		kt_gpu_yield();
		return;
	}
	if (wake != UINT64_MAX) {
		now = kt_gpu_time();
		left = wake > now ? wake - now : 0;
	}
	if (left < SLEEP_FIRST) {
		kt_gpu_yield();
		return;
	}
	kt_gpu_sleep(*sleep < left ? *sleep : left);
	*sleep = *sleep * 2 < SLEEP_LAST ? *sleep * 2 : SLEEP_LAST;
}

void kt_gpu_run(struct kt_gpu *gpu)
{
	uint64_t sleep = SLEEP_FIRST;
	unsigned idle = 0;

	while (!__atomic_load_n(&gpu->stop, __ATOMIC_ACQUIRE)) {
		uint64_t wake = UINT64_MAX;

		if (kt_gpu_step(gpu, &wake)) {
			idle = 0;
		} else {
			idle = idle <= SPINS ? idle + 1 : idle;
			rest(idle, &sleep, wake);
		}
	}
}
