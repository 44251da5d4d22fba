/* SPDX-License-Identifier: MIT */
/*
 * Interposes libc's functions for the KMD: open, access, stat and similar functions for the
 * paths of device files; readlink for the links of their descriptors; ioctl and mmap for
 * their descriptors; and syscall() for open, readlink, ioctl and mmap. A call of `open`
 * from here would reach a library that interposes before the KMD, so calls to libc use the
 * next definition after this library's. Results and errno are as libc would set them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/kernel-call.h"
#include "base/syscall-entry.h"
#include "corpus/softgpu/kmd/kmd.h"

/* --- the next definitions of the interposed functions, usually libc's --- */

struct next {
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

#define KT_KMD_EXPORT __attribute__((visibility("default")))

/* libc exports some functions under two names, and a program may use either name. */
#define KT_KMD_SECOND_NAME(second, first)                                                  \
	__asm__(".globl " #second "\n.type " #second ", @function\n.set " #second          \
		", " #first)

static struct next functions;

/* Replaces a function that this libc does not have. */
static long no_such_function(void)
{
	errno = ENOSYS;
	return -1;
}

/* Resolves the functions at the first call, possibly before any constructor has run. */
static const struct next *next(void)
{
	static long (*const missing)(void) = no_such_function;
	static const struct {
		const char *name;
		size_t offset;
	} names[] = {
#define NAME(name) {#name, offsetof(struct next, name)}
		/* ioctl must be last: if it is set, all functions count as resolved. */
		NAME(open),    NAME(openat), NAME(fopen),    NAME(fopen64),
		NAME(mmap),    NAME(stat),   NAME(readlink), NAME(readlinkat),
		NAME(access),  NAME(lstat),  NAME(fstatat),  NAME(faccessat),
		NAME(syscall), NAME(ioctl),
#undef NAME
	};

	if (__builtin_expect(!!__atomic_load_n(&functions.ioctl, __ATOMIC_ACQUIRE), 1)) {
		return &functions;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *symbol = dlsym(RTLD_NEXT, names[i].name);

		if (!symbol) {
			memcpy(&symbol, &missing, sizeof(symbol));
		}
		memcpy((char *)&functions + names[i].offset, &symbol, sizeof(symbol));
	}
	return &functions;
}

static bool is_version(const char *path)
{
	return (uintptr_t)path >= KT_ABI_PAGE && strcmp(path, KT_ABI_FILE_VERSION) == 0;
}

/* --- open --- */

/*
 * Returns true if the path is a device file, the version file or a shadowed path; *fd is
 * then the result of open.
 */
static bool open_path(const char *path, int flags, int *fd)
{
	static const char version[] = KT_ABI_VERSION_TEXT;
	bool shadowed;
	enum kt_kmd_device device = kt_kmd_device_of(path, &shadowed);

	if (device != KT_KMD_NONE) {
		*fd = kt_kmd_open(device, flags);
	} else if (is_version(path) && (flags & O_ACCMODE) != O_RDONLY) {
		*fd = -EACCES;
	} else if (is_version(path)) { /* the driver's release, as /proc shows it */
		*fd = (int)KT_KERNEL(SYS_memfd_create, "version",
				     flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
		if (*fd >= 0) {
			KT_KERNEL(SYS_pwrite64, *fd, version, sizeof(version) - 1, 0);
		}
	} else if (shadowed) {
		*fd = -ENOENT; /* hides a real GPU of the machine */
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

	if (open_path(path, flags, &fd)) {
		return fd;
	}
	return directory == AT_FDCWD ? next()->open(path, flags, mode)
				     : next()->openat(directory, path, flags, mode);
}

/* The mode argument exists only if a file may be created. */
#define MODE_ARGUMENT(flags, mode)                                                         \
	mode_t mode = 0;                                                                   \
	if ((flags) & (O_CREAT | __O_TMPFILE)) {                                           \
		va_list args;                                                              \
		va_start(args, flags);                                                     \
		mode = (mode_t)va_arg(args, unsigned);                                     \
		va_end(args);                                                              \
	}

KT_KMD_EXPORT int open(const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(AT_FDCWD, path, flags, mode);
}

KT_KMD_EXPORT int openat(int directory, const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(directory, path, flags, mode);
}

/* Variants of open in programs built with _FORTIFY_SOURCE; no header declares them. */
KT_KMD_EXPORT int __open_2(const char *path, int flags);
KT_KMD_EXPORT int __openat_2(int directory, const char *path, int flags);

KT_KMD_EXPORT int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

KT_KMD_EXPORT int __openat_2(int directory, const char *path, int flags)
{
	return open_at(directory, path, flags, 0);
}

KT_KMD_SECOND_NAME(open64, open);
KT_KMD_SECOND_NAME(__open, open);
KT_KMD_SECOND_NAME(__open64, open);
KT_KMD_SECOND_NAME(openat64, openat);
KT_KMD_SECOND_NAME(__open64_2, __open_2);
KT_KMD_SECOND_NAME(__openat64_2, __openat_2);

static FILE *open_file(FILE *(*real)(const char *, const char *), const char *path,
		       const char *mode)
{
	int flags = (strpbrk(mode, "wa+") ? O_RDWR : O_RDONLY) |
		    (strchr(mode, 'e') ? O_CLOEXEC : 0);
	FILE *file;
	int fd;

	if (!open_path(path, flags, &fd)) {
		return real(path, mode);
	}
	file = fd < 0 ? NULL : fdopen(fd, mode);
	if (!file && fd >= 0) {
		KT_KERNEL(SYS_close, fd);
	}
	return file;
}

KT_KMD_EXPORT FILE *fopen(const char *path, const char *mode)
{
	return open_file(next()->fopen, path, mode);
}

KT_KMD_EXPORT FILE *fopen64(const char *path, const char *mode)
{
	return open_file(next()->fopen64, path, mode);
}

/* --- links of descriptors: a memory file is reported under the device's path --- */

#define LINK_START "/memfd:"
#define LINK_END   " (deleted)"

/*
 * Implements readlink and readlinkat. Inspects only paths that may be in /proc, including
 * "fd/3" and "3" relative to an open folder.
 */
static ssize_t do_readlink(int directory, const char *path, char *buffer, size_t size)
{
	static const enum kt_kmd_device devices[] = {KT_KMD_CONTROL, KT_KMD_GPU,
						     KT_KMD_UVM};
	const size_t start = strlen(LINK_START);
	char link[64];
	ssize_t n = -1;
	size_t length = 0;
	int error = errno;

	if (directory != AT_FDCWD ||
	    ((uintptr_t)path >= KT_ABI_PAGE && strncmp(path, "/proc/", 6) == 0)) {
		n = next()->readlinkat(directory, path, link, sizeof(link));
	}
	if (n < (ssize_t)start || memcmp(link, LINK_START, start) != 0) {
		n = 0;
	}
	/* Replaces the link of a KMD file by the device's path. */
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]) && !length; i++) {
		const char *name = kt_kmd_device_name(devices[i]);
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
	return directory == AT_FDCWD ? next()->readlink(path, buffer, size)
				     : next()->readlinkat(directory, path, buffer, size);
}

KT_KMD_EXPORT ssize_t readlink(const char *path, char *buffer, size_t size)
{
	return do_readlink(AT_FDCWD, path, buffer, size);
}

KT_KMD_EXPORT ssize_t readlinkat(int directory, const char *path, char *buffer, size_t size)
{
	return do_readlink(directory, path, buffer, size);
}

/* --- access and stat --- */

/*
 * Returns true if the path is a device file, the version file or a shadowed path. *error is
 * ENOENT for a shadowed path, otherwise 0; *device is KT_KMD_NONE unless it is a device
 * file.
 */
static bool find_device(const char *path, enum kt_kmd_device *device, int *error)
{
	bool shadowed;

	*device = kt_kmd_device_of(path, &shadowed);
	*error = *device == KT_KMD_NONE && shadowed ? ENOENT : 0;
	return *device != KT_KMD_NONE || shadowed || is_version(path);
}

/* Returns what find_device() returns. If that is true, *result is the result of access. */
static bool access_ours(const char *path, int mode, int *result)
{
	enum kt_kmd_device device;
	int error;

	if (!find_device(path, &device, &error)) {
		return false;
	}
	if (!error && ((mode & X_OK) || (device == KT_KMD_NONE && (mode & W_OK)))) {
		error = EACCES;
	}
	if (error) {
		errno = error;
	}
	*result = error ? -1 : 0;
	return true;
}

KT_KMD_EXPORT int access(const char *path, int mode)
{
	int result;

	return access_ours(path, mode, &result) ? result : next()->access(path, mode);
}

KT_KMD_EXPORT int faccessat(int directory, const char *path, int mode, int flags)
{
	int result;

	return access_ours(path, mode, &result)
		       ? result
		       : next()->faccessat(directory, path, mode, flags);
}

static bool stat_ours(const char *path, struct stat *out, int *result)
{
	enum kt_kmd_device device;
	int error;

	if (!find_device(path, &device, &error)) {
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
	if (device == KT_KMD_NONE) {
		out->st_mode = S_IFREG | 0444;
	} else {
		out->st_mode = S_IFCHR | 0666;
		out->st_rdev = device == KT_KMD_UVM   ? makedev(510, 0)
			       : device == KT_KMD_GPU ? makedev(195, 0)
						      : makedev(195, 255);
	}
	*result = 0;
	return true;
}

KT_KMD_EXPORT int stat(const char *path, struct stat *out)
{
	int result;

	return stat_ours(path, out, &result) ? result : next()->stat(path, out);
}

KT_KMD_EXPORT int lstat(const char *path, struct stat *out)
{
	int result;

	return stat_ours(path, out, &result) ? result : next()->lstat(path, out);
}

KT_KMD_EXPORT int fstatat(int directory, const char *path, struct stat *out, int flags)
{
	int result;

	return stat_ours(path, out, &result) ? result
					     : next()->fstatat(directory, path, out, flags);
}

/* On x86-64, struct stat64 is identical to struct stat. */
KT_KMD_SECOND_NAME(stat64, stat);
KT_KMD_SECOND_NAME(lstat64, lstat);
KT_KMD_SECOND_NAME(fstatat64, fstatat);

/* --- calls by descriptor --- */

static bool is_ours(int fd)
{
	return kt_kmd_file_read(fd).device != KT_KMD_NONE;
}

static int do_ioctl(int fd, unsigned long request, uintptr_t argument)
{
	int result = kt_kmd_ioctl(fd, request, argument);

	if (result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

KT_KMD_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	/*
	 * The kernel handles these requests for every file; a driver does not receive them.
	 */
	if (request == FIOCLEX || request == FIONCLEX || request == FIONBIO ||
	    request == FIOASYNC || !is_ours(fd)) {
		return next()->ioctl(fd, request, argument);
	}
	return do_ioctl(fd, request, (uintptr_t)argument);
}

static long do_mmap(int fd, uintptr_t address, size_t length, int protection, int flags,
		    off_t offset)
{
	long result = kt_kmd_mmap(fd, address, length, protection, flags, (uint64_t)offset);

	if (kt_kernel_failed(result)) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

KT_KMD_EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd,
			 off_t offset)
{
	return (flags & MAP_ANONYMOUS) || !is_ours(fd)
		       ? next()->mmap(address, length, protection, flags, fd, offset)
		       : (void *)do_mmap(fd, (uintptr_t)address, length, protection, flags,
					 offset);
}

/* mmap64 is identical to mmap on a machine whose off_t has 64 bits. */
KT_KMD_SECOND_NAME(mmap64, mmap);

/*
 * --- libc's syscall(2) ---
 *
 * A call that does not concern device files is passed on unchanged, on the original stack,
 * because some calls return on another stack (clone) or twice (vfork).
 */

/* Used by the assembly code of KT_SYSCALL_ENTRY. */
__attribute__((visibility("hidden"))) long (*kt_kmd_system_next)(long, ...);
__attribute__((visibility("hidden"))) bool kt_kmd_system(struct kt_system_call *call);

KT_SYSCALL_ENTRY(kt_kmd_system, kt_kmd_system_next);

static bool done(struct kt_system_call *call, long result)
{
	call->number = result;
	return true;
}

static bool open_by_number(struct kt_system_call *s, long path, long flags)
{
	int fd;

	return open_path((const char *)path, (int)flags, &fd) && done(s, fd);
}

/*
 * Returns true if the KMD answered the call; s->number is then the result that syscall()
 * must return.
 */
bool kt_kmd_system(struct kt_system_call *s)
{
	__atomic_store_n(&kt_kmd_system_next, next()->syscall, __ATOMIC_RELAXED);
	switch (s->number) {
	case SYS_open: return open_by_number(s, s->a, s->b);
	case SYS_openat: return open_by_number(s, s->b, s->c);
	case SYS_openat2: return s->c && open_by_number(s, s->b, (long)*(uint64_t *)s->c);
	case SYS_ioctl:
		return is_ours((int)s->a) &&
		       done(s, do_ioctl((int)s->a, (unsigned long)s->b, (uintptr_t)s->c));
	case SYS_mmap:
		return !(s->d & MAP_ANONYMOUS) && is_ours((int)s->e) &&
		       done(s, do_mmap((int)s->e, (uintptr_t)s->a, (size_t)s->b, (int)s->c,
				       (int)s->d, s->f));
	case SYS_readlink:
		return done(s, do_readlink(AT_FDCWD, (const char *)s->a, (char *)s->b,
					   (size_t)s->c));
	case SYS_readlinkat:
		return done(s, do_readlink((int)s->a, (const char *)s->b, (char *)s->c,
					   (size_t)s->d));
	default: return false;
	}
}

/* --- counters --- */

/*
 * Reports the counts of this process's device. Returns -ENODEV if the process has no
 * device. Only tests call this, through dlsym: a real GPU's driver has no such function.
 */
KT_KMD_EXPORT int kt_softgpu_counts(struct kt_gpu_counts *out);

int kt_softgpu_counts(struct kt_gpu_counts *out)
{
	struct kt_kmd_guard guard;
	struct kt_kmd *kmd;

	kt_kmd_enter(&guard);
	kmd = kt_kmd_get();
	if (kmd) {
		kt_gpu_counts(kmd->gpu, out);
	}
	kt_kmd_leave(&guard);
	return kmd ? 0 : -ENODEV;
}
