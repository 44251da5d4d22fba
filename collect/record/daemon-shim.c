/* SPDX-License-Identifier: MIT */
/*
 * libktail-sessiond.so: preloaded into the session daemon of one recording, which passes it
 * on to its consumer daemon.
 *
 * LTTng 2.13 has no setting for the folder of root's sockets: it is always /var/run/lttng.
 * An ordinary user's sockets are under LTTNG_HOME, so in root's daemon getuid() returns
 * another user's number. The daemon's privileges do not change.
 *
 * A daemon gets SIGTERM when its parent is killed, but may then wait without limit: the
 * session daemon for a consumer that does not answer, the consumer for its session daemon.
 * Each daemon therefore exits GRACE_S after its parent has ended.
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
#define POLL_NS   250000000 /* interval at which the parent is checked */
/*
 * Seconds for writing out the data after the parent has ended. The session daemon and then
 * its consumer each take this time, and the sum must be less than ten.
 */
#define GRACE_S 4

static pid_t daemon_pid;
static pid_t parent_pid;
static bool for_machine; /* this is root's system-wide daemon */

/*
 * The thread's last call was geteuid(). LTTng ignores its environment if getuid() differs
 * from geteuid(), and calls geteuid() first: a getuid() right after it returns the real
 * value.
 */
static _Thread_local bool asked_effective;

/*
 * Polls, because LTTng's daemons close all descriptors at start, so a pidfd would not
 * survive.
 */
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
 * LTTng listens for agents of Java and Python programs at a local TCP port, where every
 * user could exhaust the daemon's descriptors. The daemon continues without the port.
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
	/*
	 * A forked worker creates files with other users' rights, and needs the real user
	 * number.
	 */
	return pair || truth != 0 || getpid() != daemon_pid || for_machine ? truth
									   : NOT_ROOT;
}

EXPORT uid_t geteuid(void)
{
	asked_effective = true;
	return (uid_t)syscall(SYS_geteuid);
}

/*
 * Programs wait on this file until a daemon runs, but recorded programs start after the
 * daemon. The file is replaced by anonymous memory: created under a user number that does
 * not exist, it would never be removed.
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
