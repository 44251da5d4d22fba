/* SPDX-License-Identifier: MIT */
/* The first thread exits, and later the last one, which ends the process. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static pthread_key_t key;

static void say(void *what)
{
	printf("%s has left\n", (const char *)what);
}

static void *go_on(void *unused)
{
	(void)unused;
	pthread_setspecific(key, "the last thread");
	usleep(100000);
	run_submit();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&key, say);
	pthread_setspecific(key, "the first thread");
	pthread_create(&thread, NULL, go_on, NULL);
	pthread_exit(NULL);
}
