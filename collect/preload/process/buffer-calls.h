/* SPDX-License-Identifier: MIT */
/*
 * System calls that are handed memory of the program's, as tables: input and output of
 * files and sockets, random bytes, locking of pages. See
 * collect/preload/interpose/buffers.h.
 */
#ifndef KTAIL_COLLECT_BUFFER_CALLS_H
#define KTAIL_COLLECT_BUFFER_CALLS_H

#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

struct mmsghdr;
struct timespec;

/*
 * Functions of libc: result, name, parameters, arguments, where the memory lies. The
 * __NAME_chk are what programs built with _FORTIFY_SOURCE call.
 */
/* clang-format off */
#define KT_BUFFER_CALLS(X) \
	X(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), BYTES(p, n)) \
	X(ssize_t, pread64, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), BYTES(p, n)) \
	X(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), VECTOR(v, n)) \
	X(ssize_t, preadv64, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), VECTOR(v, n)) \
	X(ssize_t, preadv2, (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags), VECTOR(v, n)) \
	X(ssize_t, preadv64v2, (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags), VECTOR(v, n)) \
	X(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), BYTES(p, n)) \
	X(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), BYTES(p, n)) \
	X(ssize_t, pwrite64, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), BYTES(p, n)) \
	X(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), VECTOR(v, n)) \
	X(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), VECTOR(v, n)) \
	X(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), VECTOR(v, n)) \
	X(ssize_t, pwritev2, (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags), VECTOR(v, n)) \
	X(ssize_t, pwritev64v2, (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags), VECTOR(v, n)) \
	X(ssize_t, vmsplice, (int fd, const struct iovec *v, size_t n, unsigned flags), (fd, v, n, flags), VECTOR(v, n)) \
	X(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), BYTES(p, n)) \
	X(ssize_t, recvfrom, (int fd, void *p, size_t n, int flags, __SOCKADDR_ARG from, socklen_t *size), \
	  (fd, p, n, flags, from, size), BYTES(p, n)) \
	X(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags), BYTES(p, n)) \
	X(ssize_t, sendto, (int fd, const void *p, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t size), \
	  (fd, p, n, flags, to, size), BYTES(p, n)) \
	X(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), MESSAGE(m)) \
	X(int, sendmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags), (fd, m, n, flags), MESSAGES(m, n)) \
	X(ssize_t, getrandom, (void *p, size_t n, unsigned flags), (p, n, flags), BYTES(p, n)) \
	X(size_t, fread, (void *p, size_t size, size_t n, FILE *file), (p, size, n, file), BYTES(p, size * n)) \
	X(size_t, fread_unlocked, (void *p, size_t size, size_t n, FILE *file), (p, size, n, file), BYTES(p, size * n)) \
	X(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *file), (p, size, n, file), BYTES(p, size * n)) \
	X(size_t, fwrite_unlocked, (const void *p, size_t size, size_t n, FILE *file), (p, size, n, file), BYTES(p, size * n)) \
	X(ssize_t, __pread_chk, (int fd, void *p, size_t n, off_t at, size_t room), (fd, p, n, at, room), BYTES(p, n)) \
	X(ssize_t, __pread64_chk, (int fd, void *p, size_t n, off_t at, size_t room), (fd, p, n, at, room), BYTES(p, n)) \
	X(ssize_t, __recv_chk, (int fd, void *p, size_t n, size_t room, int flags), (fd, p, n, room, flags), BYTES(p, n)) \
	X(ssize_t, __recvfrom_chk, (int fd, void *p, size_t n, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *size), \
	  (fd, p, n, room, flags, from, size), BYTES(p, n)) \
	X(size_t, __fread_chk, (void *p, size_t room, size_t size, size_t n, FILE *file), (p, room, size, n, file), BYTES(p, size * n)) \
	X(size_t, __fread_unlocked_chk, (void *p, size_t room, size_t size, size_t n, FILE *file), (p, room, size, n, file), \
	  BYTES(p, size * n)) \
	X(int, mlock, (const void *p, size_t n), (p, n), BYTES(p, n)) \
	X(int, mlock2, (const void *p, size_t n, unsigned flags), (p, n, flags), BYTES(p, n)) \
	X(int, madvise, (void *p, size_t n, int advice), (p, n, advice), BYTES(p, is_populating(advice) ? n : 0))

/*
 * These are given memory of two kinds, or bring descriptors, or wait for a device: written
 * out by hand.
 */
#define KT_OTHER_BUFFER_CALLS(X) \
	X(ssize_t, read, (int fd, void *p, size_t n)) \
	X(ssize_t, readv, (int fd, const struct iovec *v, int n)) \
	X(ssize_t, __read_chk, (int fd, void *p, size_t n, size_t room)) \
	X(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags)) \
	X(int, recvmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *timeout)) \
	X(ssize_t, process_vm_readv, (pid_t pid, const struct iovec *l, unsigned long nl, const struct iovec *r, \
				      unsigned long nr, unsigned long flags)) \
	X(ssize_t, process_vm_writev, (pid_t pid, const struct iovec *l, unsigned long nl, const struct iovec *r, \
				       unsigned long nr, unsigned long flags))
/* clang-format on */

#endif
