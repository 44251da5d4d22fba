/* SPDX-License-Identifier: MIT */
/*
 * System calls with buffers in the program's memory: see
 * collect/preload/interpose/buffers.h.
 */
#define _GNU_SOURCE
#include "collect/preload/interpose/buffers.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#undef fread_unlocked
#undef fwrite_unlocked

#include "collect/preload/interpose/descriptors.h"
#include "collect/preload/interpose/waits.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/signals/signal-carry.h"

#define PARTS_MAX     1024 /* UIO_MAXIOV: the kernel refuses more */
#define PARTS_AT_ONCE 16

/* --- location of the buffers --- */

void kt_buffers_add(struct kt_buffers *buffers, const void *start, size_t length)
{
	uintptr_t lo = (uintptr_t)start;

	if (!length || !kt_mapping_may_touch(lo, length)) {
		return;
	}
	if (!buffers->hi || lo < buffers->lo) {
		buffers->lo = lo;
	}
	if (lo + length > buffers->hi) {
		buffers->hi = lo + length;
	}
}

static bool has_mappings(void)
{
	return kt_mapping_may_touch(0, UINTPTR_MAX);
}

/* Copies from memory that may be unmapped or in a watched mapping. */
static bool read_copy(void *copy, const void *from, size_t length)
{
	struct kt_held held = kt_pages_hold((uintptr_t)from, length);
	bool done = kt_memory_read(copy, (uintptr_t)from, length) == length;

	kt_pages_release(held);
	return done;
}

void kt_buffers_add_vector(struct kt_buffers *buffers, const struct iovec *parts, size_t n)
{
	struct iovec copies[PARTS_AT_ONCE];

	if (!has_mappings() || n > PARTS_MAX) {
		return;
	}
	kt_buffers_add(buffers, parts, n * sizeof(*parts));
	while (n) {
		size_t now = n < PARTS_AT_ONCE ? n : PARTS_AT_ONCE;

		if (!read_copy(copies, parts, now * sizeof(*parts))) {
			return;
		}
		for (size_t i = 0; i < now; i++) {
			kt_buffers_add(buffers, copies[i].iov_base, copies[i].iov_len);
		}
		parts += now;
		n -= now;
	}
}

void kt_buffers_add_message(struct kt_buffers *buffers, const struct msghdr *message)
{
	struct msghdr copy;

	if (!has_mappings() || !read_copy(&copy, message, sizeof(copy))) {
		return;
	}
	kt_buffers_add(buffers, message, sizeof(copy));
	kt_buffers_add(buffers, copy.msg_name, copy.msg_namelen);
	kt_buffers_add(buffers, copy.msg_control, copy.msg_controllen);
	kt_buffers_add_vector(buffers, copy.msg_iov, copy.msg_iovlen);
}

void kt_buffers_add_messages(struct kt_buffers *buffers, const struct mmsghdr *messages,
			     size_t n)
{
	if (!has_mappings() || n > PARTS_MAX) {
		return;
	}
	kt_buffers_add(buffers, messages, n * sizeof(*messages));
	for (size_t i = 0; i < n; i++) {
		kt_buffers_add_message(buffers, &messages[i].msg_hdr);
	}
}

/* --- opening for the kernel --- */

void kt_buffers_hold(struct kt_buffers *buffers)
{
	if (buffers->hi) {
		buffers->held = kt_pages_hold(buffers->lo, buffers->hi - buffers->lo);
	}
}

void kt_buffers_release(void *argument)
{
	const struct kt_buffers *buffers = argument;

	kt_pages_release(buffers->held);
}

/*
 * Makes the call with the pages open, and closes them even if the thread is cancelled
 * during the call.
 */
#define HELD_CALL(buffers, call)                                                           \
	do {                                                                               \
		kt_buffers_hold(buffers);                                                  \
		pthread_cleanup_push(kt_buffers_release, buffers);                         \
		call;                                                                      \
		pthread_cleanup_pop(1);                                                    \
	} while (0)

/* --- the calls of the table --- */

#define BYTES(start, length)  kt_buffers_add(&buffers, start, length)
#define VECTOR(parts, n)      kt_buffers_add_vector(&buffers, parts, (size_t)(n))
#define MESSAGE(message)      kt_buffers_add_message(&buffers, message)
#define MESSAGES(messages, n) kt_buffers_add_messages(&buffers, messages, n)

/* Returns whether the advice makes madvise(2) access the pages. */
static bool is_populating(int advice)
{
	return advice == MADV_POPULATE_READ || advice == MADV_POPULATE_WRITE;
}

