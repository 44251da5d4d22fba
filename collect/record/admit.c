/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/admit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "collect/admission.h"

/* Data of an epoll event: a pid, or one of the following. */
#define LISTENER UINT64_MAX
#define PEER     (UINT64_C(1) << 62) /* plus the descriptor of a connection */
/* Descriptors reserved for connections rather than pidfds. */
#define RESERVE (KT_ADMIT_SILENT + 64)

struct kt_admitted {
	pid_t pid;    /* valid in the session daemon's PID namespace as well */
	int lifetime; /* Owned by this: pidfd */
	bool tracked;
};

/* --- processes that are recorded --- */

static bool has_ended(const struct kt_admitted *process)
{
	struct pollfd end = {.fd = process->lifetime, .events = POLLIN};

	return poll(&end, 1, 0) > 0;
}

static void remove_at(struct kt_admit *admit, size_t at)
{
	close(admit->processes[at].lifetime);
	admit->processes[at] = admit->processes[--admit->n_processes];
}

/* Returns whether the process has joined before. A process joins again after an exec. */
static bool is_known(struct kt_admit *admit, pid_t pid)
{
	for (size_t i = 0; i < admit->n_processes; i++) {
		if (admit->processes[i].pid != pid) {
			continue;
		}
		if (!has_ended(&admit->processes[i])) {
			return true;
		}
		/*
		 * The pid was reused before note_end() was called for the former process.
		 * LTTng still tracks the pid.
		 */
		remove_at(admit, i);
		return false;
	}
	return false;
}

/*
 * Notes the process, so that it is untracked when it exits. A process without a pidfd stays
 * tracked until the session ends.
 */
static void follow(struct kt_admit *admit, pid_t pid, bool tracked)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)pid};
	struct rlimit files = {0};
	int lifetime;

	if (is_known(admit, pid) ||
	    kt_array_reserve(&admit->processes, &admit->capacity, admit->n_processes + 1)) {
		return;
	}
	lifetime = (int)syscall(SYS_pidfd_open, pid, 0);
	if (lifetime < 0) {
		return;
	}
	/* Keeps descriptors in reserve, so that other processes can still join. */
	if ((getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	     (rlim_t)lifetime + RESERVE >= files.rlim_cur) ||
	    epoll_ctl(admit->events, EPOLL_CTL_ADD, lifetime, &event) != 0) {
		close(lifetime);
		return;
	}
	admit->processes[admit->n_processes++] =
		(struct kt_admitted){.pid = pid, .lifetime = lifetime, .tracked = tracked};
}

static void note_end(struct kt_admit *admit, pid_t pid)
{
	for (size_t i = 0; i < admit->n_processes; i++) {
		if (admit->processes[i].pid == pid && has_ended(&admit->processes[i])) {
			remove_at(admit, i);
			if (!admit->stuck) {
				admit->options.track(admit->options.context, pid, false);
			}
			return;
		}
	}
}

/*
 * Makes LTTng record the process. If LTTng does not answer, kt_admit_retry() tries again
 * later, because other processes are waiting.
 */
static bool track(struct kt_admit *admit, pid_t pid)
{
	bool tracked = !admit->stuck && pid > 0 &&
		       admit->options.track(admit->options.context, pid, true);

	if (!tracked) {
		admit->late++;
		admit->stuck |= pid > 0;
	}
	return tracked;
}

void kt_admit_retry(struct kt_admit *admit)
{
	if (!admit->stuck) {
		return;
	}
	for (size_t i = 0; i < admit->n_processes; i++) {
		struct kt_admitted *process = &admit->processes[i];

		if (!process->tracked &&
		    !admit->options.track(admit->options.context, process->pid, true)) {
			return;
		}
		process->tracked = true;
	}
	admit->stuck = false;
}

/* --- requests --- */

static bool is_key(const struct kt_admit *admit, const char *key)
{
	unsigned difference = 0;

	/* Takes constant time, so that timing does not reveal a partly correct key. */
	for (size_t i = 0; i < KT_KEY_SIZE; i++) {
		difference |= (unsigned char)(key[i] ^ admit->options.key[i]);
	}
	return difference == 0;
}

/*
 * Answers the connection's request, if it has arrived. A process in a sibling PID namespace
 * has pid 0 here and is not tracked; LTTng itself refuses such a process.
 */
