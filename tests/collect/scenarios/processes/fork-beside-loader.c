/* SPDX-License-Identifier: MIT */
/*
 * Forks while other threads use the loader. The children do not need the loader, and the
 * recorder must not use it in them either.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define FORKS 24

/*
 * Loading a library allocates, and a child under the address sanitizer can hang in an
 * allocation (fork-beside-writers.c). Under the thread sanitizer, a child hangs because
 * LTTng's dlopen waits there for the sanitizer's list of libraries.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MAY_LOAD false
#else
#define MAY_LOAD true
#endif

static volatile int stop;
static _Atomic int begun;

static int find_headers(struct dl_phdr_info *info, size_t size, void *headers)
{
	(void)size;
	*(unsigned *)headers += info->dlpi_phnum;
	return 0;
}

/*
 * Holds the lock of the loader's list of libraries most of the time. In a forked child,
 * libc leaves that lock taken.
 */
static void *list_libraries(void *unused)
{
	begun++;
	while (!stop) {
		unsigned headers = 0;

		dl_iterate_phdr(find_headers, &headers);
	}
	return unused;
}

static void *load_libraries(void *unused)
{
	begun++;
	while (MAY_LOAD && !stop) {
		void *library = dlopen("libanl.so.1", RTLD_NOW);

		if (library) {
			dlclose(library);
		}
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	int sum = 0;

	set_up();
	fflush(stdout);
	pthread_create(&threads[0], NULL, list_libraries, NULL);
	pthread_create(&threads[1], NULL, load_libraries, NULL);
	while (begun < 2) {
		sched_yield();
	}
	for (int i = 0; i < FORKS; i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			release(DEVICE);
			_exit(1);
		}
		waitpid(child, &status, 0);
		sum += WEXITSTATUS(status);
	}
	stop = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("children gave %d\n", sum);
	release(CLIENT);
	return 0;
}
