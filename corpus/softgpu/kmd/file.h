/* SPDX-License-Identifier: MIT */
/*
 * An open device file. It is a memory file (memfd) whose content identifies it, so that
 * dup, close, fork and descriptor passing need no table. Functions here neither allocate
 * nor lock and may be called from signal handlers.
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

/* The header at the start of the file. */
struct kt_kmd_file {
	uint64_t magic;
	uint64_t number; /* in a kernel module: unique among open files; in user space: 0 */
	uint64_t owner;  /* id of the struct kt_kmd that opened the file */
	uint32_t device; /* enum kt_kmd_device */
	/* O_RDONLY, O_WRONLY or O_RDWR, as opened; the memory file itself is read-write */
	uint32_t access;
	uint32_t initialized; /* whether nvidia-uvm was initialised through this file */
	uint32_t pending;     /* whether the following members describe the next mmap */
	uint64_t physical;
	uint64_t bytes;
};

#define KT_KMD_COPY_MAX 16384u /* largest copy from or to the caller's memory, in bytes */

/*
 * Returns the device file with this path. If the result is KT_KMD_NONE and *shadowed is
 * set, calls must fail as if the path did not exist.
 */
enum kt_kmd_device kt_kmd_device_of(const char *path, bool *shadowed);
const char *kt_kmd_device_name(enum kt_kmd_device device); /* without "/dev/" */

/*
 * Returns a new descriptor, or a negative errno. `flags` are those of open; only the access
 * mode and O_CLOEXEC have an effect.
 */
int kt_kmd_file_open(enum kt_kmd_device device, uint64_t owner, int flags);

/*
 * Returns the header of a device file. For any other descriptor, it returns a header whose
 * device is KT_KMD_NONE, usually after a single system call.
 */
struct kt_kmd_file kt_kmd_file_read(int fd);
int kt_kmd_file_store(int fd, const struct kt_kmd_file *file);

/*
 * Copy from or to the caller's memory as a kernel does. Return -EFAULT if that memory is
 * not readable or not writable. `fd` is one of the KMD's files and serves as a buffer.
 */
int kt_kmd_read_user(int fd, void *to, uint64_t from, size_t n);
int kt_kmd_write_user(int fd, uint64_t to, const void *from, size_t n);

#endif
