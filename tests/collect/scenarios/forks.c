/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <pthread.h>
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
static volatile char *shared;

/* First events of threads, allocations and mappings while another thread forks. */
static void *busy(void *argument)
{
	volatile char *mapped = shared + (uintptr_t)argument * PAGE;

	while (!stop) {
		void *memory = malloc(1 << 20);
		void *pages =
			mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mapped[0]++;
		munmap(pages, PAGE);
		free(memory);
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
