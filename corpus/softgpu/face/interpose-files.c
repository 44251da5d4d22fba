/* SPDX-License-Identifier: MIT */
/* The device files by their paths: open and kin, readlink, access, stat. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "corpus/softgpu/face/face.h"
#include "corpus/softgpu/face/interpose.h"
#include "base/kernel-call.h"
#include "corpus/softgpu/face/next.h"

static bool is_version(const char *path)
{
	return (uintptr_t)path >= KT_ABI_PAGE && strcmp(path, KT_ABI_FILE_VERSION) == 0;
}

/* --- open --- */

bool kt_face_open_path(const char *path, int flags, int *fd)
{
	static const char version[] = KT_ABI_VERSION_TEXT;
	bool shadowed;
	enum kt_face_device device = kt_face_device_of(path, &shadowed);

	if (device != KT_FACE_NONE) {
		*fd = kt_face_open(device, flags);
	} else if (is_version(path) && (flags & O_ACCMODE) != O_RDONLY) {
		*fd = -EACCES;
	} else if (is_version(path)) { /* the driver's release, as /proc shows it */
		*fd = (int)KT_KERNEL(SYS_memfd_create, "version",
				     flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
		if (*fd >= 0) {
			KT_KERNEL(SYS_pwrite64, *fd, version, sizeof(version) - 1, 0);
		}
	} else if (shadowed) {
		*fd = -ENOENT; /* a machine with a real GPU shows the software one alone */
	} else {
		return false;
	}
	if (*fd < 0) {
		errno = -*fd;
		*fd = -1;
	}
	return true;
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
	int fd;

	if (kt_face_open_path(path, flags, &fd)) {
		return fd;
	}
	return directory == AT_FDCWD ? kt_face_next()->open(path, flags, mode)
				     : kt_face_next()->openat(directory, path, flags, mode);
}

/* The mode is there only when a file may be made. */
#define MODE_ARGUMENT(flags, mode)                                                         \
	mode_t mode = 0;                                                                   \
	if ((flags) & (O_CREAT | __O_TMPFILE)) {                                           \
		va_list args;                                                              \
		va_start(args, flags);                                                     \
		mode = (mode_t)va_arg(args, unsigned);                                     \
		va_end(args);                                                              \
	}

KT_FACE_EXPORT int open(const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(AT_FDCWD, path, flags, mode);
}

KT_FACE_EXPORT int openat(int directory, const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(directory, path, flags, mode);
}

/* What open becomes in programs built with _FORTIFY_SOURCE; no header declares them. */
KT_FACE_EXPORT int __open_2(const char *path, int flags);
KT_FACE_EXPORT int __openat_2(int directory, const char *path, int flags);

KT_FACE_EXPORT int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

KT_FACE_EXPORT int __openat_2(int directory, const char *path, int flags)
{
	return open_at(directory, path, flags, 0);
}

KT_FACE_SECOND_NAME(open64, open);
KT_FACE_SECOND_NAME(__open, open);
KT_FACE_SECOND_NAME(__open64, open);
KT_FACE_SECOND_NAME(openat64, openat);
KT_FACE_SECOND_NAME(__open64_2, __open_2);
KT_FACE_SECOND_NAME(__openat64_2, __openat_2);

static FILE *open_file(FILE *(*next)(const char *, const char *), const char *path,
		       const char *mode)
{
	int flags = (strpbrk(mode, "wa+") ? O_RDWR : O_RDONLY) |
		    (strchr(mode, 'e') ? O_CLOEXEC : 0);
	FILE *file;
	int fd;

	if (!kt_face_open_path(path, flags, &fd)) {
		return next(path, mode);
	}
	file = fd < 0 ? NULL : fdopen(fd, mode);
	if (!file && fd >= 0) {
		KT_KERNEL(SYS_close, fd);
	}
	return file;
}

KT_FACE_EXPORT FILE *fopen(const char *path, const char *mode)
{
	return open_file(kt_face_next()->fopen, path, mode);
}

KT_FACE_EXPORT FILE *fopen64(const char *path, const char *mode)
{
	return open_file(kt_face_next()->fopen64, path, mode);
}

/* --- the link of a descriptor: its files are memory, and are called what a driver's are
 * --- */

#define LINK_START "/memfd:"
#define LINK_END   " (deleted)"

/* Only what may be in /proc is looked at: "fd/3" and "3" too, below an open folder. */
ssize_t kt_face_do_readlink(int directory, const char *path, char *buffer, size_t size)
{
	static const enum kt_face_device devices[] = {KT_FACE_CONTROL, KT_FACE_GPU,
						      KT_FACE_UVM};
	const size_t start = strlen(LINK_START);
	char link[64];
	ssize_t n = -1;
	size_t length = 0;
	int error = errno;

	if (directory != AT_FDCWD ||
	    ((uintptr_t)path >= KT_ABI_PAGE && strncmp(path, "/proc/", 6) == 0)) {
		n = kt_face_next()->readlinkat(directory, path, link, sizeof(link));
	}
	if (n < (ssize_t)start || memcmp(link, LINK_START, start) != 0) {
		n = 0;
	}
	/* The link of one of our files becomes the device's path. */
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]) && !length; i++) {
		const char *name = kt_face_device_name(devices[i]);
		size_t name_length = strlen(name);

		if ((size_t)n == start + name_length + strlen(LINK_END) &&
		    memcmp(link + start, name, name_length) == 0) {
			memcpy(link, "/dev/", 5);
			memcpy(link + 5, name, name_length);
			length = 5 + name_length;
		}
	}
	if (length) {
		length = length < size ? length : size;
		memcpy(buffer, link, length);
		return (ssize_t)length;
	}
	errno = error;
	return directory == AT_FDCWD
		       ? kt_face_next()->readlink(path, buffer, size)
		       : kt_face_next()->readlinkat(directory, path, buffer, size);
}

