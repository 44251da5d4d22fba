/* SPDX-License-Identifier: MIT */
/* A mapping is split in two while a system call with its buffer in the mapping waits. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static char *sys;
static int ends[2];
static _Atomic pid_t reader;

static void *wait_for_byte(void *unused)
{
	(void)unused;
	reader = gettid();
	return read(ends[0], sys, 1) == 1 ? sys : NULL;
}

/* Waits until the thread sleeps, which it does only in the read of the byte. */
static void wait_until_asleep(void)
{
	char path[64];
	char text[256];
	const char *state;
	ssize_t n;

	do {
		int fd;

		usleep(1000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)reader);
		fd = open(path, O_RDONLY);
		n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
		text[n > 0 ? n : 0] = '\0';
		close(fd);
		state = strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

int main(void)
{
	pthread_t thread;
	volatile char *page;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	sys = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	if (pipe(ends) != 0 || pthread_create(&thread, NULL, wait_for_byte, NULL) != 0) {
		return 1;
	}
	wait_until_asleep();
	mprotect(sys + 2 * PAGE, 2 * PAGE, PROT_READ);
	if (write(ends[1], "b", 1) != 1) {
		return 1;
	}
	pthread_join(thread, NULL);
	page = sys;
	printf("%c\n", page[0]);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	page = sys + 2 * PAGE; /* another run, because the page was closed again */
	printf("%d\n", page[0]);
	release(CLIENT);
	return 0;
}
