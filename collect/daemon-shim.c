/* SPDX-License-Identifier: MIT */
/*
 * libktail-sessiond.so: preloaded into a session daemon that root starts for one recording.
 * LTTng 2.13 has no setting for where root's daemon keeps its sockets: it is
 * /var/run/lttng, of which there is one. An ordinary user's lie under LTTNG_HOME. So the
 * daemon is told that it is not root when it asks whose it is; what it may do is not
 * changed by that.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT    __attribute__((visibility("default")))
#define NOT_ROOT  ((uid_t)-2)
#define WAIT_FILE "/lttng-ust-wait-"

static pid_t daemon_pid;

/*
 * LTTng refuses its environment where getuid() is not geteuid(), asking for the latter
 * first: a pair gets the truth.
 */
static _Thread_local bool asked_effective;

__attribute__((constructor)) static void start(void)
{
	daemon_pid = getpid();
}

EXPORT uid_t getuid(void)
{
	uid_t truth = (uid_t)syscall(SYS_getuid);
	bool pair = asked_effective;

	asked_effective = false;
	/* A forked worker makes files with the rights of others, and must know its own. */
	return pair || truth != 0 || getpid() != daemon_pid ? truth : NOT_ROOT;
}

EXPORT uid_t geteuid(void)
{
	asked_effective = true;
	return (uid_t)syscall(SYS_geteuid);
}

/*
 * A file on which programs wait for a daemon to come; those recorded come after it. Under
 * the name of a user that is none it would stay for ever.
 */
EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
	static int (*next)(const char *, int, mode_t);

	if (strncmp(name, WAIT_FILE, sizeof(WAIT_FILE) - 1) == 0) {
		return memfd_create("lttng-ust-wait", MFD_CLOEXEC);
	}
	if (!next) {
		void *symbol = dlsym(RTLD_NEXT, "shm_open");

		memcpy(&next, &symbol, sizeof(next));
	}
	return next(name, flags, mode);
}
