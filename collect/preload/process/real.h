/* SPDX-License-Identifier: MIT */
/*
 * The functions behind the ones we interpose: whoever comes next in the search order (libc,
 * or a library that stands in for the kernel driver). Resolved on first use.
 */
#ifndef KTAIL_COLLECT_REAL_H
#define KTAIL_COLLECT_REAL_H

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "collect/preload/process/buffer-calls.h"

struct kt_real {
	int (*open)(const char *, int, ...);
	int (*openat)(int, const char *, int, ...);
	int (*close)(int);
	int (*close_range)(unsigned, unsigned, int);
	int (*socket)(int, int, int);
	int (*shm_open)(const char *name, int flags, mode_t mode);
	int (*dup)(int);
	int (*dup2)(int, int);
	int (*dup3)(int, int, int);
	int (*fcntl)(int, int, ...);
	int (*ioctl)(int, unsigned long, ...);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
	int (*mprotect)(void *, size_t, int);
	int (*pkey_mprotect)(void *, size_t, int, int);
	void *(*shmat)(int, const void *, int);
	int (*remap_file_pages)(void *, size_t, int, size_t, int);
	FILE *(*fopen)(const char *, const char *);
	FILE *(*fopen64)(const char *, const char *);
	FILE *(*freopen)(const char *, const char *, FILE *);
	FILE *(*freopen64)(const char *, const char *, FILE *);
	int (*fclose)(FILE *);
#define MEMBER(type, name, parameters) type(*name) parameters;
#define TABLE_MEMBER(type, name, parameters, arguments, where)                             \
	MEMBER(type, name, parameters)
	KT_BUFFER_CALLS(TABLE_MEMBER)
	KT_OTHER_BUFFER_CALLS(MEMBER)
#undef TABLE_MEMBER
#undef MEMBER
	int (*clone)(int (*)(void *), void *, int, void *, ...);
	pid_t (*_Fork)(void);
	long (*syscall)(long, ...);
	int (*prctl)(int, ...);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	int (*sigprocmask)(int, const sigset_t *, sigset_t *);
	int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
	int (*pthread_cancel)(pthread_t);
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			      void *);
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
	void (*exit_now)(int) __attribute__((noreturn)); /* _exit */
};

extern struct kt_real kt_real_functions;
void kt_real_resolve(void);

/* fork of libc itself. It is found at the first call, or before. */
void kt_real_find_fork(void);
pid_t kt_real_fork(void);

static inline const struct kt_real *kt_real(void)
{
	if (__builtin_expect(!kt_real_functions.ioctl, 0)) {
		kt_real_resolve();
	}
	return &kt_real_functions;
}

#endif
