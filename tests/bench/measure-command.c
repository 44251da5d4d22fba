/* SPDX-License-Identifier: MIT */
/*
 * measure-command SECONDS COMMAND... runs a command, and kills it with its children when
 * the time is up. Prints how the command ended (done, time-out, failed), its seconds, CPU
 * seconds, and the most MiB that it or one of its children had.
 *
 * This program is small because its memory counts as the command's until the exec.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t late;
static volatile pid_t child;

static void stop(int number)
{
	(void)number;
	late = 1;
	kill(-child, SIGKILL);
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Sends the command's output to standard error: standard output is for the measurement. */
static void become(char **argv)
{
	int null = open("/dev/null", O_RDONLY);

	dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static void set_timer(double seconds)
{
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

	timer.it_value.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6);
	signal(SIGALRM, stop);
	setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv)
{
	double limit = argc > 2 ? strtod(argv[1], NULL) : 0;
	double begin = now();
	struct rusage usage;
	int status;

	if (limit <= 0) {
		fputs("usage: measure-command SECONDS COMMAND...\n", stderr);
		return 2;
	}
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		become(argv + 2);
	}
	if (child < 0) {
		perror("fork");
		return 2;
	}
	setpgid(child, child);
	set_timer(limit);
	while (wait4(child, &status, 0, &usage) < 0) {
		if (errno != EINTR) {
			perror("wait4");
			return 2;
		}
	}
	printf("%s\t%.2f\t%.2f\t%ld\n",
	       late          ? "time-out"
	       : status == 0 ? "done"
			     : "failed",
	       now() - begin, seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime),
	       (usage.ru_maxrss + 512) / 1024);
	return 0;
}