/* clang-format off */
#define DEFINE(type, name, parameters, arguments, where)                                   \
	KT_INTERPOSE type name parameters;                                                 \
                                                                                           \
	KT_INTERPOSE type name parameters                                                  \
	{                                                                                  \
		struct kt_buffers buffers = {.hi = 0};                                     \
		type result;                                                               \
                                                                                           \
		where;                                                                     \
		if (!buffers.hi) {                                                         \
			return kt_next()->name arguments;                                  \
		}                                                                          \
		HELD_CALL(&buffers, result = kt_next()->name arguments);                   \
		return result;                                                             \
	}
/* clang-format on */

KT_BUFFER_CALLS(DEFINE)

/* --- calls that may wait for a device --- */

/* clang-format off */
#define READS(name, call, parameters, arguments, where, records)                           \
	KT_INTERPOSE ssize_t name parameters;                                              \
                                                                                           \
	KT_INTERPOSE ssize_t name parameters                                               \
	{                                                                                  \
		struct kt_buffers buffers = {.hi = 0};                                     \
		struct kt_wait wait;                                                       \
		ssize_t result;                                                            \
                                                                                           \
		where;                                                                     \
		kt_wait_begin(&wait, call, fd);                                     \
		if (buffers.hi) {                                                          \
			HELD_CALL(&buffers, result = kt_next()->name arguments);           \
		} else {                                                                   \
			result = kt_next()->name arguments;                                \
			records;                                                           \
		}                                                                          \
		kt_wait_end(&wait, result);                                                \
		return result;                                                             \
	}
/* clang-format on */

/*
 * If the data is from a signalfd, restores the recorder's signals in its records: see
 * collect/preload/signals/signal-carry.h.
 */
#define RECORDS(start, length)                                                             \
	kt_carry_undo_read(&(const struct iovec){start, length}, 1, result)

READS(read, "read", (int fd, void *p, size_t n), (fd, p, n), BYTES(p, n), RECORDS(p, n))
READS(readv, "readv", (int fd, const struct iovec *v, int n), (fd, v, n), VECTOR(v, n),
      kt_carry_undo_read(v, (size_t)n, result))
READS(__read_chk, "read", (int fd, void *p, size_t n, size_t buflen), (fd, p, n, buflen),
      BYTES(p, n), RECORDS(p, n))

KT_SECOND_NAME(__read, read);
KT_SECOND_NAME(__write, write);
KT_SECOND_NAME(__pread64, pread64);
KT_SECOND_NAME(__pwrite64, pwrite64);
KT_SECOND_NAME(__send, send);

/* --- calls that receive descriptors --- */

KT_INTERPOSE ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	struct kt_buffers buffers = {.hi = 0};
	ssize_t result;

	MESSAGE(m);
	HELD_CALL(
		&buffers, result = kt_next()->recvmsg(fd, m, flags); if (result >= 0) {
			if (kt_tracer_has_code(__builtin_return_address(0))) {
				kt_tracer_received(m);
			}
			kt_descriptors_received(m);
		});
	return result;
}

KT_INTERPOSE int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags,
			  struct timespec *timeout)
{
	struct kt_buffers buffers = {.hi = 0};
	int result;

	MESSAGES(m, n);
	HELD_CALL(
		&buffers, result = kt_next()->recvmmsg(fd, m, n, flags, timeout);
		for (int i = 0; i < result;
		     i++) { kt_descriptors_received(&m[i].msg_hdr); });
	return result;
}

/* --- calls that access the memory of another process, or of this one --- */

#define BETWEEN_PROCESSES(name)                                                            \
	KT_INTERPOSE ssize_t name(pid_t pid, const struct iovec *local, unsigned long n,   \
				  const struct iovec *remote, unsigned long n_remote,      \
				  unsigned long flags)                                     \
	{                                                                                  \
		struct kt_buffers buffers = {.hi = 0};                                     \
		ssize_t result;                                                            \
                                                                                           \
		VECTOR(local, n);                                                          \
		if (pid == getpid()) {                                                     \
			VECTOR(remote, n_remote);                                          \
		}                                                                          \
		HELD_CALL(&buffers, result = kt_next()->name(pid, local, n, remote,        \
							     n_remote, flags));            \
		return result;                                                             \
	}

BETWEEN_PROCESSES(process_vm_readv)
BETWEEN_PROCESSES(process_vm_writev)
