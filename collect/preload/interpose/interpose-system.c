/* SPDX-License-Identifier: MIT */
/*
 * syscall(2) of libc: system calls by number. Calls that concern devices, their mappings
 * or forks are handled like the libc function of that name. All others are passed to libc
 * with an unchanged stack, because some return on another stack, or twice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/syscall-entry.h"
#include "collect/preload/emit/join.h"
#include "collect/preload/handlers/signals.h"
#include "collect/preload/interpose/buffers.h"
#include "collect/preload/interpose/descriptors.h"
#include "collect/preload/interpose/filter.h"
#include "collect/preload/interpose/process-instance.h"
#include "collect/preload/interpose/waits.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/signals/signal-carry.h"

/* Used by the assembly of KT_SYSCALL_ENTRY. */
__attribute__((visibility("hidden"))) long (*kt_system_next)(long, ...);
__attribute__((visibility("hidden"))) bool kt_system_call(struct kt_system_call *call);

KT_SYSCALL_ENTRY(kt_system_call, kt_system_next);

/* --- results --- */

static bool done(struct kt_system_call *call, long result)
{
	call->number = result;
	return true;
}

/* Ends a call with the kernel's result; an error becomes -1 and errno, as in libc. */
static bool done_by_kernel(struct kt_system_call *call, long result)
{
	if (kt_kernel_failed(result)) {
		errno = (int)-result;
		result = -1;
	}
	return done(call, result);
}

static long ask_kernel(const struct kt_system_call *s)
{
	return kt_kernel6(s->number, s->a, s->b, s->c, s->d, s->e, s->f);
}

/* --- descriptors --- */

/* Returns a device's name; NULL for other paths, and for a path that cannot be read. */
static const char *device_of(long path)
{
	char start[sizeof("/dev/nvidia") - 1];

	if (kt_memory_read(start, (uint64_t)path, sizeof(start)) != sizeof(start)) {
		return NULL;
	}
	return kt_device_name((const char *)path);
}

static bool is_device(long fd)
{
	return kt_device_is_open((int)fd);
}

static bool descriptor_call(struct kt_system_call *s)
{
	const char *name;
	long fd;

	switch (s->number) {
	case SYS_open:
		return device_of(s->a) &&
		       done(s, open((const char *)s->a, (int)s->b, s->c));
	case SYS_openat:
		return device_of(s->b) &&
		       done(s, openat((int)s->a, (const char *)s->b, (int)s->c, s->d));
	case SYS_openat2:
		name = device_of(s->b);
		if (!name) {
			return false;
		}
		fd = kt_next()->syscall(s->number, s->a, s->b, s->c, s->d);
		kt_descriptor_opened((int)fd, name);
		return done(s, fd);
	case SYS_close:
		return (is_device(s->a) || kt_tracer_has((int)s->a)) &&
		       done(s, close((int)s->a));
	case SYS_close_range:
		return done(s, close_range((unsigned)s->a, (unsigned)s->b, (int)s->c));
	case SYS_dup: return is_device(s->a) && done(s, dup((int)s->a));
	case SYS_dup2:
		return (is_device(s->a) || is_device(s->b) || kt_tracer_has((int)s->b)) &&
		       done(s, dup2((int)s->a, (int)s->b));
	case SYS_dup3:
		return (is_device(s->a) || is_device(s->b) || kt_tracer_has((int)s->b)) &&
		       done(s, dup3((int)s->a, (int)s->b, (int)s->c));
	case SYS_fcntl:
		return is_device(s->a) && done(s, fcntl((int)s->a, (int)s->b, s->c));
	case SYS_ioctl:
		return is_device(s->a) &&
		       done(s, ioctl((int)s->a, (unsigned long)s->b, s->c));
	case SYS_pidfd_getfd:
		fd = ask_kernel(s);
		if (!kt_kernel_failed(fd)) {
			kt_descriptor_arrived((int)fd);
		}
		return done_by_kernel(s, fd);
	default: return false;
	}
}

/* --- memory --- */

static bool is_ours(long start, long length)
{
	return length &&
	       kt_mapping_may_touch((uintptr_t)start, kt_whole_pages((size_t)length));
}

