/* SPDX-License-Identifier: MIT */
/*
 * What the exported functions do, under names of our own: a call of `open` from here would
 * reach whoever stands in front of the face. Results and errno are libc's.
 */
#ifndef KTAIL_SOFTGPU_FACE_INTERPOSE_H
#define KTAIL_SOFTGPU_FACE_INTERPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

bool kt_face_is_ours(int fd);

/* true: the path is one of ours, and *fd is what open returns. */
bool kt_face_open_path(const char *path, int flags, int *fd);

/* `fd` is ours. */
int kt_face_do_ioctl(int fd, unsigned long request, uintptr_t argument);
long kt_face_do_mmap(int fd, uintptr_t address, size_t length, int protection, int flags,
		     off_t offset);

/* Of any file. */
ssize_t kt_face_do_readlink(int directory, const char *path, char *buffer, size_t size);

#endif
