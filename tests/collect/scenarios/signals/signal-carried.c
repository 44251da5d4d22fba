/* SPDX-License-Identifier: MIT */
/*
 * Signals that the recorder also uses are blocked and pending while the program executes
 * another program, starts others or ignores the signals. Also covers signals from timers
 * and files, and system calls by number that wait.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

extern char **environ;

static const int numbers[] = {SIGSEGV, SIGBUS, SIGTRAP};
static const struct timespec none = {0, 0};
static volatile sig_atomic_t handled;

static void count(int number)
{
	(void)number;
	handled++;
}

static sigset_t set_of(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

static void change(int how, int number)
{
	sigset_t set = set_of(number);

	sigprocmask(how, &set, NULL);
}

static int is_pending(int number)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, number);
}

/* Takes a pending signal, if there is one, without waiting. */
static void take(const char *what, int number)
{
	sigset_t set = set_of(number);
	siginfo_t info = {.si_code = 0};
	int got = sigtimedwait(&set, &info, &none);

	printf("%s: %d code %d self %d value %d\n", what, got, info.si_code,
	       info.si_pid == getpid(), got > 0 ? info.si_value.sival_int : 0);
}

/* --- other programs --- */

static void say_mask(void)
{
	struct sigaction action;
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	for (unsigned i = 0; i < 3; i++) {
		sigaction(numbers[i], NULL, &action);
		printf(" %d%s%s%s", numbers[i],
		       sigismember(&set, numbers[i]) ? " blocked" : "",
		       action.sa_handler == SIG_IGN ? " ignored" : "",
		       is_pending(numbers[i]) ? " pending" : "");
	}
	printf("\n");
}

/*
 * Starts other programs while a signal is pending in this process. The signal stays
 * pending, and the programs do not inherit it.
 */
static void beside(int number)
{
	char name[] = "mask";
	char *self[] = {name, name, NULL};
	posix_spawnattr_t attributes;
	sigset_t set = set_of(number);
	pid_t child;
	FILE *pipe;
	int status = 0;
	int c;

	change(SIG_BLOCK, number);
	kill(getpid(), number);
	fflush(stdout);
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, self, environ) == 0) {
		waitpid(child, &status, 0);
	}
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &set);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawnattr_setflags(&attributes,
				 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	change(SIG_BLOCK, SIGBUS);
	if (posix_spawnp(&child, "/proc/self/exe", NULL, &attributes, self, environ) == 0) {
		waitpid(child, &status, 0);
	}
	printf("system %d\n", system("true"));
	pipe = popen("echo from a pipe", "r");
	while (pipe && (c = getc(pipe)) != EOF) {
		putchar(c);
	}
	pclose(pipe);
	execv("/nonexistent/program", self);
	printf("still pending %d\n", is_pending(number));
	take("after them", number);
	posix_spawnattr_destroy(&attributes);
	change(SIG_UNBLOCK, SIGBUS);
	change(SIG_UNBLOCK, number);
}

/*
 * A signal that is pending at an exec stays pending in the next program, which reads it
 * from the signal descriptor.
 */
static void before_exec(char *argv0)
{
	char again[] = "again";
	char number[16];
	char *arguments[] = {argv0, again, number, NULL};
	sigset_t set = set_of(SIGTRAP);

	change(SIG_BLOCK, SIGTRAP);
	change(SIG_BLOCK, SIGSEGV);
	sigqueue(getpid(), SIGTRAP, (union sigval){.sival_int = 77});
	raise(SIGSEGV);
	snprintf(number, sizeof(number), "%d", signalfd(-1, &set, 0));
	fflush(stdout);
	execv("/proc/self/exe", arguments);
}

static void after_exec(int fd)
{
	struct signalfd_siginfo info = {.ssi_signo = 0};

	printf("inherited:");
	say_mask();
	read(fd, &info, sizeof(info));
	printf("read %u code %d value %d\n", info.ssi_signo, info.ssi_code, info.ssi_int);
	take("taken", SIGSEGV);
	raise(SIGTRAP);
	read(fd, &info, sizeof(info));
	printf("read %u code %d\n", info.ssi_signo, info.ssi_code);
}

/* --- ignored signals --- */

static void ignored(int number)
{
	change(SIG_BLOCK, number);
	raise(number);
	kill(getpid(), number);
	signal(number, SIG_IGN);
	printf("dropped: pending %d\n", is_pending(number));
	raise(number); /* pending: a blocked signal is kept even if it is ignored */
	printf("waits: pending %d\n", is_pending(number));
	signal(number, count);
	handled = 0;
	change(SIG_UNBLOCK, number);
	printf("handled %d\n", (int)handled);
	signal(number, SIG_DFL);
}

/* --- other senders --- */

static void from_timer(int number)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = number,
				 .sigev_value = {.sival_int = 88}};
	struct itimerspec once = {.it_value = {.tv_nsec = 1000000}};
	struct signalfd_siginfo record = {.ssi_signo = 0};
	sigset_t set = set_of(number);
	siginfo_t info = {.si_signo = 0};
	timer_t timer;
	int fd = signalfd(-1, &set, 0);

	change(SIG_BLOCK, number);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &once, NULL);
	sigwaitinfo(&set, &info);
	printf("timer %d code %d value %d overrun %d id %d\n", info.si_signo, info.si_code,
	       info.si_value.sival_int, info.si_overrun, info.si_timerid >= 0);
	timer_settime(timer, 0, &once, NULL);
	read(fd, &record, sizeof(record));
	printf("timer %u code %d value %d %llu overrun %u pid %u\n", record.ssi_signo,
	       record.ssi_code, record.ssi_int, (unsigned long long)record.ssi_ptr,
	       record.ssi_overrun, record.ssi_pid);
	timer_delete(timer);
	close(fd);
	change(SIG_UNBLOCK, number);
}