KT_FACE_EXPORT ssize_t readlink(const char *path, char *buffer, size_t size)
{
	return kt_face_do_readlink(AT_FDCWD, path, buffer, size);
}

KT_FACE_EXPORT ssize_t readlinkat(int directory, const char *path, char *buffer,
				  size_t size)
{
	return kt_face_do_readlink(directory, path, buffer, size);
}

/* --- access and stat --- */

/* true: the path is one of ours, or shadowed: then *error is ENOENT. */
static bool look_at(const char *path, enum kt_face_device *device, int *error)
{
	bool shadowed;

	*device = kt_face_device_of(path, &shadowed);
	*error = *device == KT_FACE_NONE && shadowed ? ENOENT : 0;
	return *device != KT_FACE_NONE || shadowed || is_version(path);
}

/* true: answered; *result is what access returns. */
static bool access_ours(const char *path, int mode, int *result)
{
	enum kt_face_device device;
	int error;

	if (!look_at(path, &device, &error)) {
		return false;
	}
	if (!error && ((mode & X_OK) || (device == KT_FACE_NONE && (mode & W_OK)))) {
		error = EACCES;
	}
	if (error) {
		errno = error;
	}
	*result = error ? -1 : 0;
	return true;
}

KT_FACE_EXPORT int access(const char *path, int mode)
{
	int result;

	return access_ours(path, mode, &result) ? result
						: kt_face_next()->access(path, mode);
}

KT_FACE_EXPORT int faccessat(int directory, const char *path, int mode, int flags)
{
	int result;

	return access_ours(path, mode, &result)
		       ? result
		       : kt_face_next()->faccessat(directory, path, mode, flags);
}

static bool stat_ours(const char *path, struct stat *out, int *result)
{
	enum kt_face_device device;
	int error;

	if (!look_at(path, &device, &error)) {
		return false;
	}
	if (error) {
		errno = error;
		*result = -1;
		return true;
	}
	memset(out, 0, sizeof(*out));
	out->st_nlink = 1;
	out->st_blksize = KT_ABI_PAGE;
	if (device == KT_FACE_NONE) {
		out->st_mode = S_IFREG | 0444;
	} else {
		out->st_mode = S_IFCHR | 0666;
		out->st_rdev = device == KT_FACE_UVM   ? makedev(510, 0)
			       : device == KT_FACE_GPU ? makedev(195, 0)
						       : makedev(195, 255);
	}
	*result = 0;
	return true;
}

KT_FACE_EXPORT int stat(const char *path, struct stat *out)
{
	int result;

	return stat_ours(path, out, &result) ? result : kt_face_next()->stat(path, out);
}

KT_FACE_EXPORT int lstat(const char *path, struct stat *out)
{
	int result;

	return stat_ours(path, out, &result) ? result : kt_face_next()->lstat(path, out);
}

KT_FACE_EXPORT int fstatat(int directory, const char *path, struct stat *out, int flags)
{
	int result;

	return stat_ours(path, out, &result)
		       ? result
		       : kt_face_next()->fstatat(directory, path, out, flags);
}

/* struct stat64 is the same on x86-64. */
KT_FACE_SECOND_NAME(stat64, stat);
KT_FACE_SECOND_NAME(lstat64, lstat);
KT_FACE_SECOND_NAME(fstatat64, fstatat);
