/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/files/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/utf8.h"

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
 * Starts a child process with `in`, `out` and `err` as standard input, output and error.
 * Returns 0 or an error number.
 */
static int spawn(const char *path, char *const *argv, int in, int out, int err, pid_t *pid)
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
	 * Reset SIGPIPE to its default in the child. The signal then ends the child without
	 * a message, so that only wait_for() reports the broken pipe.
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
		      : posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
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
	error = in ? spawn(path, argv, ends[0], out, STDERR_FILENO, &pid) : errno;
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

/* Reads what a program prints, until it closes its output or breaks a limit. */
static int read_pipe(char **out, size_t *n, int from, struct kt_program_limits *limits)
{
	struct pollfd ready = {.fd = from, .events = POLLIN};
	size_t capacity = 0;

	for (*n = 0;;) {
		ssize_t got;
		int code = kt_array_reserve(out, &capacity, *n + 65536);

		if (code) {
			return code;
		}
		got = poll(&ready, 1, limits->seconds * 1000);
		if (got == 0 || *n > limits->bytes) {
			limits->exceeded = true;
			return KT_OK;
		}
		got = got < 0 ? got : read(from, *out + *n, capacity - *n - 1);
		if (got < 0 && errno != EINTR) {
			return kt_error_errno(KT_E_IO, "read the output of a program");
		}
		if (got == 0) {
			return KT_OK;
		}
		*n += got > 0 ? (size_t)got : 0;
	}
}

/*
 * Waits at most `seconds` for the end of a program that has closed its output. Returns
 * whether the program has ended.
 */
static bool ends_in_time(pid_t pid, int seconds)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	siginfo_t info = {0};

	for (int i = 0; i < 1000 * seconds; i++) {
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		    info.si_pid) {
			return true;
		}
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Appends to the message of a program's failure the first line that the program printed. */
static int quote_output(int code, const char *output)
{
	char *printable = kt_utf8_printable_copy(output);
	char failure[512];

	snprintf(failure, sizeof(failure), "%s", kt_error_message());
	if (printable && *printable) {
		kt_error(code, "%s: %s", failure, printable);
	}
	free(printable);
	return code;
}

int kt_program_read(char **out, const char *path, char *const *argv,
		    struct kt_program_limits *limits)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int ends[2] = {-1, -1};
	pid_t pid = 0;
	size_t n;
	int code;

	*out = NULL;
	limits->exceeded = false;
	if (nothing < 0 || pipe2(ends, O_CLOEXEC) != 0 ||
	    (errno = spawn(path, argv, nothing, ends[1], ends[1], &pid)) != 0) {
		code = kt_error_errno(KT_E_IO, "run %s", path);
		goto end;
	}
	close(ends[1]);
	ends[1] = -1;
	code = read_pipe(out, &n, ends[0], limits);
	if (!code && !limits->exceeded) {
		limits->exceeded = !ends_in_time(pid, limits->seconds);
	}
	if (code || limits->exceeded) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		kt_cleanup_set_child(0);
		if (!code && n > limits->bytes) {
			code = kt_error(KT_E_IO, "run %s: it printed more than %zu bytes",
					path, limits->bytes);
		} else if (!code) {
			code = kt_error(KT_E_IO, "run %s: it printed nothing for %d s",
					path, limits->seconds);
		}
		goto end;
	}
	(*out)[n] = '\0';
	code = wait_for(path, pid, 0);
	if (code) {
		(*out)[strcspn(*out, "\n")] = '\0';
		quote_output(code, *out);
	}
end:
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0) {
			close(ends[i]);
		}
	}
	if (nothing >= 0) {
		close(nothing);
	}
	if (code) {
		free(*out);
		*out = NULL;
	}
	return code;
}
