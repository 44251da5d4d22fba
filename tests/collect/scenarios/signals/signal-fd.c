/* SPDX-License-Identifier: MIT */
/*
 * The program blocks signals that the recorder also uses, and reads them from descriptors.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static const int numbers[] = {SIGSEGV, SIGBUS, SIGTRAP};

static sigset_t set_of(int first, int second)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, first);
	if (second) {
		sigaddset(&set, second);
	}
	return set;
}

static void say(const char *what, const struct signalfd_siginfo *info)
{
	printf("%s: %u errno %d code %d self %d uid %d fd %d tid %d band %x overrun %u "
	       "int %d ptr %llx addr %llx\n",
	       what, info->ssi_signo, info->ssi_errno, info->ssi_code,
	       info->ssi_pid == (uint32_t)getpid(), info->ssi_uid == getuid(), info->ssi_fd,
	       info->ssi_tid != 0, info->ssi_band, info->ssi_overrun, info->ssi_int,
	       (unsigned long long)info->ssi_ptr, (unsigned long long)info->ssi_addr);
}

static void take(const char *what, int fd)
{
	struct signalfd_siginfo info;
	ssize_t n = read(fd, &info, sizeof(info));

	if (n != (ssize_t)sizeof(info)) {
		printf("%s: %zd %s\n", what, n, strerrorname_np(errno));
		return;
	}
	say(what, &info);
}

static int is_pending(int number)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, number);
}

/* --- one signal after the other --- */

static void reads(int number)
{
	sigset_t set = set_of(number, 0);
	int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);

	take("nothing yet", fd);
	kill(getpid(), number);
	printf("pending %d\n", is_pending(number));
	take("killed", fd);
	printf("pending %d\n", is_pending(number));
	sigqueue(getpid(), number, (union sigval){.sival_ptr = (void *)0x123456789a});
	kill(getpid(), number); /* not queued: a standard signal is pending only once */
	take("queued", fd);
	take("not twice", fd);
	raise(number);
	take("raised", fd);
	fcntl(fd, F_SETFL, 0);
	raise(number);
	take("blocking", fd);
	close(fd);
}

/* Returns whether both signals were read. Their order is unspecified. */
static int are_both(const struct signalfd_siginfo *infos, int number)
{
	uint32_t first = infos[0].ssi_signo;
	uint32_t second = infos[1].ssi_signo;

	return (first == (uint32_t)number && second == SIGUSR1) ||
	       (first == SIGUSR1 && second == (uint32_t)number);
}

static void many(int number)
{
	sigset_t set = set_of(number, SIGUSR1);
	struct signalfd_siginfo infos[4];
	struct iovec parts[2] = {{&infos[0], sizeof(infos[0])},
				 {&infos[1], sizeof(infos[1])}};
	int fd = (int)syscall(SYS_signalfd4, -1, &set, (size_t)8, SFD_NONBLOCK);
	long n;

	raise(SIGUSR1);
	raise(number);
	n = read(fd, infos, sizeof(infos));
	printf("many %ld: both %d\n", n, are_both(infos, number));
	raise(number);
	n = syscall(SYS_read, fd, infos, sizeof(infos));
	say("raw", &infos[0]);
	raise(SIGUSR1);
	raise(number);
	n = readv(fd, parts, 2);
	printf("vector %ld: both %d\n", n, are_both(infos, number));
	raise(number);
	n = syscall(SYS_readv, fd, parts, 2L);
	say("raw vector", &infos[0]);
	errno = 0;
	n = read(fd, infos, 64);
	printf("too small %ld %s\n", n, strerrorname_np(errno));
	close(fd);
}

static void mistakes(int number)
{
	sigset_t set = set_of(number, 0);
	int error;

	printf("flags %d", signalfd(-1, &set, 1));
	error = errno;
	printf(" %s, descriptor", strerrorname_np(error));
	printf(" %d", signalfd(0, &set, 0));
	error = errno;
	printf(" %s, size", strerrorname_np(error));
	printf(" %ld", syscall(SYS_signalfd4, -1, &set, (size_t)4, 0));
	error = errno;
	printf(" %s, set", strerrorname_np(error));
	printf(" %ld", syscall(SYS_signalfd4, -1, (void *)8, (size_t)8, 0));
	error = errno;
	printf(" %s\n", strerrorname_np(error));
}

/* --- several descriptors, and other masks --- */

static int poll_now(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	return poll(&one, 1, 0) == 1 ? one.revents : 0;
}

