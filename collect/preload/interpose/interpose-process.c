/* SPDX-License-Identifier: MIT */
/*
 * exec, posix_spawn and _exit: ends words, and prepares the state that other programs
 * inherit.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/preload/emit/join.h"
#include "collect/preload/handlers/signals.h"
#include "collect/preload/interpose/filter.h"
#include "collect/preload/interpose/process-instance.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/next.h"

extern char **environ;

/* Registered before all other at_quick_exit handlers, so it runs after them. */
static void end_quickly(void)
{
	kt_instance_end("exit");
}

void kt_process_init(void)
{
	kt_threads_init();
	kt_fork_init();
	at_quick_exit(end_quickly);
}

/* --- exec --- */

/*
 * Call before_exec() before an exec: the word ends. If the exec fails, call after_exec():
 * another word begins.
 */
static void before_exec(void)
{
	kt_instance_end("exec");
	kt_join_before_exec();
	kt_signals_before_exec();
}

static int after_exec(int result)
{
	int error = errno;

	kt_join_after_failed_exec();
	kt_signals_after_exec();
	kt_instance_resume();
	errno = error;
	return result;
}

static int execute(const char *path, char *const argv[], char *const envp[])
{
	KT_FILTER_ENVIRONMENT(envp);
	before_exec();
	return after_exec(kt_next()->execve(path, argv, envp));
}

static int execute_found(const char *file, char *const argv[], char *const envp[])
{
	KT_FILTER_ENVIRONMENT(envp);
	before_exec();
	return after_exec(kt_next()->execvpe(file, argv, envp));
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
	KT_FILTER_ENVIRONMENT(envp);
	before_exec();
	return after_exec(kt_next()->fexecve(fd, argv, envp));
}

KT_INTERPOSE int execveat(int folder, const char *path, char *const argv[],
			  char *const envp[], int flags)
{
	KT_FILTER_ENVIRONMENT(envp);
	before_exec();
	return after_exec(kt_next()->execveat(folder, path, argv, envp, flags));
}

/*
 * Collects the arguments of execl and similar functions in an array on the stack. `args`
 * then continues after the NULL.
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

/* --- posix_spawn: a new program that inherits this thread's mask --- */

/*
 * Returns attributes with the mask that the application sees; if `asked` has a mask of its
 * own, returns `asked`.
 */
static const posix_spawnattr_t *with_mask(const posix_spawnattr_t *asked,
					  posix_spawnattr_t *copy)
{
	sigset_t mask;
	short flags = 0;

	if (asked) {
		*copy = *asked;
	} else {
		posix_spawnattr_init(copy);
	}
	posix_spawnattr_getflags(copy, &flags);
	if (flags & POSIX_SPAWN_SETSIGMASK || sigprocmask(SIG_BLOCK, NULL, &mask) != 0) {
		return asked;
	}
	posix_spawnattr_setsigmask(copy, &mask);
	posix_spawnattr_setflags(copy, (short)(flags | POSIX_SPAWN_SETSIGMASK));
	return copy;
}

static int after_spawn(int error)
{
	if (error) {
		kt_join_after_failed_exec();
	}
	return error;
}

KT_INTERPOSE int posix_spawn(pid_t *pid, const char *path,
			     const posix_spawn_file_actions_t *actions,
			     const posix_spawnattr_t *attributes, char *const argv[],
			     char *const envp[])
{
	posix_spawnattr_t copy;

	KT_FILTER_ENVIRONMENT(envp);
	kt_join_before_exec();
	return after_spawn(kt_next()->posix_spawn(
		pid, path, actions, with_mask(attributes, &copy), argv, envp));
}

KT_INTERPOSE int posix_spawnp(pid_t *pid, const char *file,
			      const posix_spawn_file_actions_t *actions,
			      const posix_spawnattr_t *attributes, char *const argv[],
			      char *const envp[])
{
	posix_spawnattr_t copy;

	KT_FILTER_ENVIRONMENT(envp);
	kt_join_before_exec();
	return after_spawn(kt_next()->posix_spawnp(
		pid, file, actions, with_mask(attributes, &copy), argv, envp));
}

/* --- system-call filters --- */

KT_INTERPOSE int prctl(int option, ...);

KT_INTERPOSE int prctl(int option, ...)
{
	unsigned long more[4];
	va_list args;

	va_start(args, option);
	for (int i = 0; i < 4; i++) {
		more[i] = va_arg(args, unsigned long);
	}
	va_end(args);
	kt_filter_before_prctl(option, (long)more[0], (const void *)more[1]);
	return kt_next()->prctl(option, more[0], more[1], more[2], more[3]);
}

/* --- exit without destructors --- */

KT_INTERPOSE __attribute__((noreturn)) void _exit(int status)
{
	kt_instance_end("exit");
	kt_next()->_exit(status);
	__builtin_unreachable();
}

KT_SECOND_NAME(_Exit, _exit);
