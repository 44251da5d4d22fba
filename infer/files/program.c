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

char *kt_program_find(const char *name)
{
	const char *folder = getenv("PATH");
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *path = NULL;
	char *slash = NULL;

	/* Search the folder of this program first. */
	if (length > 0) {
		self[length] = '\0';
		slash = strrchr(self, '/');
	}
	if (slash && asprintf(&path, "%.*s/%s", (int)(slash - self), self, name) >= 0) {
		path = if_executable(path);
		if (path) {
			return path;
		}
	}
	while (folder && *folder) {
		size_t n = strcspn(folder, ":");

		path = NULL;
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

/*
 * Starts a child process with `in` and `out` as standard input and output. Returns 0 or an
 * error number.
 */
static int spawn(const char *path, char *const *argv, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t pipe_alone;
	sigset_t before;
	int error = posix_spawn_file_actions_init(&actions);

	if (error) {
		return error;
	}
	error = posix_spawnattr_init(&attributes);
	if (error) {
		posix_spawn_file_actions_destroy(&actions);
		return error;
	}
	kt_cleanup_hold(&before);
	/*
	 * Reset SIGPIPE to its default in the child. A child that SIGPIPE ends prints no
	 * message, so the broken pipe is reported only once, by wait_for().
	 */
	sigemptyset(&pipe_alone);
	sigaddset(&pipe_alone, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &pipe_alone);
	posix_spawnattr_setsigmask(&attributes, &before);
	posix_spawnattr_setflags(&attributes,
				 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
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

static int wait_for(const char *path, pid_t pid, int most)
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
	if (WEXITSTATUS(status) > most) {
		return kt_error(KT_E_IO, "run %s: it failed with exit status %d", path,
				WEXITSTATUS(status));
	}
	return KT_OK;
}

int kt_program_run(const char *path, char *const *argv, int out, kt_feed_fn feed,
		   const void *context)
{
	return kt_program_run_up_to(path, argv, out, 0, feed, context);
}

int kt_program_run_up_to(const char *path, char *const *argv, int out, int most,
			 kt_feed_fn feed, const void *context)
{
	/*
	 * If the child ends early, writing to its standard input must fail with an error,
	 * not end this process.
	 */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	FILE *in;
	int ends[2];
	pid_t pid;
	int error;
	int fed;
	int code;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		code = kt_error_errno(KT_E_IO, "run %s", path);
		goto end;
	}
	in = fdopen(ends[1], "w");
	error = in ? spawn(path, argv, ends[0], out, &pid) : errno;
	close(ends[0]);
	if (error) {
		if (in) {
			fclose(in);
		} else {
			close(ends[1]);
		}
		errno = error;
		code = kt_error_errno(KT_E_IO, "run %s", path);
		goto end;
	}
	fed = feed(in, context);
	if (fclose(in) != 0 && !fed) {
		fed = kt_error_errno(KT_E_IO, "feed %s", path);
	}
	code = wait_for(path, pid, most);
	if (!code) {
		code = fed;
	}
end:
	signal(SIGPIPE, before);
	return code;
}