static void several(int number)
{
	int other = number == SIGTRAP ? SIGSEGV : SIGTRAP;
	sigset_t mine = set_of(number, 0);
	sigset_t theirs = set_of(other, 0);
	int fds[] = {signalfd(-1, &mine, SFD_NONBLOCK), signalfd(-1, &theirs, SFD_NONBLOCK),
		     signalfd(-1, &mine, SFD_NONBLOCK)};

	kill(getpid(), number);
	kill(getpid(), other);
	printf("ready %d %d %d\n", poll_now(fds[0]), poll_now(fds[1]), poll_now(fds[2]));
	take("third", fds[2]);
	take("first", fds[0]);
	printf("changed %d\n", signalfd(fds[0], &theirs, 0) == fds[0]);
	take("first, changed", fds[0]);
	take("second", fds[1]);
	raise(number);
	take("first, changed", fds[0]);
	take("third", fds[2]);
	for (int i = 0; i < 3; i++) {
		close(fds[i]);
	}
}

/* --- waiting for a signal --- */

/* Waits until /proc shows that the process sleeps. */
static void await_sleep(pid_t pid)
{
	static const struct timespec pause = {.tv_nsec = 30000000};
	char path[64];
	char state[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 200; i++) {
		int fd = open(path, O_RDONLY);
		ssize_t n = read(fd, state, sizeof(state) - 1);
		char *end;

		close(fd);
		state[n > 0 ? n : 0] = '\0';
		end = strrchr(state, ')');
		nanosleep(&pause, NULL);
		if (end && end[2] == 'S') {
			return;
		}
	}
}

static pid_t send_later(int number)
{
	pid_t parent = getpid();
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		await_sleep(parent);
		kill(parent, number);
		_exit(0);
	}
	return child;
}

static void sleeps(int number)
{
	sigset_t set = set_of(number, 0);
	int fd = signalfd(-1, &set, 0);
	struct pollfd one = {.fd = fd, .events = POLLIN};
	struct epoll_event event = {.events = EPOLLIN};
	struct epoll_event got = {.events = 0};
	int epoll = epoll_create1(0);
	pid_t child = send_later(number);
	struct signalfd_siginfo info;
	fd_set fds;

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	printf("read %zd", read(fd, &info, sizeof(info)));
	printf(" %u from it %d\n", info.ssi_signo, info.ssi_pid == (uint32_t)child);
	waitpid(child, NULL, 0);
	child = send_later(number);
	printf("poll %d\n", poll(&one, 1, 60000));
	waitpid(child, NULL, 0);
	take("polled", fd);
	child = send_later(number);
	printf("epoll %d\n", epoll_wait(epoll, &got, 1, -1));
	waitpid(child, NULL, 0);
	take("epoll", fd);
	child = send_later(number);
	FD_ZERO(&fds);
	FD_SET(fd, &fds);
	printf("select %d\n", select(fd + 1, &fds, NULL, NULL, NULL));
	waitpid(child, NULL, 0);
	take("selected", fd);
	close(epoll);
	close(fd);
}

static void *read_in_thread(void *argument)
{
	take("thread", *(int *)argument);
	return NULL;
}

static void threads(int number)
{
	sigset_t set = set_of(number, 0);
	int fd = signalfd(-1, &set, 0);
	int now;
	pthread_t thread;

	pthread_create(&thread, NULL, read_in_thread, &fd);
	pthread_kill(thread, number);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, read_in_thread, &fd);
	kill(getpid(), number);
	pthread_join(thread, NULL);
	now = signalfd(-1, &set, SFD_NONBLOCK);
	pthread_kill(pthread_self(), number);
	printf("own %d\n", poll_now(now));
	take("own", now);
	close(now);
	close(fd);
}

static void forked(int number)
{
	sigset_t set = set_of(number, 0);
	int fd = signalfd(-1, &set, SFD_NONBLOCK);
	pid_t child;

	raise(number); /* pending signals are not inherited */
	fflush(stdout);
	child = fork();
	if (child == 0) {
		take("child has nothing", fd);
		raise(number);
		take("child", fd);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	take("parent", fd);
	close(fd);
}

int main(void)
{
	sigset_t all;
	sigset_t three = set_of(SIGSEGV, SIGBUS);
	int fd;

	sigaddset(&three, SIGTRAP);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (unsigned i = 0; i < 3; i++) {
		reads(numbers[i]);
		many(numbers[i]);
		mistakes(numbers[i]);
		several(numbers[i]);
		sleeps(numbers[i]);
		threads(numbers[i]);
		forked(numbers[i]);
	}
	fd = signalfd(-1, &three, SFD_NONBLOCK);
	run_submit();
	take("the recorder's own", fd);
	return 0;
}
