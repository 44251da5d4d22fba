/* SPDX-License-Identifier: MIT */
/* The device's thread as one of the process, and its clock. */
#define _GNU_SOURCE
#include "corpus/softgpu/device/engine.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "corpus/softgpu/device/system.h"

#define SIGNAL_SET_BYTES 8
/* Signals that glibc uses among threads (setuid waits for all to answer): never blocked. */
#define SIGNALS_OF_LIBC (UINT64_C(3) << 31)

void kt_gpu_yield(void)
{
	kt_system_yield();
}

void kt_gpu_sleep(uint64_t nanoseconds)
{
	kt_system_sleep(nanoseconds);
}

static void *run(void *argument)
{
	kt_gpu_run(argument);
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

void kt_gpu_join(struct kt_gpu *gpu)
{
	(void)pthread_join(gpu->thread, NULL);
}

uint64_t kt_gpu_time(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
