/* SPDX-License-Identifier: MIT */
/*
 * A thread reads a page while another replaces it. Each read must find one of the two
 * pages.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define ROUNDS 3000

static volatile char *page;
static atomic_bool done;

static void *read_all(void *unused)
{
	unsigned long wrong = 0;

	(void)unused;
	while (!done) {
		wrong += page[0] != 0;
	}
	return (void *)wrong;
}

int main(void)
{
	struct fake_map m = {
		.client = CLIENT, .device = DEVICE, .memory = SYS, .length = PAGE};
	pthread_t thread;
	void *wrong;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	m.fd = open("/dev/nvidiactl", O_RDWR);
	call(0x4e, &m, sizeof(m));
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	pthread_create(&thread, NULL, read_all, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		void *at = (void *)(uintptr_t)page;

		mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m.fd, 0);
	}
	done = true;
	pthread_join(thread, &wrong);
	printf("wrong %lu\n", (unsigned long)wrong);
	release(CLIENT);
	return 0;
}