static bool memory_call(struct kt_system_call *s)
{
	bool ours = is_ours(s->a, s->b);

	switch (s->number) {
	case SYS_mmap:
		return (((s->d & MAP_FIXED) && ours) ||
			(!(s->d & MAP_ANONYMOUS) && is_device(s->e))) &&
		       done(s, (long)mmap((void *)s->a, (size_t)s->b, (int)s->c, (int)s->d,
					  (int)s->e, s->f));
	case SYS_munmap: return ours && done(s, munmap((void *)s->a, (size_t)s->b));
	case SYS_mremap:
		ours = is_ours(s->a, s->b ? s->b : 1) ||
		       ((s->d & MREMAP_FIXED) && is_ours(s->e, s->c));
		return ours && done(s, (long)mremap((void *)s->a, (size_t)s->b,
						    (size_t)s->c, (int)s->d, (void *)s->e));
	case SYS_mprotect:
		return ours && done(s, mprotect((void *)s->a, (size_t)s->b, (int)s->c));
	case SYS_pkey_mprotect:
		return ours && done(s, pkey_mprotect((void *)s->a, (size_t)s->b, (int)s->c,
						     (int)s->d));
	default: return false;
	}
}

/* --- memory that the kernel reads and writes --- */

static bool buffer_call(struct kt_system_call *s)
{
	bool brings = s->number == SYS_recvmsg || s->number == SYS_recvmmsg;
	struct kt_buffers buffers = {.hi = 0};
	long result;

	switch (s->number) {
	case SYS_read:
	case SYS_pread64:
	case SYS_write:
	case SYS_pwrite64:
	case SYS_recvfrom:
	case SYS_sendto: kt_buffers_add(&buffers, (void *)s->b, (size_t)s->c); break;
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_vmsplice:
		kt_buffers_add_vector(&buffers, (void *)s->b, (size_t)s->c);
		break;
	case SYS_sendmsg:
	case SYS_recvmsg: kt_buffers_add_message(&buffers, (void *)s->b); break;
	case SYS_sendmmsg:
	case SYS_recvmmsg:
		kt_buffers_add_messages(&buffers, (void *)s->b, (unsigned)s->c);
		break;
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
		kt_buffers_add_vector(&buffers, (void *)s->b, (size_t)s->c);
		kt_buffers_add_vector(&buffers, (void *)s->d, (size_t)s->e);
		break;
	case SYS_getrandom:
	case SYS_mlock:
	case SYS_mlock2:
	case SYS_madvise: kt_buffers_add(&buffers, (void *)s->a, (size_t)s->b); break;
	default: break;
	}
	if (!buffers.hi && !brings) {
		return false;
	}
	kt_buffers_hold(&buffers);
	result = ask_kernel(s);
	if (s->number == SYS_recvmsg && !kt_kernel_failed(result)) {
		kt_descriptors_received((void *)s->b);
	}
	for (long i = 0; s->number == SYS_recvmmsg && i < result; i++) {
		kt_descriptors_received(&((struct mmsghdr *)s->b)[i].msg_hdr);
	}
	kt_buffers_release(&buffers);
	return done_by_kernel(s, result);
}

/* --- waiting for a device --- */

/*
 * If the call is one that waits, writes its name to *name and returns the descriptor for
 * which it waits. Returns -1 if it waits for no device, or if the device is found only
 * after the call (poll).
 */
static int waits_for(const struct kt_system_call *s, const char **name)
{
	switch (s->number) {
	case SYS_poll: *name = "poll"; return -1;
	case SYS_ppoll: *name = "ppoll"; return -1;
	case SYS_select:
	case SYS_pselect6:
		*name = s->number == SYS_select ? "select" : "pselect";
		return kt_wait_select((int)s->a, (void *)s->b, (void *)s->c, (void *)s->d);
	case SYS_epoll_wait: *name = "epoll_wait"; return kt_wait_epoll((int)s->a);
	case SYS_epoll_pwait: *name = "epoll_pwait"; return kt_wait_epoll((int)s->a);
	case SYS_epoll_pwait2: *name = "epoll_pwait2"; return kt_wait_epoll((int)s->a);
	case SYS_read: *name = "read"; return (int)s->a;
	case SYS_readv: *name = "readv"; return (int)s->a;
	default: return -1;
	}
}

static bool wait_call(struct kt_system_call *s)
{
	bool polls = s->number == SYS_poll || s->number == SYS_ppoll;
	const struct kt_system_call asked = *s;
	const char *name = NULL;
	int fd = kt_device_any() ? waits_for(s, &name) : -1;
	struct kt_wait wait;

	if (!name || (!polls && !is_device(fd))) {
		switch (s->number) {
		case SYS_epoll_create: return done(s, epoll_create((int)s->a));
		case SYS_epoll_create1: return done(s, epoll_create1((int)s->a));
		case SYS_epoll_ctl:
			return done(s, epoll_ctl((int)s->a, (int)s->b, (int)s->c,
						 (void *)s->d));
		default: return false;
		}
	}
	kt_wait_begin(&wait, name, fd);
	if (!buffer_call(s)) {
		done_by_kernel(s, ask_kernel(s));
	}
	if (polls) {
		kt_wait_end_poll(&wait, (void *)asked.a, (size_t)asked.b, s->number);
	} else {
		kt_wait_end(&wait, s->number);
	}
	return true;
}

