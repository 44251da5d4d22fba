/* SPDX-License-Identifier: MIT */
/*
 * The next definitions, in the loader's search order, of the functions that the recorder
 * interposes: libc's, or those of a library that stands in for the kernel driver. Resolved
 * on first use.
 */
#ifndef KTAIL_COLLECT_NEXT_H
#define KTAIL_COLLECT_NEXT_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

struct epoll_event;
struct mmsghdr;

/*
 * Functions that are interposed only because of the program's buffer in their arguments. A
 * row has result, name, parameters, arguments and the location of the buffer
 * (collect/preload/interpose/buffers.h). Programs built with _FORTIFY_SOURCE call the
 * __NAME_chk variants.
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
	X(ssize_t, __pread_chk, (int fd, void *p, size_t n, off_t at, size_t buflen), (fd, p, n, at, buflen), BYTES(p, n)) \
	X(ssize_t, __pread64_chk, (int fd, void *p, size_t n, off_t at, size_t buflen), (fd, p, n, at, buflen), BYTES(p, n)) \
	X(ssize_t, __recv_chk, (int fd, void *p, size_t n, size_t buflen, int flags), (fd, p, n, buflen, flags), BYTES(p, n)) \
	X(ssize_t, __recvfrom_chk, (int fd, void *p, size_t n, size_t buflen, int flags, __SOCKADDR_ARG from, socklen_t *size), \
	  (fd, p, n, buflen, flags, from, size), BYTES(p, n)) \
	X(size_t, __fread_chk, (void *p, size_t buflen, size_t size, size_t n, FILE *file), (p, buflen, size, n, file), BYTES(p, size * n)) \
	X(size_t, __fread_unlocked_chk, (void *p, size_t buflen, size_t size, size_t n, FILE *file), (p, buflen, size, n, file), \
	  BYTES(p, size * n)) \
	X(int, mlock, (const void *p, size_t n), (p, n), BYTES(p, n)) \
	X(int, mlock2, (const void *p, size_t n, unsigned flags), (p, n, flags), BYTES(p, n)) \
	X(int, madvise, (void *p, size_t n, int advice), (p, n, advice), BYTES(p, is_populating(advice) ? n : 0))

/*
 * All other functions; a row has result, name and parameters. ioctl must be the last row:
 * once it is set, kt_next() considers all functions resolved.
 */
#define KT_OTHER_CALLS(X) \
	X(ssize_t, read, (int, void *, size_t)) \
	X(ssize_t, readv, (int, const struct iovec *, int)) \
	X(ssize_t, __read_chk, (int, void *, size_t, size_t)) \
	X(ssize_t, recvmsg, (int, struct msghdr *, int)) \
	X(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *)) \
	X(ssize_t, process_vm_readv, (pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, \
				      unsigned long)) \
	X(ssize_t, process_vm_writev, (pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, \
				       unsigned long)) \
	X(int, open, (const char *, int, ...)) \
	X(int, openat, (int, const char *, int, ...)) \
	X(int, close, (int)) \
	X(int, close_range, (unsigned, unsigned, int)) \
	X(int, socket, (int, int, int)) \
	X(int, shm_open, (const char *, int, mode_t)) \
	X(int, dup, (int)) \
	X(int, dup2, (int, int)) \
	X(int, dup3, (int, int, int)) \
	X(int, fcntl, (int, int, ...)) \
	X(FILE *, fopen, (const char *, const char *)) \
	X(FILE *, freopen, (const char *, const char *, FILE *)) \
	X(int, fclose, (FILE *)) \
	X(void *, mmap, (void *, size_t, int, int, int, off_t)) \
	X(int, munmap, (void *, size_t)) \
	X(void *, mremap, (void *, size_t, size_t, int, ...)) \
	X(int, mprotect, (void *, size_t, int)) \
	X(int, pkey_mprotect, (void *, size_t, int, int)) \
	X(void *, shmat, (int, const void *, int)) \
	X(int, remap_file_pages, (void *, size_t, int, size_t, int)) \
	X(int, poll, (struct pollfd *, nfds_t, int)) \
	X(int, __poll_chk, (struct pollfd *, nfds_t, int, size_t)) \
	X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)) \
	X(int, __ppoll_chk, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t)) \
	X(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *)) \
	X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *)) \
	X(int, epoll_create, (int)) \
	X(int, epoll_create1, (int)) \
	X(int, epoll_ctl, (int, int, int, struct epoll_event *)) \
	X(int, epoll_wait, (int, struct epoll_event *, int, int)) \
	X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *)) \
	X(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *)) \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *)) \
	X(int, sigsuspend, (const sigset_t *)) \
	X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *)) \
	X(int, pthread_attr_setsigmask_np, (pthread_attr_t *, const sigset_t *)) \
	X(int, pthread_attr_getsigmask_np, (const pthread_attr_t *, sigset_t *)) \
	X(int, pthread_cancel, (pthread_t)) \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
	X(int, clone, (int (*)(void *), void *, int, void *, ...)) \
	X(pid_t, _Fork, (void)) \
	X(int, execve, (const char *, char *const[], char *const[])) \
	X(int, execvpe, (const char *, char *const[], char *const[])) \
	X(int, fexecve, (int, char *const[], char *const[])) \
	X(int, execveat, (int, const char *, char *const[], char *const[], int)) \
	X(int, posix_spawn, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
			     char *const[], char *const[])) \
	X(int, posix_spawnp, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
			      char *const[], char *const[])) \
	X(void, _exit, (int)) \
	X(int, prctl, (int, ...)) \
	X(long, syscall, (long, ...)) \
	X(int, ioctl, (int, unsigned long, ...))
/* clang-format on */

struct kt_next {
#define MEMBER(type, name, parameters) type(*name) parameters;
#define TABLE_MEMBER(type, name, parameters, arguments, where)                             \
	MEMBER(type, name, parameters)
	KT_BUFFER_CALLS(TABLE_MEMBER)
	KT_OTHER_CALLS(MEMBER)
#undef TABLE_MEMBER
#undef MEMBER
};

extern struct kt_next kt_next_functions;
void kt_next_resolve(void);

/* Finds libc's own fork(). Without this call, the first kt_next_fork() finds it. */
void kt_next_find_fork(void);
pid_t kt_next_fork(void);

static inline const struct kt_next *kt_next(void)
{
	if (__builtin_expect(!kt_next_functions.ioctl, 0)) {
		kt_next_resolve();
	}
	return &kt_next_functions;
}

#endif
