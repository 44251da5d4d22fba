/* SPDX-License-Identifier: MIT */
/* Threads: what must be there before a signal handler of the recorder runs in one. */
#define _GNU_SOURCE
#include "collect/interpose-threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "collect/counters.h"
#include "collect/interpose.h"
#include "collect/lock.h"
#include "collect/real.h"
#include "collect/signals.h"

/*
 * Of liblttng-ust. Looked up once: a thread that asked the loader for it could wait for a
 * constructor that is waiting for the thread.
 */
static void (*lttng_init_thread)(void);

static pthread_key_t stack_key;
static bool has_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

struct thread_start {
	void *(*run)(void *);
	void *argument;
	uint64_t mask_memory;
};

static void free_stack(void *unused)
{
	(void)unused;
	kt_handler_stack_free();
}

static void make_key(void)
{
	has_key = pthread_key_create(&stack_key, free_stack) == 0;
}

/* Without a key nobody would free the stack, so there is none. */
static void make_stack(void)
{
	pthread_once(&key_once, make_key);
	if (has_key && pthread_setspecific(stack_key, &stack_key) == 0) {
		kt_handler_stack_make();
	}
}

void kt_threads_init(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "lttng_ust_init_thread");

	memcpy(&lttng_init_thread, &symbol, sizeof(symbol));
	if (!symbol) {
		kt_count(&kt_counters->setup_failures);
	}
}

/* LTTng must know a thread before a signal handler traces in it. */
static void *begin_thread(void *argument)
{
	struct thread_start start = *(struct thread_start *)argument;

	free(argument);
	kt_mask_remember(start.mask_memory);
	make_stack();
	if (lttng_init_thread) {
		lttng_init_thread();
	}
	kt_tid();
	return start.run(start.argument);
}

KT_INTERPOSE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
				void *(*run)(void *), void *argument)
{
	struct thread_start *start = malloc(sizeof(*start));
	int error;

	if (!start) {
		/* LTTng does not know the thread then, but the program has it. */
		kt_count(&kt_counters->setup_failures);
		return kt_real()->pthread_create(thread, attributes, run, argument);
	}
	start->run = run;
	start->argument = argument;
	start->mask_memory = kt_mask_memory();
	error = kt_real()->pthread_create(thread, attributes, begin_thread, start);
	if (error) {
		free(start);
	}
	return error;
}

/* libc's own calls its pthread_create directly, past ours. */
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
