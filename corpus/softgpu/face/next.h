/* SPDX-License-Identifier: MIT */
/* The functions behind those that the face stands in front of: libc's, mostly. */
#ifndef KTAIL_SOFTGPU_FACE_NEXT_H
#define KTAIL_SOFTGPU_FACE_NEXT_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct stat;

struct kt_face_next {
	int (*open)(const char *, int, ...);
	int (*openat)(int, const char *, int, ...);
	FILE *(*fopen)(const char *, const char *);
	FILE *(*fopen64)(const char *, const char *);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	ssize_t (*readlink)(const char *, char *, size_t);
	ssize_t (*readlinkat)(int, const char *, char *, size_t);
	int (*access)(const char *, int);
	int (*faccessat)(int, const char *, int, int);
	int (*stat)(const char *, struct stat *);
	int (*lstat)(const char *, struct stat *);
	int (*fstatat)(int, const char *, struct stat *, int);
	long (*syscall)(long, ...);
	int (*ioctl)(int, unsigned long, ...);
};

/* Found at the first call. May be called before any constructor has run. */
const struct kt_face_next *kt_face_next(void);

#define KT_FACE_EXPORT __attribute__((visibility("default")))

/* libc exports some functions under two names: a program may use either. */
#define KT_FACE_SECOND_NAME(second, first)                                                 \
	__asm__(".globl " #second "\n.type " #second ", @function\n.set " #second          \
		", " #first)

#endif
