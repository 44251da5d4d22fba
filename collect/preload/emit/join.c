/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/emit/join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "collect/admission.h"
#include "collect/environment.h"
#include "collect/preload/emit/account.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"

/* Copied from the environment at start, because the program may change its environment. */
static struct sockaddr_un recording; /* empty path: no recording */
static char key[KT_KEY_SIZE];
static bool started;
static uid_t user; /* effective user when this program started */
static _Thread_local bool counted_exec;
static _Thread_local uint64_t shut_out_before; /* the counter before, if counted_exec */

/*
 * Repeats a system call while it fails with EINTR: a timer's signal, or a stop and
 * continuation of the process, may interrupt it.
 */
#define AGAIN(result, call)                                                                \
	do {                                                                               \
		(result) = (call);                                                         \
	} while ((result) == -EINTR)

/*
 * Receives the answer and returns whether it admits the process. *counters is the received
 * descriptor, or -1.
 */
static bool receive(int fd, int *counters)
{
	struct kt_admission_answer answer = {0};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec data = {&answer, sizeof(answer)};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *rights;
	long n;

	AGAIN(n, KT_KERNEL_TRY(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC));
	rights = kt_kernel_failed(n) ? NULL : CMSG_FIRSTHDR(&message);
	*counters = -1;
	if (rights && rights->cmsg_type == SCM_RIGHTS &&
	    rights->cmsg_len == CMSG_LEN(sizeof(int))) {
		memcpy(counters, CMSG_DATA(rights), sizeof(int));
	}
	return n == (long)sizeof(answer) && answer.admitted;
}

/*
 * Joins with system calls that bypass libc: at the start of the process interposed
 * functions are not ready, and libc's functions are cancellation points.
 */
static bool join(bool want_counters)
{
	const char *text = getenv(KT_HOLD_VARIABLE);
	unsigned long ms = text ? strtoul(text, NULL, 10) : 0;
	struct timeval limit = {0};
	struct kt_admission_request request = {.want_counters = want_counters};
	long fd = KT_KERNEL_TRY(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	int counters = -1;
	bool joined = false;
	long result;

	if (kt_kernel_failed(fd)) {
		kt_count(&kt_counters->not_joined);
		return false;
	}
	memcpy(request.key, key, sizeof(key));
	/*
	 * Waits for the supervisor as long as --hold or --lossless lets LTTng wait for
	 * buffer space, but at least KT_ACCOUNT_DEFAULT_MS.
	 */
	if (!text || strcmp(text, "forever") != 0) {
		ms = ms > KT_ACCOUNT_DEFAULT_MS ? ms : KT_ACCOUNT_DEFAULT_MS;
		limit.tv_sec = (time_t)(ms / 1000);
	}
	KT_KERNEL(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	KT_KERNEL(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	AGAIN(result, KT_KERNEL_TRY(SYS_connect, fd, &recording, sizeof(recording)));
	/*
	 * Checks that the peer is root or this user. The run folder is removed when the
	 * recording ends; then another user could create a folder of the same name.
	 */
	if (result == 0 &&
	    KT_KERNEL(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	    (peer.uid == 0 || peer.uid == geteuid())) {
		result = KT_KERNEL_TRY(SYS_sendto, fd, &request, sizeof(request),
				       MSG_NOSIGNAL, NULL, 0);
		joined = result == (long)sizeof(request) && receive((int)fd, &counters);
	}
	KT_KERNEL(SYS_close, fd);
	if (counters >= 0) {
		kt_counters_map(counters);
		KT_KERNEL(SYS_close, counters);
	}
	if (!joined) {
		kt_count(&kt_counters->not_joined);
	}
	if (result == -EACCES) {
		atomic_store(&kt_counters->shut_out_user, (uint64_t)geteuid());
	}
	return joined;
}

bool kt_join_at_start(void)
{
	const char *path = getenv(KT_ADMISSION_VARIABLE);
	const char *text = getenv(KT_KEY_VARIABLE);

	started = true;
	user = geteuid();
	if (!path || strlen(path) >= sizeof(recording.sun_path) || !text ||
	    strlen(text) != sizeof(key)) {
		return true;
	}
	recording.sun_family = AF_UNIX;
	snprintf(recording.sun_path, sizeof(recording.sun_path), "%s", path);
	memcpy(key, text, sizeof(key));
	return join(true);
}

bool kt_join_is_recorded(void)
{
	return started ? recording.sun_path[0] : getenv(KT_ADMISSION_VARIABLE) != NULL;
}

void kt_join_after_fork(void)
{
	if (recording.sun_path[0]) {
		join(false);
	}
}

/*
 * Calls faccessat2(2) only after a change of user, because the program's seccomp filter may
 * forbid the call.
 */
void kt_join_before_exec(void)
{
	counted_exec = recording.sun_path[0] && geteuid() != user &&
		       KT_KERNEL(SYS_faccessat2, AT_FDCWD, recording.sun_path, W_OK,
				 AT_EACCESS) == -EACCES;
	if (counted_exec) {
		kt_count(&kt_counters->not_joined);
		shut_out_before =
			atomic_exchange(&kt_counters->shut_out_user, (uint64_t)geteuid());
	}
}

void kt_join_after_failed_exec(void)
{
	uint64_t counted = (uint64_t)geteuid();

	if (counted_exec) {
		kt_count_many(&kt_counters->not_joined, (uint64_t)-1);
		atomic_compare_exchange_strong(&kt_counters->shut_out_user, &counted,
					       shut_out_before);
		counted_exec = false;
	}
}
