/* SPDX-License-Identifier: MIT */
/*
 * Threads are cancelled while a system call holds watched memory open. The memory must be
 * watched again afterwards.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static char *memory;
static int pipes[2];

static void *wait_in_read(void *unused)
{
	(void)unused;
	memory[0] = (char)read(pipes[0], memory, PAGE);
	return NULL;
}

static void *wait_in_receive(void *unused)
{
	struct iovec part = {memory, PAGE};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	(void)unused;
	memory[0] = (char)recvmsg(pipes[0], &message, 0);
	return NULL;
}

static void cancel(void *(*run)(void *))
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, run, NULL);
	usleep(100000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
}

int main(void)
{
	set_up();
	socketpair(AF_UNIX, SOCK_STREAM, 0, pipes);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	memory = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	cancel(wait_in_read);
	memory[1] = 'a';
	release(DEVICE);
	cancel(wait_in_receive);
	memory[2] = 'b';
	printf("%c%c\n", memory[1], memory[2]);
	release(CLIENT);
	return 0;
}
