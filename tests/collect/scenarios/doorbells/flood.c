/* SPDX-License-Identifier: MIT */
/*
 * Many submissions in two halves. If the argument names a folder, the halves wait for the
 * test: the program creates "ready" there, waits for "go", submits the first half, creates
 * "half", waits for "on" and submits the second half.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define PATIENCE_MS 120000

static const char *folder;

static const char *path_of(char path[static 4096], const char *name)
{
	snprintf(path, 4096, "%s/%s", folder, name);
	return path;
}

static void meet(const char *say, const char *await)
{
	struct timespec pause = {.tv_nsec = 10000000};
	char path[4096];

	if (!folder) {
		return;
	}
	close(open(path_of(path, say), O_CREAT | O_WRONLY, 0666));
	for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
		if (access(path_of(path, await), F_OK) == 0) {
			return;
		}
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;

	folder = argc > 2 ? argv[2] : NULL;
	set_up();
	meet("ready", "go");
	submit(n);
	meet("half", "on");
	submit(n);
	release(CLIENT);
	return 5;
}
