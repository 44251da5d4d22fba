/* SPDX-License-Identifier: MIT */
/*
 * libktail-sessiond.so: preloaded into the session daemon of one recording and, because the
 * environment is inherited, into the consumer daemon.
 *
 * LTTng 2.13 always puts root's sockets into /var/run/lttng, and an ordinary user's under
 * LTTNG_HOME. So that root's daemon uses LTTNG_HOME too, its calls of getuid() return
 * another user's number (NOT_ROOT). The daemon's privileges do not change.
 *
 * A daemon gets SIGTERM when its parent is killed, but may then wait without limit: the
 * session daemon for a consumer that does not answer, the consumer for its session daemon.
 * Each daemon therefore exits GRACE_S seconds after its parent has ended.
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
 * Seconds that a daemon has for writing out its data after its parent has ended. The
 * session daemon may take this time, and then the consumer may take it again; together,
 * they must take less than ten seconds.
 */
#define GRACE_S 4

static pid_t daemon_pid;
static pid_t parent_pid;
static bool for_machine; /* this is root's system-wide daemon */

/*
 * True between the thread's call of geteuid() and its next call of getuid(), which returns
 * the true value. LTTng calls geteuid() and then getuid() to compare the two results, and
 * ignores its environment if they differ.
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
 * Refuses network sockets. LTTng would listen for agents of Java and Python programs at a
 * local TCP port, where every user could exhaust the daemon's descriptors. The daemon
 * continues without the port.
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
	 * A forked worker creates files with other users' rights, and needs the true user
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
 * Returns anonymous memory instead of LTTng's wait file, on which programs wait until a
 * daemon runs. Recorded programs start after the daemon, so they do not need the file. Its
 * name would contain NOT_ROOT, a user number that does not exist, and the file would never
 * be removed.
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