static void from_file(int number)
{
	struct signalfd_siginfo record = {.ssi_signo = 0};
	sigset_t set = set_of(number);
	siginfo_t info = {.si_signo = 0};
	int fd = signalfd(-1, &set, 0);
	int ends[2];

	change(SIG_BLOCK, number);
	if (pipe(ends) != 0) {
		return;
	}
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETSIG, number);
	fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	write(ends[1], "a", 1);
	sigwaitinfo(&set, &info);
	printf("file %d code %d band %lx same %d\n", info.si_signo, info.si_code,
	       info.si_band, info.si_fd == ends[0]);
	write(ends[1], "a", 1);
	read(fd, &record, sizeof(record));
	printf("file %u code %d band %x same %d pid %u\n", record.ssi_signo,
	       record.ssi_code, record.ssi_band, record.ssi_fd == ends[0], record.ssi_pid);
	close(ends[0]);
	close(ends[1]);
	close(fd);
	change(SIG_UNBLOCK, number);
}

/* --- system calls by number that replace the mask --- */

static void by_number(int number)
{
	sigset_t set = set_of(number);
	sigset_t empty;
	sigset_t got;
	siginfo_t info = {.si_signo = 0};
	struct {
		const sigset_t *set;
		size_t size;
	} pair = {&empty, 8};
	struct epoll_event event;
	int epoll = epoll_create1(0);

	signal(number, count);
	sigemptyset(&empty);
	change(SIG_BLOCK, number);
	handled = 0;
	raise(number);
	sigemptyset(&got);
	syscall(SYS_rt_sigpending, &got, (size_t)8);
	printf("pending %d", sigismember(&got, number));
	syscall(SYS_ppoll, NULL, 0L, &none, &set, (size_t)8);
	printf(" ppoll %d", (int)handled);
	errno = 0;
	syscall(SYS_ppoll, NULL, 0L, NULL, &empty, (size_t)8);
	printf(" %d %d", (int)handled, errno == EINTR);
	raise(number);
	errno = 0;
	syscall(SYS_pselect6, 0L, NULL, NULL, NULL, NULL, &pair);
	printf(" pselect %d %d", (int)handled, errno == EINTR);
	raise(number);
	errno = 0;
	syscall(SYS_epoll_pwait, epoll, &event, 1L, -1L, &empty, (size_t)8);
	printf(" epoll %d %d", (int)handled, errno == EINTR);
	raise(number);
	errno = 0;
	syscall(SYS_rt_sigsuspend, &empty, (size_t)8);
	printf(" sigsuspend %d %d", (int)handled, errno == EINTR);
	sigqueue(getpid(), number, (union sigval){.sival_int = 99});
	syscall(SYS_rt_sigtimedwait, &set, &info, NULL, (size_t)8);
	printf(" waited %d %d %d\n", info.si_signo, info.si_code, info.si_value.sival_int);
	change(SIG_UNBLOCK, number);
	signal(number, SIG_DFL);
	close(epoll);
}

/* --- threads and copies of the process --- */

static void *read_it(void *argument)
{
	struct signalfd_siginfo info = {.ssi_signo = 0};

	raise(SIGTRAP);
	read(*(int *)argument, &info, sizeof(info));
	printf("thread read %u code %d\n", info.ssi_signo, info.ssi_code);
	return NULL;
}

/*
 * Not compiled with the thread sanitizer, for the reason that test-sanitized.sh gives for
 * the scenario clone.
 */
#ifndef __SANITIZE_THREAD__
static int in_clone(void *argument)
{
	(void)read_it(argument);
	fflush(stdout);
	return 0;
}

static void copy(int *fd)
{
	static _Alignas(16) char stack[262144];

	waitpid(clone(in_clone, stack + sizeof(stack), SIGCHLD, fd), NULL, 0);
}
#else
static void copy(int *fd)
{
	(void)fd;
}
#endif

static void threads(void)
{
	sigset_t set = set_of(SIGTRAP);
	int fd = signalfd(-1, &set, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setsigmask_np(&attributes, &set);
	pthread_create(&thread, &attributes, read_it, &fd);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	change(SIG_BLOCK, SIGTRAP);
	fflush(stdout);
	copy(&fd);
	change(SIG_UNBLOCK, SIGTRAP);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		printf("beside:");
		say_mask();
		return 0;
	}
	if (argc == 3) {
		after_exec(atoi(argv[2]));
		run_submit();
		return 0;
	}
	for (unsigned i = 0; i < 3; i++) {
		beside(numbers[i]);
		ignored(numbers[i]);
		from_timer(numbers[i]);
		from_file(numbers[i]);
		by_number(numbers[i]);
	}
	threads();
	before_exec(argv[0]);
	return 1;
}
