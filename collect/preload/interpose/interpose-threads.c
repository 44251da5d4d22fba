/* SPDX-License-Identifier: MIT */
/*
 * Prepares each thread for the recorder's signal handlers, and ends the process when the
 * program's last thread has left, because LTTng's threads never do.
 */
#define _GNU_SOURCE
#include "collect/preload/interpose/process-instance.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "collect/preload/emit/lock.h"
#include "collect/preload/handlers/signals.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/signals/signal-defer.h"

/*
 * Function of liblttng-ust, looked up at start. If a new thread looked it up, the thread
 * could wait for the loader's lock, held by a constructor that waits for the thread.
 */
static void (*lttng_init_thread)(void);

static pthread_key_t stack_key;
static bool has_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

struct thread_start {
	void *(*run)(void *);
	void *argument;
	uint64_t mask_memory;
	bool of_lttng;
};

/*
 * libc ends a process with exit(0) when its last thread has left (main by pthread_exit).
 * LTTng's threads never leave, so the recorder counts the program's threads and calls
 * exit(0) itself.
 */
static atomic_int n_threads = 1;
static atomic_int n_of_lttng;
static pthread_key_t end_key;

static void free_stack(void *unused)
{
	(void)unused;
	kt_deferred_abandon();
	if (!kt_process_is_stopped()) {
		kt_visit_finish();
		kt_handler_stack_free();
	}
}

/*
 * Returns whether only this thread and LTTng's threads are left. Waits up to 0.2 s, because
 * threads that have ended take a moment to disappear.
 */
static bool is_alone(void)
{
	static const char label[] = "Threads:";
	char text[4096];
	struct timespec pause = {.tv_nsec = 1000000};
	bool is_first = kt_tid() == (uint32_t)getpid();

	for (int tries = 0; tries < 200; tries++) {
		long fd = KT_KERNEL(SYS_open, "/proc/self/status", O_RDONLY | O_CLOEXEC);
		long n = KT_KERNEL(SYS_read, fd, text, sizeof(text) - 1);
		const char *line;

		KT_KERNEL(SYS_close, fd);
		text[n > 0 ? n : 0] = '\0';
		/* The kernel's number includes the first thread, even after it has left. */
		line = strstr(text, label);
		if ((line ? atoi(line + sizeof(label) - 1) : 0) ==
		    atomic_load(&n_of_lttng) + (is_first ? 1 : 2)) {
			return true;
		}
		KT_KERNEL(SYS_nanosleep, &pause, NULL);
	}
	return false; /* some thread that was created past the recorder is left */
}

/* Runs in the last round of a thread's destructors, after the program's destructors. */
static void end_thread(void *round)
{
	kt_deferred_abandon();
	if (kt_process_is_stopped()) {
		return;
	}
	if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(end_key, (void *)((uintptr_t)round + 1));
	} else if (atomic_fetch_sub(&n_threads, 1) == 1 && is_alone()) {
		exit(0);
	}
}

static void make_key(void)
{
	has_key = pthread_key_create(&stack_key, free_stack) == 0 &&
		  pthread_key_create(&end_key, end_thread) == 0;
}

static void expect_end(void)
{
	pthread_once(&key_once, make_key);
	if (!has_key || pthread_setspecific(end_key, (void *)1) != 0) {
		/* This thread's end will go unnoticed, so the count must never reach 0. */
		atomic_fetch_add(&n_threads, 1);
	}
}

bool kt_threads_alone(void)
{
	return atomic_load(&n_threads) == 1;
}

void kt_threads_after_fork(void)
{
	atomic_store(&n_threads, 1);
	atomic_store(&n_of_lttng, 0);
}

void kt_threads_init(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "lttng_ust_init_thread");

	memcpy(&lttng_init_thread, &symbol, sizeof(symbol));
	if (!symbol) {
		kt_count(&kt_counters->setup_failures);
	}
#ifndef __SANITIZE_THREAD__ /* TSan hides the creation of threads: they are not counted */
	expect_end();
#endif
}

/*
 * A forked child reuses the stacks of threads that exist only in its parent, while
 * AddressSanitizer's shadow still describes the old frames. The sanitizer itself clears the
 * shadow of a new thread's stack only after begin_thread(), and would until then report
 * accesses by the recorder and LTTng. As the shadow of this function's own frame is not
 * cleared either, its variables must not be on the stack.
 */
#ifdef __SANITIZE_ADDRESS__
static void clear_shadow(void)
{
	static _Thread_local pthread_attr_t attributes;
	static _Thread_local void *stack;
	static _Thread_local size_t bytes;

	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		if (pthread_attr_getstack(&attributes, &stack, &bytes) == 0) {
			__asan_unpoison_memory_region(stack, bytes);
		}
		pthread_attr_destroy(&attributes);
	}
}
#else
static void clear_shadow(void)
{
}
#endif

/* The thread must be registered with LTTng before a signal handler traces in it. */
__attribute__((noinline)) static void *run_thread(void *argument)
{
	struct thread_start start = *(struct thread_start *)argument;

	free(argument);
	if (start.of_lttng) {
		atomic_fetch_add(&n_of_lttng, 1);
	} else {
		expect_end();
	}
	kt_mask_remember(start.mask_memory);
	/*
	 * The handler stack is allocated only with a key: without one, it would never be
	 * freed.
	 */
	pthread_once(&key_once, make_key);
	if (has_key && pthread_setspecific(stack_key, &stack_key) == 0) {
		kt_handler_stack_make();
	}
	if (lttng_init_thread) {
		lttng_init_thread();
	}
	kt_tid();
	return start.run(start.argument);
}

static void *begin_thread(void *argument)
{
	clear_shadow();
	return run_thread(argument);
}

KT_INTERPOSE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
				void *(*run)(void *), void *argument)
{
	struct thread_start *start;
	int counted = !kt_tracer_has_code(__builtin_return_address(0));
	int error;

	if (kt_process_is_stopped()) {
		return kt_next()->pthread_create(thread, attributes, run, argument);
	}
	start = malloc(sizeof(*start));
	atomic_fetch_add(&n_threads, counted);
	if (!start) {
		/* The program gets a thread that is not registered with LTTng. */
		kt_count(&kt_counters->setup_failures);
		return kt_next()->pthread_create(thread, attributes, run, argument);
	}
	start->run = run;
	start->argument = argument;
	start->mask_memory = kt_mask_memory();
	start->of_lttng = !counted;
	error = kt_next()->pthread_create(thread, attributes, begin_thread, start);
	if (error) {
		atomic_fetch_sub(&n_threads, counted);
		free(start);
	}
	return error;
}

KT_INTERPOSE int pthread_cancel(pthread_t thread)
{
	if (kt_tracer_is_stopped(__builtin_return_address(0))) {
		return 0;
	}
	return kt_next()->pthread_cancel(thread);
}

/* libc's thrd_create does not call the interposed pthread_create, so it is replaced. */
struct c11_start {
	thrd_start_t run;
	void *argument;
};

static void *begin_c11(void *argument)
{
	struct c11_start start = *(struct c11_start *)argument;

	free(argument);
	return (void *)(intptr_t)start.run(start.argument);
}

KT_INTERPOSE int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
	struct c11_start *start = malloc(sizeof(*start));
	int error;

	if (!start) {
		return thrd_nomem;
	}
	start->run = run;
	start->argument = argument;
	error = pthread_create(thread, NULL, begin_c11, start);
	if (error) {
		free(start);
	}
	return error == 0 ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error;
}
