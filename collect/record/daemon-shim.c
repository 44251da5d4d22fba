/* SPDX-License-Identifier: MIT */
/*
 * libktail-sessiond.so: preloaded into a session daemon that is started for one recording,
 * and by it into its consumer daemon.
 *
 * LTTng 2.13 has no setting for where root's daemon keeps its sockets: it is
 * /var/run/lttng, of which there is one. An ordinary user's lie under LTTNG_HOME. So root's
 * daemon is told that it is not root when it asks whose it is; what it may do is not
 * changed by that.
 *
 * A daemon gets SIGTERM when its parent is killed, but LTTng may wait for ever then: a
 * session daemon for a consumer that has not answered, a consumer for its session daemon.
 * So each ends by itself some time after its parent.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "collect/record/daemon.h"

#define EXPORT    __attribute__((visibility("default")))
#define NOT_ROOT  ((uid_t)-2)
#define WAIT_FILE "/lttng-ust-wait-"
#define POLL_NS   250000000 /* how often the parent is looked for */
#define GRACE_S   4         /* to write out what is there, twice in a row below ten */

static pid_t daemon_pid;
static pid_t parent_pid;
static bool for_machine; /* the daemon for the kernel's events: root's own */

/*
 * LTTng refuses its environment where getuid() is not geteuid(), asking for the latter
 * first: a pair gets the truth.
 */
static _Thread_local bool asked_effective;

/* No descriptor of ours would do: LTTng's daemons close all that they find at start. */
static void *outlive_parent(void *unused)
{
	const struct timespec interval = {.tv_nsec = POLL_NS};
	const struct timespec grace = {.tv_sec = GRACE_S};

	while (getppid() == parent_pid) {
		nanosleep(&interval, NULL);
	}
	nanosleep(&grace, NULL);
	_exit(1);
	return unused;
}

__attribute__((constructor)) static void start(void)
{
	sigset_t all;
	sigset_t before;
	pthread_t thread;

	daemon_pid = getpid();
	parent_pid = getppid();
	for_machine = getenv(KT_MACHINE_VARIABLE) != NULL;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, outlive_parent, NULL) == 0) {
		pthread_detach(thread);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/*
 * LTTng listens for agents of Java and Python programs at a TCP port of this machine, where
 * every user can take up all descriptors of the daemon. It goes on without.
 */
EXPORT int socket(int domain, int type, int protocol)
{
	if (domain == AF_INET || domain == AF_INET6) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	return (int)syscall(SYS_socket, domain, type, protocol);
}

EXPORT uid_t getuid(void)
{
	uid_t truth = (uid_t)syscall(SYS_getuid);
	bool pair = asked_effective;

	asked_effective = false;
	/* A forked worker makes files with the rights of others, and must know its own. */
	return pair || truth != 0 || getpid() != daemon_pid || for_machine ? truth
									   : NOT_ROOT;
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
