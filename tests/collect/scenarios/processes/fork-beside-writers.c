/* SPDX-License-Identifier: MIT */
/*
 * Threads emit their first events, allocate and map while another thread forks. No child
 * may hang.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define WRITERS 8
#define FORKS   12

static volatile int stop;
static _Atomic int begun;
static volatile char *shared;

/*
 * During a fork, GCC 12's address sanitizer does not hold the locks of its allocator and of
 * its list of threads. A child that needs such a lock waits for ever if another thread of
 * its parent held it, even without a recorder. Of children that allocated while threads
 * allocated, 1 in 30 waited. LTTng allocates and starts threads in each child.
 */
#ifdef __SANITIZE_ADDRESS__
static void allocate(void)
{
}
#else
static void allocate(void)
{
	void *volatile memory = malloc(1 << 20);

	free(memory);
}
#endif

/* Emits the thread's first events, allocates and maps until the end. */
static void *busy(void *argument)
{
	volatile char *mapped = shared + (uintptr_t)argument * PAGE;

	begun++;
	while (!stop) {
		void *pages =
			mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mapped[0]++;
		munmap(pages, PAGE);
		allocate();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[WRITERS];
	int sum = 0;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	shared = map(SYS, WRITERS * PAGE, PROT_READ | PROT_WRITE);
	for (uintptr_t i = 0; i < WRITERS; i++) {
		pthread_create(&threads[i], NULL, busy, (void *)i);
	}
	while (begun < WRITERS) {
		sched_yield();
	}
	fflush(stdout);
	for (int i = 0; i < FORKS; i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			release(DEVICE);
			_exit(i);
		}
		waitpid(child, &status, 0);
		sum += WEXITSTATUS(status);
	}
	stop = 1;
	for (int i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
	}
	printf("children gave %d\n", sum);
	release(CLIENT);
	return 0;
}
