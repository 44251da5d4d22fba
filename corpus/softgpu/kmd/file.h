/* SPDX-License-Identifier: MIT */
/*
 * An open device file. It is a file of memory (memfd) whose content says what it is, so
 * that dup, close, fork and passing it on need no table: the holder of a descriptor asks
 * the file. Nothing here allocates or locks; all of it may be called from signal handlers.
 */
#ifndef KTAIL_SOFTGPU_KMD_FILE_H
#define KTAIL_SOFTGPU_KMD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_kmd_device {
	KT_KMD_NONE = 0,
	KT_KMD_CONTROL, /* nvidiactl */
	KT_KMD_GPU,     /* nvidia0 */
	KT_KMD_UVM,     /* nvidia-uvm */
};

/* At the file's beginning. */
struct kt_kmd_file {
	uint64_t magic;
	uint64_t number; /* in a kernel: no other file has it; 0 here */
	uint64_t owner;  /* the process state that it belongs to: struct kt_kmd, id */
	uint32_t device; /* enum kt_kmd_device */
	uint32_t access; /* O_RDONLY, O_WRONLY or O_RDWR: the memory file has them all */
	uint32_t initialized; /* of nvidia-uvm */
	uint32_t pending;     /* whether the next members tell what mmap maps */
	uint64_t physical;
	uint64_t bytes;
};

#define KT_KMD_COPY_MAX 16384u /* bytes of one copy from or to the caller's memory */

/* Which device file has this path. KT_KMD_NONE and *shadowed: one that must not be there.
 */
enum kt_kmd_device kt_kmd_device_of(const char *path, bool *shadowed);
const char *kt_kmd_device_name(enum kt_kmd_device device); /* without "/dev/" */

/* A new descriptor, or a negative errno. `flags` as of open: the access and O_CLOEXEC
 * count. */
int kt_kmd_file_open(enum kt_kmd_device device, uint64_t owner, int flags);

/* What the descriptor is; device KT_KMD_NONE: not ours. One system call if it is not. */
struct kt_kmd_file kt_kmd_file_read(int fd);
int kt_kmd_file_store(int fd, const struct kt_kmd_file *file);

/*
 * The caller's memory, reached as a kernel does: -EFAULT where it is not readable, or not
 * writable. `fd` is one of ours, whose file is used on the way.
 */
int kt_kmd_read_user(int fd, void *to, uint64_t from, size_t n);
int kt_kmd_write_user(int fd, uint64_t to, const void *from, size_t n);

#endif
