/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/run-command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

/* The command: 0 before it runs, -1 after it has ended. */
static volatile pid_t child;
static void (*child_signal)(int);         /* what SIGCHLD does, for the command */
static volatile sig_atomic_t stop_signal; /* came before there was a command */

/* The terminal's signals reach the command by themselves, others are handed on. */
static void on_signal(int number)
{
	if (child == 0 && number != SIGXFSZ) {
		stop_signal = number;
	} else if (child > 0 && number != SIGINT && number != SIGQUIT &&
		   number != SIGXFSZ) {
		kill(child, number);
	}
}

/* Too large a file (ulimit -f) is an error that we tell of, not our end. */
static struct {
	int number;
	struct sigaction before;
} minded[] = {{.number = SIGINT},
	      {.number = SIGQUIT},
	      {.number = SIGTERM},
	      {.number = SIGHUP},
	      {.number = SIGXFSZ}};

void kt_command_mind_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	child_signal = signal(SIGCHLD, SIG_DFL);
	for (size_t i = 0; i < sizeof(minded) / sizeof(minded[0]); i++) {
		sigaction(minded[i].number, NULL, &minded[i].before);
		if (minded[i].before.sa_handler != SIG_IGN) {
			sigaction(minded[i].number, &action, NULL);
		}
	}
}

static void restore_signals(void)
{
	for (size_t i = 0; i < sizeof(minded) / sizeof(minded[0]); i++) {
		sigaction(minded[i].number, &minded[i].before, NULL);
	}
}

int kt_command_stop_signal(void)
{
	return stop_signal;
}

void kt_command_wait_signal(int fd)
{
	struct pollfd other = {.fd = fd, .events = POLLIN};
	sigset_t all;
	sigset_t before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	while (!stop_signal && !other.revents) {
		ppoll(&other, 1, NULL, &before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int kt_command_die_of(int number)
{
	restore_signals();
	raise(number);
	return 128 + number;
}

int kt_command_run(char **argv, void (*prepare)(const void *context), const void *context,
		   bool *started)
{
	int status = 0;
	int error = 0;
	int report[2];
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		kt_error_errno(KT_E_IO, "run %s", argv[0]);
		return -1;
	}
	if (pid == 0) {
		restore_signals();
		signal(SIGCHLD, child_signal);
		prepare(context);
		execvp(argv[0], argv);
		error = errno;
		_exit(write(report[1], &error, sizeof(error)) < 0 ? 125 : 127);
	}
	child = pid;
	close(report[1]);
	*started = read(report[0], &error, sizeof(error)) == 0; /* closed by the exec */
	close(report[0]);
	if (stop_signal) {
		kill(pid, stop_signal); /* came in between */
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			kt_error_errno(KT_E_IO, "wait for %s", argv[0]);
			child = -1;
			return -1;
		}
	}
	if (!*started) {
		fprintf(stderr, "ktail: run %s: %s\n", argv[0], strerror(error));
		child = -1;
		return error == ENOENT ? 127 : 126;
	}
	child = -1; /* its number may be somebody else's now */
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
