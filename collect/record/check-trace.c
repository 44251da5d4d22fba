/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/check-trace.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

extern char **environ;

int kt_check_trace_possible(const char *machine)
{
	return access(machine, R_OK) == 0 ? KT_OK
					  : kt_error_errno(KT_E_IO, "read %s", machine);
}

/* Finds ktail in the folder of this program, or else on PATH. */
static const char *find_ktail(char path[static PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof("/ktail"));
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (!slash) {
		return "ktail";
	}
	memcpy(slash, "/ktail", sizeof("/ktail"));
	return access(path, X_OK) == 0 ? path : "ktail";
}

int kt_check_trace(int *status, const char *machine, const char *trace)
{
	char path[PATH_MAX];
	const char *ktail = find_ktail(path);
	const char *const arguments[] = {"ktail", "check", "--all", "--",
					 machine, trace,   NULL};
	union {
		const char *const *read_only;
		char *const *argv;
	} a = {.read_only = arguments};
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);
	int ended = 0;
	pid_t child;

	if (error) {
		return kt_no_memory("run ktail check");
	}
	error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	error = error ? error
		      : posix_spawnp(&child, ktail, &actions, NULL, a.argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		return kt_error(KT_E_IO, "run %s check: %s", ktail, strerror(error));
	}
	while (waitpid(child, &ended, 0) < 0) {
		if (errno != EINTR) {
			return kt_error_errno(KT_E_IO, "wait for ktail check");
		}
	}
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
	return KT_OK;
}
