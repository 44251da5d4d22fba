/* SPDX-License-Identifier: MIT */
/* fork, exec, _exit and threads: where words begin and end, and what LTTng must be told. */
#define _GNU_SOURCE
#include <alloca.h>
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utmp.h>

#include "collect/interpose.h"
#include "collect/lock.h"
#include "collect/preload.h"
#include "collect/real.h"

extern char **environ;

/*
 * Functions of liblttng-ust, which is loaded with the provider. Looked up once: a thread
 * that asked the loader for them could wait for a constructor that is waiting for the
 * thread.
 */
static struct {
	void (*before_fork)(sigset_t *);
	void (*after_fork_parent)(sigset_t *);
	void (*after_fork_child)(sigset_t *);
	void (*init_thread)(void);
} lttng;

void kt_process_init(void)
{
	void *symbols[] = {
		dlsym(RTLD_DEFAULT, "lttng_ust_before_fork"),
		dlsym(RTLD_DEFAULT, "lttng_ust_after_fork_parent"),
		dlsym(RTLD_DEFAULT, "lttng_ust_after_fork_child"),
		dlsym(RTLD_DEFAULT, "lttng_ust_init_thread"),
	};

	static_assert(sizeof(symbols) == sizeof(lttng), "one symbol a member");
	memcpy(&lttng, symbols, sizeof(lttng));
}

static void tell_lttng(void (*function)(sigset_t *), sigset_t *signals)
{
	if (function) {
		function(signals);
	}
}

/* LTTng forks for a moment, to make a file with other rights: no process of the program's.
 */
static bool is_lttng(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "/liblttng-ust");
}

KT_INTERPOSE pid_t fork(void)
{
	sigset_t signals;
	pid_t child;
	bool locked;
	int error;

	if (is_lttng(__builtin_return_address(0))) {
		return kt_real_fork();
	}
	tell_lttng(lttng.before_fork, &signals);
	locked = kt_lock(); /* no other thread is in the middle of something */
	child = kt_real_fork();
	error = errno;
	if (child == 0) {
		kt_lock_after_fork();
		tell_lttng(lttng.after_fork_child, &signals);
		kt_preload_child();
		return 0;
	}
	kt_unlock(locked);
	tell_lttng(lttng.after_fork_parent, &signals);
	errno = error;
	return child;
}

/* libc's own daemon and forkpty call its fork directly, past ours. */
KT_INTERPOSE int daemon(int nochdir, int noclose)
{
	pid_t child = fork();
	int null;

	if (child < 0) {
		return -1;
	}
	if (child > 0) {
		_exit(0);
	}
	if (setsid() < 0 || (!nochdir && chdir("/") != 0)) {
		return -1;
	}
	null = noclose ? -1 : open("/dev/null", O_RDWR);
	for (int fd = 0; null >= 0 && fd < 3; fd++) {
		dup2(null, fd);
	}
	if (null > 2) {
		close(null);
	}
	return noclose || null >= 0 ? 0 : -1;
}

KT_INTERPOSE int forkpty(int *master, char *name, const struct termios *settings,
			 const struct winsize *size)
{
	int slave;
	pid_t child;

	if (openpty(master, &slave, name, settings, size) != 0) {
		return -1;
	}
	child = fork();
	if (child == 0) {
		close(*master);
		if (login_tty(slave) != 0) {
			_exit(1);
		}
		return 0;
	}
	close(slave);
	if (child < 0) {
		close(*master);
	}
	return child;
}

/* --- exec --- */

static int execute(const char *path, char *const argv[], char *const envp[])
{
	int result;

	kt_preload_end("exec");
	result = kt_real()->execve(path, argv, envp);
	kt_preload_go_on();
	return result;
}

static int execute_found(const char *file, char *const argv[], char *const envp[])
{
	int result;

	kt_preload_end("exec");
	result = kt_real()->execvpe(file, argv, envp);
	kt_preload_go_on();
	return result;
}

KT_INTERPOSE int execve(const char *path, char *const argv[], char *const envp[])
{
	return execute(path, argv, envp);
}

KT_INTERPOSE int execv(const char *path, char *const argv[])
{
	return execute(path, argv, environ);
}

KT_INTERPOSE int execvp(const char *file, char *const argv[])
{
	return execute_found(file, argv, environ);
}

KT_INTERPOSE int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return execute_found(file, argv, envp);
}

KT_INTERPOSE int fexecve(int fd, char *const argv[], char *const envp[])
{
	int result;

	kt_preload_end("exec");
	result = kt_real()->fexecve(fd, argv, envp);
	kt_preload_go_on();
	return result;
}

/* The arguments of execl and kin as an array on the stack; `args` is left behind the NULL.
 */
#define COLLECT_ARGUMENTS(argv, first, args)                                               \
	size_t n_ = 1;                                                                     \
	va_list count_;                                                                    \
	va_copy(count_, args);                                                             \
	while ((first) && va_arg(count_, char *)) {                                        \
		n_++;                                                                      \
	}                                                                                  \
	va_end(count_);                                                                    \
	char **argv = alloca((n_ + 1) * sizeof(*argv));                                    \
	memcpy(&argv[0], &(first), sizeof(argv[0]));                                       \
	for (size_t i_ = 1; (first) && i_ <= n_; i_++) {                                   \
		argv[i_] = va_arg(args, char *);                                           \
	}

KT_INTERPOSE int execl(const char *path, const char *first, ...)
{
	va_list args;

	va_start(args, first);
	COLLECT_ARGUMENTS(argv, first, args)
	va_end(args);
	return execute(path, argv, environ);
}

KT_INTERPOSE int execlp(const char *file, const char *first, ...)
{
	va_list args;

	va_start(args, first);
	COLLECT_ARGUMENTS(argv, first, args)
	va_end(args);
	return execute_found(file, argv, environ);
}

KT_INTERPOSE int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	va_list args;

	va_start(args, first);
	COLLECT_ARGUMENTS(argv, first, args)
	envp = va_arg(args, char *const *);
	va_end(args);
	return execute(path, argv, envp);
}

/* --- the end without destructors --- */

KT_INTERPOSE __attribute__((noreturn)) void _exit(int status)
{
	kt_preload_end("exit");
	kt_real()->exit_now(status);
}

KT_INTERPOSE __attribute__((noreturn)) void _Exit(int status)
{
	_exit(status);
}

/* --- threads --- */

struct thread_start {
	void *(*run)(void *);
	void *argument;
};

/* LTTng must know a thread before a signal handler traces in it. */
static void *begin_thread(void *argument)
{
	struct thread_start start = *(struct thread_start *)argument;

	free(argument);
	if (lttng.init_thread) {
		lttng.init_thread();
	}
	kt_tid();
	return start.run(start.argument);
}

KT_INTERPOSE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
				void *(*run)(void *), void *argument)
{
	struct thread_start *start = malloc(sizeof(*start));
	int error;

	if (!start) {
		return EAGAIN;
	}
	start->run = run;
	start->argument = argument;
	error = kt_real()->pthread_create(thread, attributes, begin_thread, start);
	if (error) {
		free(start);
	}
	return error;
}
