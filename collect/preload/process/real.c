/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct kt_real kt_real_functions;

static pid_t (*libc_fork)(void);

/*
 * Not looked up with the others: dlopen allocates, and an allocator may be asking for mmap.
 * Nor at the first fork: its thread may have been made by a library's constructor that
 * waits for it, with the loader's lock.
 */
void kt_real_find_fork(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = libc ? dlsym(libc, "fork") : dlsym(RTLD_NEXT, "fork");

	memcpy(&libc_fork, &symbol, sizeof(symbol));
}

/* fork goes straight to libc: a wrapper in between would handle LTTng a second time. */
pid_t kt_real_fork(void)
{
	if (!libc_fork) {
		kt_real_find_fork();
	}
	return libc_fork();
}

/* In place of a function that this libc does not have. */
static long no_such_function(void)
{
	errno = ENOSYS;
	return -1;
}

void kt_real_resolve(void)
{
	long (*const missing)(void) = no_such_function;
	static const struct {
		const char *name;
		size_t offset;
	} names[] = {
#define NAME(field, symbol) {symbol, offsetof(struct kt_real, field)}
		NAME(open, "open"),
		NAME(openat, "openat"),
		NAME(close, "close"),
		NAME(socket, "socket"),
		NAME(shm_open, "shm_open"),
		NAME(dup, "dup"),
		NAME(dup2, "dup2"),
		NAME(dup3, "dup3"),
		NAME(fcntl, "fcntl"),
		NAME(mmap, "mmap"),
		NAME(munmap, "munmap"),
		NAME(mremap, "mremap"),
		NAME(mprotect, "mprotect"),
		NAME(pkey_mprotect, "pkey_mprotect"),
		NAME(shmat, "shmat"),
		NAME(remap_file_pages, "remap_file_pages"),
		NAME(fopen, "fopen"),
		NAME(fopen64, "fopen64"),
		NAME(freopen, "freopen"),
		NAME(freopen64, "freopen64"),
		NAME(fclose, "fclose"),
#define OTHER_CALL(type, name, parameters)                   NAME(name, #name),
#define TABLE_CALL(type, name, parameters, arguments, where) NAME(name, #name),
		/* clang-format off */
		KT_BUFFER_CALLS(TABLE_CALL)
		KT_OTHER_BUFFER_CALLS(OTHER_CALL)
	/* clang-format on */
#undef TABLE_CALL
#undef OTHER_CALL
			NAME(clone, "clone"),
		NAME(_Fork, "_Fork"),
		NAME(syscall, "syscall"),
		NAME(prctl, "prctl"),
		NAME(sigaction, "sigaction"),
		NAME(sigprocmask, "sigprocmask"),
		NAME(pthread_sigmask, "pthread_sigmask"),
		NAME(pthread_cancel, "pthread_cancel"),
		NAME(pthread_create, "pthread_create"),
		NAME(execve, "execve"),
		NAME(execvpe, "execvpe"),
		NAME(fexecve, "fexecve"),
		NAME(execveat, "execveat"),
		NAME(posix_spawn, "posix_spawn"),
		NAME(posix_spawnp, "posix_spawnp"),
		NAME(exit_now, "_exit"),
		NAME(close_range, "close_range"),
		NAME(ioctl, "ioctl"),
#undef NAME
	};
	/* ioctl is last: it tells kt_real() that all are there. */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *symbol = dlsym(RTLD_NEXT, names[i].name);

		if (!symbol) {
			memcpy(&symbol, &missing, sizeof(symbol));
		}
		memcpy((char *)&kt_real_functions + names[i].offset, &symbol,
		       sizeof(symbol));
	}
}
