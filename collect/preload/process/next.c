/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

struct kt_next kt_next_functions;

static pid_t (*libc_fork)(void);

/*
 * Resolves fork() separately. The other functions may be resolved when an allocator calls
 * mmap(), where dlopen() cannot be used because it allocates. The first call of fork()
 * would be too late, because it must not wait for the loader's lock: the lock's owner may
 * be a thread in a library's constructor that waits for the forking thread.
 */
void kt_next_find_fork(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = libc ? dlsym(libc, "fork") : dlsym(RTLD_NEXT, "fork");

	memcpy(&libc_fork, &symbol, sizeof(symbol));
}

/*
 * Calls libc's fork() directly: the fork() of another library may be the caller.
 */
pid_t kt_next_fork(void)
{
	if (!libc_fork) {
		kt_next_find_fork();
	}
	return libc_fork();
}

/* Replaces functions that this libc does not have. */
static long no_such_function(void)
{
	errno = ENOSYS;
	return -1;
}

void kt_next_resolve(void)
{
	long (*const missing)(void) = no_such_function;
	static const struct {
		const char *name;
		size_t offset;
	} names[] = {
/* clang-format off */
#define NAME(type, name, parameters)                         {#name, offsetof(struct kt_next, name)},
#define TABLE_NAME(type, name, parameters, arguments, where) NAME(type, name, parameters)
		KT_BUFFER_CALLS(TABLE_NAME)
		KT_OTHER_CALLS(NAME)
#undef TABLE_NAME
#undef NAME
		/* clang-format on */
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *symbol = dlsym(RTLD_NEXT, names[i].name);

		if (!symbol) {
			memcpy(&symbol, &missing, sizeof(symbol));
		}
		memcpy((char *)&kt_next_functions + names[i].offset, &symbol,
		       sizeof(symbol));
	}
}
