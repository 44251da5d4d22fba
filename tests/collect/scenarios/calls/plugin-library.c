/* SPDX-License-Identifier: MIT */
/* What plugin loads: it forks while the loader has its lock taken, and submits later. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/* While a library is being loaded, the loader's lock is taken. */
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
