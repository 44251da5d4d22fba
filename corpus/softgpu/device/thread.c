/* SPDX-License-Identifier: MIT */
/*
 * The device's thread. Nothing tells it of a store to a page, so it polls. What it looks at
 * is GP_PUT of every channel: a doorbell store may be overwritten by the next before
 * anyone sees it, and one that is seen says no more than GP_PUT does, so the doorbell's
 * word is not looked at. Less and less often while there is nothing to do.
 */
#define _GNU_SOURCE
#include "corpus/softgpu/device/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "corpus/softgpu/device/system.h"

#define SPINS       64     /* looks with sched_yield after work */
#define SLEEP_FIRST 20000u /* nanoseconds */
#define SLEEP_LAST  500000u
#define LET_THROUGH 256 /* looks at whether those who want the lock have it */

#define SIGNAL_SET_BYTES 8
/* Signals that glibc uses among threads (setuid waits for all to answer): never blocked. */
#define SIGNALS_OF_LIBC (UINT64_C(3) << 31)

void kt_gpu_use_steps(struct kt_gpu *gpu)
{
	gpu->steps = true;
}

/* Those who wait for the lock are let through: a mutex alone would not be fair. */
static void let_others(struct kt_gpu *gpu)
{
	for (int i = 0; i < LET_THROUGH && atomic_load(&gpu->waiting); i++) {
		kt_system_yield();
	}
}

bool kt_gpu_step(struct kt_gpu *gpu, uint64_t *wake)
{
	bool worked = false;
	uint64_t first = UINT64_MAX;

	kt_gpu_show_time(gpu);
	(void)pthread_mutex_lock(&gpu->lock);
	worked = kt_gpu_transfer_serve(gpu);
	for (size_t i = 0; i < gpu->channels_end && !atomic_load(&gpu->stop); i++) {
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
		if (atomic_load(&gpu->waiting)) {
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
		kt_system_yield();
		return;
	}
	if (wake != UINT64_MAX) {
		now = kt_gpu_time();
		left = wake > now ? wake - now : 0;
	}
	if (left < SLEEP_FIRST) {
		kt_system_yield();
		return;
	}
	kt_system_sleep(*sleep < left ? *sleep : left);
	*sleep = *sleep * 2 < SLEEP_LAST ? *sleep * 2 : SLEEP_LAST;
}

static void *run(void *argument)
{
	struct kt_gpu *gpu = argument;
	uint64_t sleep = SLEEP_FIRST;
	unsigned idle = 0;

	while (!atomic_load(&gpu->stop)) {
		uint64_t wake = UINT64_MAX;

		if (kt_gpu_step(gpu, &wake)) {
			idle = 0;
		} else {
			idle = idle <= SPINS ? idle + 1 : idle;
			rest(idle, &sleep, wake);
		}
	}
	return NULL;
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static create_function *_Atomic create;

/*
 * Not by way of whoever took the symbol over before us: it is no thread of the program's.
 * When the library is loaded, as looking takes the loader's lock: another thread may hold
 * that and wait for a lock which the device's caller holds.
 */
__attribute__((constructor)) static void find_create(void)
{
#ifdef KT_SANITIZED
	create = pthread_create; /* a sanitizer's, which has to know of it */
#else
	void *symbol = dlsym(RTLD_NEXT, "pthread_create");
	create_function *function = pthread_create;

	if (symbol) {
		memcpy(&function, &symbol, sizeof(function));
	}
	create = function;
#endif
}

int kt_gpu_start(struct kt_gpu *gpu)
{
	uint64_t all = ~SIGNALS_OF_LIBC;
	uint64_t before = 0;
	int error = 0;

	if (gpu->steps || gpu->runs) {
		return 0;
	}
	if (!create) {
		find_create(); /* a constructor that came before ours */
	}
	(void)KT_KERNEL(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)(uintptr_t)&all,
			(long)(uintptr_t)&before, SIGNAL_SET_BYTES, 0, 0);
	error = create(&gpu->thread, NULL, run, gpu);
	(void)KT_KERNEL(SYS_rt_sigprocmask, 2, (long)(uintptr_t)&before, 0,
			SIGNAL_SET_BYTES, 0, 0);
	gpu->runs = !error;
	return -error;
}
