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

#include "corpus/softgpu/face/interpose.h"
#include "corpus/softgpu/face/next.h"

/* The call as the program made it. */
struct system_call {
	long number; /* in place of it, what syscall() is to return */
	long a, b, c, d, e, f;
};

/* Read by the assembly below, in which all else is as in the System V ABI. */
__attribute__((visibility("hidden"))) long (*kt_face_system_next)(long, ...);
__attribute__((visibility("hidden"))) bool kt_face_system(struct system_call *call);

__asm__(".text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	".cfi_startproc\n"
	"	endbr64\n"
	"	pushq 8(%rsp)\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r9\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r8\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rcx\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rdi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	movq %rsp, %rdi\n"
	"	call kt_face_system\n"
	"	testb %al, %al\n"
	"	popq %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rdx\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rcx\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r8\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r9\n"
	".cfi_adjust_cfa_offset -8\n"
	"	leaq 8(%rsp), %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"	jnz 1f\n"
	"	jmp *kt_face_system_next(%rip)\n"
	"1:	movq %rdi, %rax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size syscall, .-syscall\n");

static bool done(struct system_call *call, long result)
{
	call->number = result;
	return true;
}

static bool open_by_number(struct system_call *s, long path, long flags)
{
	int fd;

	return kt_face_open_path((const char *)path, (int)flags, &fd) && done(s, fd);
}

/* true: the call was answered, and what syscall() returns is in place of its number. */
bool kt_face_system(struct system_call *s)
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
