/* SPDX-License-Identifier: MIT */
/*
 * Waits for a device in all possible ways, which are recorded, and for other files, which
 * are not recorded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/* Exported by libc, but declared in no header. */
int __poll(struct pollfd *fds, nfds_t n, int timeout);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		const sigset_t *set, size_t size);
ssize_t __read_chk(int fd, void *p, size_t n, size_t buflen);

#define MANY 1000

static int device;
static int other[2];
static const struct timespec now = {0};
/* An unmapped address, volatile so that the compiler does not know it. */
static void *volatile nowhere = (void *)8;
static struct pollfd none[] = {{.fd = -1, .events = POLLIN}};

static void say(const char *what, long result)
{
	printf("%s %ld%s%s\n", what, result, result < 0 ? " " : "",
	       result < 0 ? strerror(errno) : "");
}

static void post(void)
{
	uint64_t one = 1;

	if (write(device, &one, sizeof(one)) != sizeof(one)) {
		exit(1);
	}
}

static uint64_t take(void)
{
	uint64_t count = 0;

	say("read", read(device, &count, sizeof(count)));
	return count;
}

static void *post_later(void *unused)
{
	usleep(30000);
	post();
	return unused;
}

static void by_poll(void)
{
	struct pollfd fds[MANY];
	pthread_t thread;

	for (int i = 0; i < MANY; i++) {
		fds[i] =
			(struct pollfd){.fd = i == 2 ? device : other[0], .events = POLLIN};
	}
	say("poll", poll(fds, 3, 0));
	post();
	say("poll", poll(fds, 3, -1));
	say("poll of many", poll(fds, MANY, -1));
	say("poll of others", poll(fds, 2, 0));
	say("__poll", __poll(fds, 3, 0));
	say("__poll_chk", __poll_chk(fds, 3, 0, sizeof(fds)));
	say("ppoll", ppoll(fds, 3, &now, NULL));
	say("__ppoll_chk", __ppoll_chk(fds, 3, &now, NULL, sizeof(fds)));
	say("poll nowhere", poll(nowhere, 3, 0));
	say("poll of none", poll(none, 1, 0));
	say("syscall poll", syscall(SYS_poll, fds, 3, 0));
	say("syscall ppoll", syscall(SYS_ppoll, fds, 3, &now, NULL, 8));
	say("syscall poll nowhere", syscall(SYS_poll, 8, 3, 0));
	take();
	pthread_create(&thread, NULL, post_later, NULL);
	say("poll", poll(fds, 3, -1));
	pthread_join(thread, NULL);
	take();
}

static void by_select(void)
{
	struct timeval zero = {0};
	fd_set others;
	fd_set set;

	FD_ZERO(&others);
	FD_SET(other[0], &others);
	FD_ZERO(&set);
	FD_SET(device, &set);
	say("select", select(device + 1, &set, NULL, NULL, &zero));
	FD_SET(device, &set);
	say("pselect", pselect(device + 1, NULL, &others, &set, &now, NULL));
	say("select of others", select(device + 1, &others, NULL, NULL, &zero));
	say("select nowhere", select(device + 1, nowhere, NULL, NULL, &zero));
	FD_ZERO(&set);
	FD_SET(device, &set);
	say("syscall select", syscall(SYS_select, device + 1, NULL, &set, NULL, &zero));
	FD_SET(device, &set);
	say("syscall pselect6",
	    syscall(SYS_pselect6, device + 1, NULL, &set, NULL, &now, NULL));
}

static void by_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0);

	say("add other", epoll_ctl(epoll, EPOLL_CTL_ADD, other[0], &event));
	say("epoll_wait for others", epoll_wait(epoll, &event, 1, 0));
	event.events = EPOLLIN;
	say("add", epoll_ctl(epoll, EPOLL_CTL_ADD, device, &event));
	say("add again", epoll_ctl(epoll, EPOLL_CTL_ADD, device, &event));
	say("epoll_wait", epoll_wait(epoll, &event, 1, 0));
	post();
	say("epoll_pwait", epoll_pwait(epoll, &event, 1, -1, NULL));
	say("epoll_pwait2", epoll_pwait2(epoll, &event, 1, &now, NULL));
	say("syscall epoll_wait", syscall(SYS_epoll_wait, epoll, &event, 1, 0));
	say("syscall epoll_pwait", syscall(SYS_epoll_pwait, epoll, &event, 1, 0, NULL, 8));
	take();
	say("delete", epoll_ctl(epoll, EPOLL_CTL_DEL, device, NULL));
	say("epoll_wait without", epoll_wait(epoll, &event, 1, 0));
	event.events = EPOLLIN;
	say("syscall add", syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, device, &event));
	say("epoll_wait", epoll_wait(epoll, &event, 1, 0));
	close(epoll);
	say("new epoll has the number", syscall(SYS_epoll_create1, 0) == epoll);
	say("epoll_wait of the new", epoll_wait(epoll, &event, 1, 0));
	close(epoll);
}

static void on_alarm(int number)
{
	(void)number;
}

static void by_read(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 30000}};
	struct sigaction action = {.sa_handler = on_alarm};
	uint64_t count;
	struct iovec part = {.iov_base = &count, .iov_len = sizeof(count)};

	post();
	say("readv", readv(device, &part, 1));
	post();
	say("__read_chk", __read_chk(device, &count, sizeof(count), sizeof(count)));
	post();
	say("syscall read", syscall(SYS_read, device, &count, sizeof(count)));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	say("read", read(device, &count, sizeof(count)));
	say("read of another", read(other[0], &count, 0));
}

int main(void)
{
	set_up();
	device = open(FAKE_EVENT_DEVICE, O_RDWR);
	if (device < 0 || pipe(other) != 0) {
		return 1;
	}
	by_poll();
	by_select();
	by_epoll();
	by_read();
	close(device);
	say("poll when it is closed", poll(none, 1, 0));
	return 0;
}
