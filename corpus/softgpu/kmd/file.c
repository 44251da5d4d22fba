/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/kmd/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "corpus/softgpu/abi.h"
#include "base/kernel-call.h"

#define MAGIC      UINT64_C(0x656c69664c494154) /* "TAILfile" */
#define COPY_AT    4096                         /* offset of the copy buffer in the file */
#define FILE_BYTES (COPY_AT + (long)KT_KMD_COPY_MAX)

static const struct {
	const char *path;
	enum kt_kmd_device device;
} paths[] = {
	{KT_ABI_FILE_CONTROL, KT_KMD_CONTROL},
	{KT_ABI_FILE_GPU, KT_KMD_GPU},
	{KT_ABI_FILE_UVM, KT_KMD_UVM},
};
#define N_PATHS (sizeof(paths) / sizeof(paths[0]))

enum kt_kmd_device kt_kmd_device_of(const char *path, bool *shadowed)
{
	*shadowed = false;
	/* A path in page 0, which is never mapped, is left to the kernel (EFAULT). */
	if ((uintptr_t)path < KT_ABI_PAGE || strncmp(path, "/dev/nvidia", 11) != 0) {
		return KT_KMD_NONE;
	}
	for (size_t i = 0; i < N_PATHS; i++) {
		if (strcmp(path, paths[i].path) == 0) {
			return paths[i].device;
		}
	}
	*shadowed = true;
	return KT_KMD_NONE;
}

const char *kt_kmd_device_name(enum kt_kmd_device device)
{
	for (size_t i = 0; i < N_PATHS; i++) {
		if (paths[i].device == device) {
			return paths[i].path + strlen("/dev/");
		}
	}
	return "";
}

int kt_kmd_file_store(int fd, const struct kt_kmd_file *file)
{
	long n = KT_KERNEL(SYS_pwrite64, fd, file, sizeof(*file), 0);

	return n == (long)sizeof(*file) ? 0 : n < 0 ? (int)n : -EIO;
}

int kt_kmd_file_open(enum kt_kmd_device device, uint64_t owner, int flags)
{
	const struct kt_kmd_file file = {.magic = MAGIC,
					 .owner = owner,
					 .device = device,
					 .access = (uint32_t)(flags & O_ACCMODE)};
	long fd = KT_KERNEL(SYS_memfd_create, kt_kmd_device_name(device),
			    flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	long error;

	if (fd < 0) {
		return (int)fd;
	}
	error = KT_KERNEL(SYS_ftruncate, fd, FILE_BYTES);
	if (error == 0) {
		error = kt_kmd_file_store((int)fd, &file);
	}
	if (error != 0) {
		KT_KERNEL(SYS_close, fd);
		return (int)error;
	}
	return (int)fd;
}

struct kt_kmd_file kt_kmd_file_read(int fd)
{
	struct kt_kmd_file file = {.device = KT_KMD_NONE};
	struct stat status = {.st_nlink = 1};

	/* A memory file has no name and thus no link; its size is a second check. */
	if (fd < 0 || KT_KERNEL(SYS_fstat, fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_nlink != 0 || status.st_size != FILE_BYTES ||
	    KT_KERNEL(SYS_pread64, fd, &file, sizeof(file), 0) != (long)sizeof(file) ||
	    file.magic != MAGIC || file.device > KT_KMD_UVM) {
		memset(&file, 0, sizeof(file));
	}
	return file;
}

/* --- the caller's memory --- */

int kt_kmd_read_user(int fd, void *to, uint64_t from, size_t n)
{
	struct iovec local = {.iov_base = to, .iov_len = n};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)from, .iov_len = n};
	long pid = KT_KERNEL(SYS_getpid, 0);
	long copied;

	if (n > KT_KMD_COPY_MAX) {
		return -EFAULT;
	}
	copied = KT_KERNEL(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0);
	/* Copies through the file if the kernel forbids process_vm_readv. */
	if ((copied == -EPERM || copied == -ENOSYS) &&
	    KT_KERNEL(SYS_pwrite64, fd, from, n, COPY_AT) == (long)n) {
		copied = KT_KERNEL(SYS_pread64, fd, to, n, COPY_AT);
	}
	return copied == (long)n ? 0 : -EFAULT;
}

int kt_kmd_write_user(int fd, uint64_t to, const void *from, size_t n)
{
	if (n > KT_KMD_COPY_MAX ||
	    KT_KERNEL(SYS_pwrite64, fd, from, n, COPY_AT) != (long)n ||
	    KT_KERNEL(SYS_pread64, fd, to, n, COPY_AT) != (long)n) {
		return -EFAULT;
	}
	return 0;
}