/* --- processes --- */

static bool fork_by_kernel(struct kt_system_call *s)
{
	struct kt_fork state;
	long child;

	kt_fork_before(&state);
	child = ask_kernel(s);
	if (child == 0) {
		kt_fork_child(&state);
	} else {
		kt_fork_parent(&state);
	}
	return done_by_kernel(s, child);
}

/*
 * Handles only clones that are forks. Excludes threads, children that share this process's
 * memory, and children that start on another stack.
 */
static bool clone_by_kernel(struct kt_system_call *s)
{
	struct clone_args args = {0};

	if (s->number == SYS_clone) {
		args.flags = (uint64_t)s->a;
		args.stack = (uint64_t)s->b;
	} else if (s->b < (long)CLONE_ARGS_SIZE_VER0 ||
		   kt_memory_read(&args, (uint64_t)s->a, CLONE_ARGS_SIZE_VER0) !=
			   CLONE_ARGS_SIZE_VER0) {
		return false;
	}
	if ((args.flags & CLONE_VM) && !(args.flags & CLONE_THREAD)) {
		kt_process_shares_memory();
	}
	return !(args.flags & CLONE_VM) && !args.stack && fork_by_kernel(s);
}

static bool execute(struct kt_system_call *s)
{
	char *const **environment =
		(char *const **)(void *)(s->number == SYS_execve ? &s->c : &s->d);
	long result;

	kt_instance_end("exec");
	kt_join_before_exec();
	kt_signals_before_exec();
	KT_FILTER_ENVIRONMENT(*environment);
	result = ask_kernel(s);
	kt_join_after_failed_exec();
	kt_signals_after_exec();
	kt_instance_resume();
	return done_by_kernel(s, result);
}

static bool process_call(struct kt_system_call *s)
{
	switch (s->number) {
	case SYS_fork: return fork_by_kernel(s);
	case SYS_vfork: kt_process_shares_memory(); return false;
	case SYS_clone:
	case SYS_clone3: return clone_by_kernel(s);
	case SYS_execve:
	case SYS_execveat: return execute(s);
	case SYS_exit_group: kt_instance_end("exit"); return false;
	default: return false;
	}
}

/* --- system-call filters --- */

/* If LTTng is stopped, skips its membarrier(2), which would order only LTTng's threads. */
static bool filter_call(struct kt_system_call *s)
{
	const void *caller = (const void *)((const long *)s)[sizeof(*s) / sizeof(long)];

	switch (s->number) {
	case SYS_prctl: kt_filter_before_prctl(s->a, s->b, (void *)s->c); return false;
	case SYS_seccomp:
		kt_filter_before_seccomp((unsigned)s->a, (unsigned)s->b, (void *)s->c);
		return false;
	case SYS_membarrier: return kt_tracer_is_stopped(caller) && done(s, 0);
	default: return false;
	}
}

/* --- signals --- */

static bool signal_call(struct kt_system_call *s)
{
	long result;

	return kt_system_signal(s, &result) && done_by_kernel(s, result);
}

static bool ask_next(struct kt_system_call *s)
{
	return done(s, kt_next()->syscall(s->number, s->a, s->b, s->c, s->d, s->e, s->f));
}

/*
 * Makes a read into memory that is not watched. If the descriptor is a signalfd, restores
 * the recorder's signals in the records.
 */
static bool read_call(struct kt_system_call *s)
{
	struct iovec one = {(void *)s->b, (size_t)s->c};
	const struct iovec *parts = (const void *)s->b;
	size_t n = (size_t)s->c;
	bool is_vector = s->number == SYS_readv;

	if (s->number != SYS_read && !is_vector) {
		return false;
	}
	ask_next(s);
	kt_carry_undo_read(is_vector ? parts : &one, is_vector ? n : 1, s->number);
	return true;
}

/* Returns true if the call was made; call->number is then the result of syscall(). */
bool kt_system_call(struct kt_system_call *call)
{
	struct kt_system_mask mask;
	bool masked = kt_system_mask(call, &mask);
	int error = errno;

	__atomic_store_n(&kt_system_next, kt_next()->syscall, __ATOMIC_RELAXED);
	if (descriptor_call(call) || memory_call(call) || wait_call(call) ||
	    buffer_call(call) || process_call(call) || signal_call(call) ||
	    filter_call(call) || read_call(call) || (masked && ask_next(call))) {
		return true;
	}
	errno = error;
	return false;
}
