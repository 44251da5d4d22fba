/* SPDX-License-Identifier: MIT */
/*
 * Several processes write one doorbell: family SAID. A process that has mapped the doorbell
 * forks, and parent and children write at the same time. Other writers are a child of a
 * thread of a child, `burst` executed after fork and after vfork, a process that shares all
 * memory without being a thread, and a child after vfork.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>

#include "bare.h"

#define STORES 200

static const char *path;
static doorbell_reg *doorbell;
static struct bare_ring *rings[BARE_CHANNELS];

static void ring_all(unsigned channel)
{
	struct said said;

	said_begin(&said, STORES);
	for (uint32_t i = 1; i <= STORES; i++) {
		bare_put(rings[channel], i);
		ring_doorbell(&said, doorbell, BARE_TOKEN(i, channel));
	}
	bare_await(rings[channel], channel, STORES);
	said_write(&said, path, "");
	free(said.values);
}

static void exec_burst(const char *channel)
{
	execlp("burst", "burst", path, "100", channel, (char *)NULL);
	fail("exec burst: %s", strerror(errno));
}

static void *run_thread(void *nothing)
{
	pid_t child = fork();

	if (child == 0) {
		ring_all(2);
		_exit(0);
	}
	wait_for(child);
	return nothing;
}

static int ring_beside(void *channel)
{
	ring_all(*(unsigned *)channel);
	return 0;
}

/*
 * Lets other processes write the doorbell: one that shares all memory without being a
 * thread of this process, and a child after vfork.
 */
static void ring_with_another(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	static unsigned channel = 3;
	pid_t child =
		clone(ring_beside, stack + sizeof(stack), CLONE_VM | SIGCHLD, &channel);

	if (child < 0) {
		fail("clone: %s", strerror(errno));
	}
	wait_for(child);
	child = vfork();
	if (child == 0) {
		ring_all(4);
		_exit(0);
	}
	wait_for(child);
}

static void run_child(void)
{
	pthread_t thread;
	pid_t child;

	ring_all(1);
	pthread_create(&thread, NULL, run_thread, NULL);
	pthread_join(thread, NULL);
	child = vfork();
	if (child == 0) {
		exec_burst("3");
	}
	wait_for(child);
	exec_burst("4");
}

int main(int argc, char **argv)
{
	char *spawned[] = {"burst", argv[argc - 1], "100", "5", NULL};
	pid_t child;
	pid_t other;
	int fd;

	if (argc != 2) {
		fail("usage: family SAID");
	}
	path = argv[1];
	fd = bare_open();
	for (unsigned i = 0; i < BARE_CHANNELS; i++) {
		rings[i] = bare_ring(fd, i);
	}
	doorbell = bare_doorbell(bare_map(fd, 1, 0));
	ring_all(0);
	child = fork();
	if (child == 0) {
		run_child();
	}
	ring_all(6);
	if (posix_spawnp(&other, "burst", NULL, NULL, spawned, environ) != 0) {
		fail("spawn burst");
	}
	wait_for(other);
	wait_for(child);
	ring_with_another();
	ring_all(7);
	return 0;
}
