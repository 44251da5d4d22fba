/* SPDX-License-Identifier: MIT */
/*
 * syscall(2) of libc: device files by the numbers of system calls. What is not of theirs
 * goes on exactly as it came, with the stack as it was: some calls return on another one,
 * or twice.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/syscall-entry.h"
#include "corpus/softgpu/face/interpose.h"
#include "corpus/softgpu/face/next.h"

/* Read by the assembly of the entry. */
__attribute__((visibility("hidden"))) long (*kt_face_system_next)(long, ...);
__attribute__((visibility("hidden"))) bool kt_face_system(struct kt_system_call *call);

KT_SYSCALL_ENTRY(kt_face_system, kt_face_system_next);

static bool done(struct kt_system_call *call, long result)
{
	call->number = result;
	return true;
}

static bool open_by_number(struct kt_system_call *s, long path, long flags)
{
	int fd;

	return kt_face_open_path((const char *)path, (int)flags, &fd) && done(s, fd);
}

/* true: the call was answered, and what syscall() returns is in place of its number. */
bool kt_face_system(struct kt_system_call *s)
{
	__atomic_store_n(&kt_face_system_next, kt_face_next()->syscall, __ATOMIC_RELAXED);
	switch (s->number) {
	case SYS_open: return open_by_number(s, s->a, s->b);
	case SYS_openat: return open_by_number(s, s->b, s->c);
	case SYS_openat2: return s->c && open_by_number(s, s->b, (long)*(uint64_t *)s->c);
	case SYS_ioctl:
		return kt_face_is_ours((int)s->a) &&
		       done(s, kt_face_do_ioctl((int)s->a, (unsigned long)s->b,
						(uintptr_t)s->c));
	case SYS_mmap:
		return !(s->d & MAP_ANONYMOUS) && kt_face_is_ours((int)s->e) &&
		       done(s, kt_face_do_mmap((int)s->e, (uintptr_t)s->a, (size_t)s->b,
					       (int)s->c, (int)s->d, s->f));
	case SYS_readlink:
		return done(s, kt_face_do_readlink(AT_FDCWD, (const char *)s->a,
						   (char *)s->b, (size_t)s->c));
	case SYS_readlinkat:
		return done(s, kt_face_do_readlink((int)s->a, (const char *)s->b,
						   (char *)s->c, (size_t)s->d));
	default: return false;
	}
}
