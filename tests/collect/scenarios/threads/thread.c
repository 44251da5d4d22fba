/* SPDX-License-Identifier: MIT */
/*
 * A second thread submits. Its events belong to the process's word, like those of the first
 * thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

#include "tests/collect/scenarios/play.h"

static void *submit_in_thread(void *argument)
{
	submit(*(unsigned *)argument);
	return NULL;
}

int main(void)
{
	unsigned n = 2;
	pthread_t thread;

	set_up();
	pthread_create(&thread, NULL, submit_in_thread, &n);
	pthread_join(thread, NULL);
	release(CLIENT);
	return 0;
}