static void serve_peer(struct kt_admit *admit, int peer)
{
	struct kt_admission_request request;
	struct ucred who = {0};
	socklen_t size = sizeof(who);
	ssize_t n = recv(peer, &request, sizeof(request), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		return;
	}
	if (n == sizeof(request) && is_key(admit, request.key) &&
	    getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) {
		bool tracked = track(admit, who.pid);
		struct kt_admission_answer admitted = {.admitted = 1};
		union {
			char bytes[CMSG_SPACE(sizeof(int))];
			struct cmsghdr align;
		} control = {0};
		struct iovec data = {&admitted, sizeof(admitted)};
		struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};

		if (who.pid > 0) {
			follow(admit, who.pid, tracked);
		}
		if (request.want_counters == 1) {
			struct cmsghdr *rights;

			message.msg_control = control.bytes;
			message.msg_controllen = sizeof(control.bytes);
			rights = CMSG_FIRSTHDR(&message);
			rights->cmsg_level = SOL_SOCKET;
			rights->cmsg_type = SCM_RIGHTS;
			rights->cmsg_len = CMSG_LEN(sizeof(int));
			memcpy(CMSG_DATA(rights), &admit->options.counters, sizeof(int));
		}
		sendmsg(peer, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	} else if (n > 0) {
		admit->refused++;
	}
	for (size_t i = 0; i < KT_ADMIT_SILENT; i++) {
		if (admit->silent[i] == peer) {
			admit->silent[i] = 0;
		}
	}
	close(peer);
}

/*
 * Accepts connections and serves those that have sent a request. If the slot of a new
 * connection is in use, closes the connection in the slot, which has sent no request while
 * KT_ADMIT_SILENT later connections came.
 */
static void accept_some(struct kt_admit *admit)
{
	for (int i = 0; i < KT_ADMIT_SILENT; i++) {
		int *slot = &admit->silent[admit->n_silent % KT_ADMIT_SILENT];
		int peer =
			accept4(admit->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct epoll_event event = {.events = EPOLLIN,
					    .data.u64 = PEER | (uint64_t)peer};

		if (peer < 0) {
			return;
		}
		if (epoll_ctl(admit->events, EPOLL_CTL_ADD, peer, &event) != 0) {
			close(peer);
			return;
		}
		if (*slot) {
			close(*slot);
			admit->late++;
		}
		*slot = peer;
		admit->n_silent++;
		serve_peer(admit, peer);
	}
}

void kt_admit_serve(struct kt_admit *admit)
{
	struct epoll_event ready[64];
	int n = epoll_wait(admit->events, ready, 64, 0);

	for (int i = 0; i < n; i++) {
		if (ready[i].data.u64 < PEER) {
			note_end(admit, (pid_t)ready[i].data.u64);
		}
	}
	for (int i = 0; i < n; i++) {
		if (ready[i].data.u64 >= PEER && ready[i].data.u64 != LISTENER) {
			serve_peer(admit, (int)(ready[i].data.u64 & ~PEER));
		}
	}
	/* The listener comes last, because accept_some() may close other connections. */
	for (int i = 0; i < n; i++) {
		if (ready[i].data.u64 == LISTENER) {
			accept_some(admit);
		}
	}
}

/* --- start and end --- */

int kt_admit_open(struct kt_admit *admit, const struct kt_admit_options *options)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = LISTENER};
	struct rlimit files;

	*admit = (struct kt_admit){.options = *options, .listener = -1};
	/*
	 * Raises the limit of descriptors, because each running process that is recorded
	 * needs a descriptor here.
	 */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	admit->events = epoll_create1(EPOLL_CLOEXEC);
	if (admit->events >= 0) {
		admit->listener =
			socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	}
	if (admit->listener >= 0 && strlen(options->socket) < sizeof(address.sun_path)) {
		snprintf(address.sun_path, sizeof(address.sun_path), "%s", options->socket);
		/* The folder's permissions restrict who can connect. */
		if (bind(admit->listener, (struct sockaddr *)&address, sizeof(address)) ==
			    0 &&
		    chmod(options->socket, 0666) == 0 &&
		    listen(admit->listener, SOMAXCONN) == 0 &&
		    epoll_ctl(admit->events, EPOLL_CTL_ADD, admit->listener, &event) == 0) {
			return KT_OK;
		}
	}
	kt_error_errno(KT_E_IO, "listen at %s", options->socket);
	kt_admit_close(admit);
	return KT_E_IO;
}

void kt_admit_close(struct kt_admit *admit)
{
	if (admit->listener >= 0) {
		close(admit->listener);
		admit->listener = -1;
	}
	if (admit->events >= 0) {
		close(admit->events);
		admit->events = -1;
	}
	for (size_t i = 0; i < KT_ADMIT_SILENT; i++) {
		if (admit->silent[i]) {
			close(admit->silent[i]);
			admit->silent[i] = 0;
		}
	}
	while (admit->n_processes) {
		remove_at(admit, admit->n_processes - 1);
	}
	free(admit->processes);
	admit->processes = NULL;
	admit->capacity = 0;
}
