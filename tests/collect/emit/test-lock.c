/* SPDX-License-Identifier: MIT */
/*
 * Threads that count while they hold the lock, an owner that takes the lock again, and a
 * forked child.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/preload/emit/lock.h"
#include "tests/suite.h"

#define THREADS 4
#define ROUNDS  20000

static unsigned long counted;

static void *count(void *argument)
{
	(void)argument;
	for (int i = 0; i < ROUNDS; i++) {
		if (kt_lock()) {
			counted++;
			kt_unlock(true);
		}
		if (i % 1024 == 0) {
			usleep(10); /* let other threads sleep on the lock sometimes */
		}
	}
	return NULL;
}

static void excludes_other_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, count, NULL);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	CU_ASSERT_EQUAL(counted, (unsigned long)THREADS * ROUNDS);
}

static atomic_bool held;

static void *hold(void *argument)
{
	(void)argument;
	kt_lock();
	held = true;
	usleep(50000);
	counted = 77;
	kt_unlock(true);
	return NULL;
}

static void waits_asleep(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold, NULL);
	/* On a busy machine, the thread may take long to start. */
	while (!held) {
		usleep(100);
	}
	CU_ASSERT_TRUE(kt_lock());
	CU_ASSERT_EQUAL(counted, 77);
	kt_unlock(true);
	pthread_join(thread, NULL);
}

static void names_the_owner(void)
{
	CU_ASSERT_TRUE(kt_lock());
	CU_ASSERT_FALSE(kt_lock());
	kt_unlock(true);
	CU_ASSERT_TRUE(kt_lock());
	kt_unlock(true);
}

static void is_free_in_a_child(void)
{
	int status = 0;
	pid_t child;

	kt_lock();
	child = fork();
	if (child == 0) {
		kt_lock_after_fork();
		_exit(kt_tid() == (uint32_t)getpid() && kt_lock() ? 7 : 1);
	}
	kt_unlock(true);
	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 7);
}

static _Atomic int phase;

/*
 * A thread that is cancelled while it holds the lock. The cancellation takes effect only
 * after the lock is released.
 */
static void *be_cancelled(void *type)
{
	int before;

	pthread_setcanceltype(*(const int *)type, &before);
	kt_lock();
	phase = 1;
	while (phase == 1) {
		usleep(100);
	}
	usleep(100);
	phase = 3;
	kt_unlock(true);
	for (;;) {
		usleep(100);
	}
	return NULL;
}

static void keeps_its_owner(void)
{
	const int types[] = {PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS};

	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		void *result = NULL;

		phase = 0;
		pthread_create(&thread, NULL, be_cancelled, (void *)(uintptr_t)&types[i]);
		while (phase == 0) {
			usleep(100);
		}
		pthread_cancel(thread);
		phase = 2;
		pthread_join(thread, &result);
		CU_ASSERT_EQUAL(phase, 3);
		CU_ASSERT_TRUE(result == PTHREAD_CANCELED);
		CU_ASSERT_TRUE(kt_lock());
		kt_unlock(true);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"excludes other threads", excludes_other_threads},
		{"sleeps while waiting", waits_asleep},
		{"names the owner", names_the_owner},
		{"is free in a child", is_free_in_a_child},
		{"keeps its owner", keeps_its_owner},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("lock", tests);
}
