/* SPDX-License-Identifier: MIT */
/*
 * The library that the scenario plugin loads. It forks while the loader's lock is held, and
 * submits later.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/* The constructor runs while the library is being loaded, so the loader's lock is held. */
static void *fork_once(void *unused)
{
	pid_t child = fork();

	(void)unused;
	if (child == 0) {
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fork_once, NULL) == 0) {
		pthread_join(thread, NULL);
	}
}

__attribute__((visibility("default"))) void plugin_run(void);

void plugin_run(void)
{
	run_submit();
}
