/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/files/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"

extern char **environ;

static char *if_executable(char *path)
{
	struct stat st;

	if (path && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0) {
		return path;
	}
	free(path);
	return NULL;
}

/* The program in the folder that this one was started from. */
static char *find_beside(const char *name)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *path;
	char *slash;

	if (n <= 0) {
		return NULL;
	}
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash || asprintf(&path, "%.*s/%s", (int)(slash - self), self, name) < 0) {
		return NULL;
	}
	return if_executable(path);
}

static char *find_on_path(const char *name)
{
	const char *folder = getenv("PATH");

	while (folder && *folder) {
		size_t n = strcspn(folder, ":");
		char *path = NULL;

		if (n > 0 && asprintf(&path, "%.*s/%s", (int)n, folder, name) < 0) {
			return NULL;
		}
		path = if_executable(path);
		if (path) {
			return path;
		}
		folder += n + (folder[n] == ':');
	}
	return NULL;
}

char *kt_program_find(const char *name)
{
	char *path = find_beside(name);

	return path ? path : find_on_path(name);
}

/* A pipe that breaks ends a child without a word: that is told here, once. */
static int set_signals(posix_spawnattr_t *attributes, const sigset_t *mask)
{
	sigset_t pipe_alone;
	int error = posix_spawnattr_init(attributes);

	if (error) {
		return error;
	}
	sigemptyset(&pipe_alone);
	sigaddset(&pipe_alone, SIGPIPE);
	posix_spawnattr_setsigdefault(attributes, &pipe_alone);
	posix_spawnattr_setsigmask(attributes, mask);
	posix_spawnattr_setflags(attributes,
				 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	return 0;
}

/* posix_spawn() with standard input and output; gives an error number. */
static int spawn(const char *path, char *const *argv, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t before;
	int error = posix_spawn_file_actions_init(&actions);

	if (error) {
		return error;
	}
	kt_cleanup_hold(&before);
	error = set_signals(&attributes, &before);
	if (error) {
		kt_cleanup_release(&before);
		posix_spawn_file_actions_destroy(&actions);
		return error;
	}
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	error = error ? error
		      : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = error ? error
		      : posix_spawn(pid, path, &actions, &attributes, argv, environ);
	if (!error) {
		kt_cleanup_set_child(*pid);
	}
	kt_cleanup_release(&before);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* Starts the child; *in is the end of the pipe that feeds it. */
static int start(const char *path, char *const *argv, int out, pid_t *pid, FILE **in)
{
	int ends[2];
	int error;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		return kt_error_errno(KT_E_IO, "run %s", path);
	}
	*in = fdopen(ends[1], "w");
	error = *in ? spawn(path, argv, ends[0], out, pid) : errno;
	close(ends[0]);
	if (error) {
		if (*in) {
			fclose(*in);
		} else {
			close(ends[1]);
		}
		errno = error;
		return kt_error_errno(KT_E_IO, "run %s", path);
	}
	return KT_OK;
}

static int wait_for(const char *path, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			return kt_error_errno(KT_E_IO, "wait for %s", path);
		}
	}
	kt_cleanup_set_child(0);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) {
		return kt_error(KT_E_IO, "write its output: Broken pipe");
	}
	if (WIFSIGNALED(status)) {
		return kt_error(KT_E_IO, "run %s: it was ended by signal %d", path,
				WTERMSIG(status));
	}
	if (WEXITSTATUS(status) != 0) {
		return kt_error(KT_E_IO, "run %s: it failed with exit status %d", path,
				WEXITSTATUS(status));
	}
	return KT_OK;
}

int kt_program_run(const char *path, char *const *argv, int out, kt_feed_fn feed,
		   const void *context)
{
	/* A child that ends early must cost an error, not this program's life. */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	FILE *in = NULL;
	pid_t pid;
	int code = start(path, argv, out, &pid, &in);

	if (!code) {
		int fed = feed(in, context);
		int ended;

		if (fclose(in) != 0 && !fed) {
			fed = kt_error_errno(KT_E_IO, "feed %s", path);
		}
		ended = wait_for(path, pid);
		code = ended ? ended : fed;
	}
	signal(SIGPIPE, before);
	return code;
}
