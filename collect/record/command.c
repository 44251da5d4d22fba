/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/command.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <ktail/status.h>

#define SCRIPT_DEPTH 5 /* nested interpreters, as in the kernel */

static bool can_run(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool kt_executable_find(char path[static PATH_MAX], const char *file)
{
	const char *folders = getenv("PATH");

	if (strchr(file, '/')) {
		snprintf(path, PATH_MAX, "%s", file);
		return strlen(file) < PATH_MAX && can_run(path);
	}
	folders = folders ? folders : "/bin:/usr/bin";
	for (const char *end;; folders = end + 1) {
		int length;
		int n;

		end = strchrnul(folders, ':');
		length = (int)(end - folders);
		/* An empty entry is the working directory. */
		n = snprintf(path, PATH_MAX, "%.*s%s%s", length, folders,
			     length ? "/" : "./", file);
		if (n > 0 && n < PATH_MAX && can_run(path)) {
			return true;
		}
		if (!*end) {
			return false;
		}
	}
}

/*
 * Returns whether the program gains privileges that its caller does not have: the loader
 * then ignores LD_PRELOAD.
 */
static bool is_raised(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		return false;
	}
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid()) ||
	       (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

static enum kt_executable_kind read_elf(int fd, const char *path, const void *start,
					size_t n)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	bool has_interpreter = false;
	Elf64_Ehdr header;

	if (n < sizeof(header)) {
		return KT_EXECUTABLE_UNKNOWN;
	}
	memcpy(&header, start, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
		return KT_EXECUTABLE_FOREIGN;
	}
	for (unsigned i = 0; i < header.e_phnum && !has_interpreter; i++) {
		Elf64_Phdr segment;
		off_t at = (off_t)(header.e_phoff + (uint64_t)i * header.e_phentsize);

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment)) {
			break;
		}
		has_interpreter = segment.p_type == PT_INTERP;
	}
	/* ld.so has no interpreter but, when run as a program, preloads libraries. */
	if (!has_interpreter && (strncmp(name, "ld", 2) != 0 || !strstr(name, ".so"))) {
		return KT_EXECUTABLE_STATIC;
	}
	return is_raised(fd) ? KT_EXECUTABLE_RAISED : KT_EXECUTABLE_DYNAMIC;
}

/*
 * Reads the interpreter's path, the first word after "#!". Returns false if the file is not
 * a script with an interpreter.
 */
static bool read_interpreter(char path[static PATH_MAX], const char *start, size_t n)
{
	size_t from = 2;
	size_t to;

	if (n < 2 || start[0] != '#' || start[1] != '!') {
		return false;
	}
	while (from < n && (start[from] == ' ' || start[from] == '\t')) {
		from++;
	}
	for (to = from; to < n && start[to] && !strchr(" \t\n", start[to]); to++) {
	}
	snprintf(path, PATH_MAX, "%.*s", (int)(to - from), start + from);
	return to > from;
}

enum kt_executable_kind kt_executable_read(char path[static PATH_MAX])
{
	enum kt_executable_kind kind = KT_EXECUTABLE_UNKNOWN;
	bool again = true;

	for (int depth = 0; again && depth < SCRIPT_DEPTH; depth++) {
		char start[256];
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd >= 0 ? pread(fd, start, sizeof(start), 0) : -1;

		again = false;
		if (n >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0) {
			kind = read_elf(fd, path, start, (size_t)n);
		} else if (n > 0) {
			again = read_interpreter(path, start, (size_t)n);
		}
		if (fd >= 0) {
			close(fd);
		}
	}
	return kind;
}

void kt_executable_warn(const char *file, const char *consequence)
{
	char path[PATH_MAX];
	const char *reason = NULL;

	if (!kt_executable_find(path, file)) {
		return;
	}
	switch (kt_executable_read(path)) {
	case KT_EXECUTABLE_STATIC: reason = "is statically linked"; break;
	case KT_EXECUTABLE_FOREIGN: reason = "is of another architecture"; break;
	case KT_EXECUTABLE_RAISED:
		reason = "runs with elevated privileges (set-user-id)";
		break;
	case KT_EXECUTABLE_DYNAMIC:
	case KT_EXECUTABLE_UNKNOWN: return;
	}
	fprintf(stderr, "ktail: warning: %s %s: %s\n", path, reason, consequence);
}

/* --- running it --- */

/* pid of the command; 0: before it runs, -1: after it has ended */
static volatile pid_t child;
static void (*child_signal)(int); /* SIGCHLD's former action, restored in the command */
static volatile sig_atomic_t stop_signal; /* signal before the command ran; 0: none */

/*
 * The terminal sends SIGINT and SIGQUIT to the command itself; other signals are forwarded.
 */
static void on_signal(int number)
{
	if (child == 0 && number != SIGXFSZ) {
		stop_signal = number;
	} else if (child > 0 && number != SIGINT && number != SIGQUIT &&
		   number != SIGXFSZ) {
		kill(child, number);
	}
}

/*
 * Signals that do not end this process. SIGXFSZ is among them, so that writing beyond
 * ulimit -f is reported as an error.
 */
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
	/* A successful exec closes the pipe, and the read returns 0. */
	*started = read(report[0], &error, sizeof(error)) == 0;
	close(report[0]);
	if (stop_signal) {
		kill(pid, stop_signal); /* arrived before `child` was set */
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
	child = -1; /* the pid may be reused from now on */
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
