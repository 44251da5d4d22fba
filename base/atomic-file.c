/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"
#include "base/output-target.h"
#include "base/standard-files.h"

#define ATTEMPTS 100 /* maximum tries to find an unused name */

/*
 * Returns "folder/.ktail-...". The temporary name does not contain the final name, because
 * the final name may already have the maximum length.
 */
static char *name_temporary(const char *path)
{
	const char *slash = strrchr(path, '/');
	uint64_t random = 0;
	char *name;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random) ||
	    asprintf(&name, "%.*s.ktail-%016" PRIx64, slash ? (int)(slash + 1 - path) : 0,
		     path, random) < 0) {
		return NULL;
	}
	return name;
}

/*
 * Creates the temporary file and registers it for removal if a signal ends the program.
 * Returns a descriptor, or -1 with errno.
 */
static int make_temporary(struct kt_atomic_file *file, mode_t mode)
{
	int fd = -1;

	errno = EEXIST;
	for (int i = 0; i < ATTEMPTS && fd < 0 && errno == EEXIST; i++) {
		sigset_t before;

		free(file->temporary);
		file->temporary = name_temporary(file->path);
		if (!file->temporary) {
			return -1;
		}
		kt_cleanup_hold(&before);
		fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0 && kt_cleanup_add(file->temporary)) {
			close(fd);
			unlink(file->temporary);
			errno = ENOMEM;
			fd = -1;
		}
		kt_cleanup_release(&before);
	}
	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
	}
	return fd;
}

static void remove_temporary(struct kt_atomic_file *file)
{
	if (file->temporary) {
		unlink(file->temporary);
		kt_cleanup_forget(file->temporary);
		free(file->temporary);
		file->temporary = NULL;
	}
}

/*
 * Opens a file in memory for the new content, with which the commit overwrites the old
 * file. Returns a descriptor, or -1 with errno.
 */
static int hold(struct kt_atomic_file *file)
{
	file->held = true;
	return memfd_create("output", MFD_CLOEXEC);
}

/* --- the replaced file --- */

#define ACL "system.posix_acl_access"

static int copy_attribute(int fd, int old, const char *name)
{
	ssize_t size = fgetxattr(old, name, NULL, 0);
	char *value = size < 0 ? NULL : malloc((size_t)size + 1);
	int failed = -1;

	if (value) {
		size = fgetxattr(old, name, value, (size_t)size);
		failed = size < 0 ? -1 : fsetxattr(fd, name, value, (size_t)size, 0);
	}
	free(value);
	return failed;
}

/*
 * Copies the access control list and the user attributes. The system sets other attributes;
 * for example, a security module labels new files itself.
 */
static int copy_attributes(int fd, int old)
{
	ssize_t size = flistxattr(old, NULL, 0);
	char *names = size > 0 ? malloc((size_t)size) : NULL;
	int failed = 0;

	if (size <= 0) {
		return 0; /* no attributes, or no support by the file system */
	}
	size = names ? flistxattr(old, names, (size_t)size) : -1;
	failed = size < 0 ? -1 : 0;
	for (ssize_t i = 0; !failed && i < size; i += (ssize_t)strlen(names + i) + 1) {
		if (strcmp(names + i, ACL) == 0 || strncmp(names + i, "user.", 5) == 0) {
			failed = copy_attribute(fd, old, names + i);
		}
	}
	free(names);
	return failed;
}

/*
 * Gives the new file `fd` the owner, group, mode, access control list and user attributes of
 * the open file `old`, which the new file will replace. The set-id bits are not copied, since
 * writing to the old file would clear them too. Returns 0, or -1 with errno if the caller
 * has no permission or the file system does not support an attribute.
 */
static int take_after(int fd, int old)
{
	struct stat was;
	struct stat is;

	if (fstat(old, &was) != 0 || fstat(fd, &is) != 0) {
		return -1;
	}
	if ((was.st_uid != is.st_uid || was.st_gid != is.st_gid) &&
	    fchown(fd, was.st_uid, was.st_gid) != 0) {
		return -1;
	}
	/*
	 * Remove an access control list that the new file may have inherited from its
	 * folder, because the list could grant other users access.
	 */
	if (fremovexattr(fd, ACL) != 0 && errno != ENODATA && errno != EOPNOTSUPP) {
		return -1;
	}
	return copy_attributes(fd, old) || fchmod(fd, was.st_mode & 0777) ? -1 : 0;
}

static int open_replacement(struct kt_atomic_file *file)
{
	struct stat st;
	int fd;

	/* Open the old file so that the kernel checks whether the caller may write to it. */
	file->old = open(file->path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	file->has_old = file->old >= 0;
	if (!file->has_old) {
		return -1;
	}
	if (fstat(file->old, &st) == 0 && !S_ISREG(st.st_mode)) {
		errno = ESTALE; /* no longer the regular file that was inspected */
		return -1;
	}
	fd = make_temporary(file, 0600);
	if (fd < 0) {
		return errno == EACCES || errno == EPERM || errno == EROFS ? hold(file)
									   : -1;
	}
	if (take_after(fd, file->old) != 0) {
		close(fd);
		remove_temporary(file);
		return hold(file);
	}
	return fd;
}

static int open_target(struct kt_atomic_file *file, enum kt_target_kind kind)
{
	switch (kind) {
	case KT_TARGET_NEW: return make_temporary(file, 0666);
	case KT_TARGET_FILE: return open_replacement(file);
	case KT_TARGET_DIRECT:
		return open(file->path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
	case KT_TARGET_FOLDER: break;
	}
	errno = EISDIR;
	return -1;
}

static void forget(struct kt_atomic_file *file)
{
	if (file->has_old) {
		close(file->old);
	}
	free(file->name);
	free(file->path);
	free(file->temporary);
	memset(file, 0, sizeof(*file));
}

static int open_stream(struct kt_atomic_file *file, enum kt_target_kind kind)
{
	size_t n = strlen(file->name);
	int fd = -1;

	if (kind == KT_TARGET_NEW && file->name[n - 1] == '/') {
		errno = EISDIR;
	} else {
		fd = open_target(file, kind);
	}
	file->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file->stream) {
		int code = kt_error_errno(KT_E_IO, "write %s", file->name);

		if (fd >= 0) {
			close(fd);
		}
		return code;
	}
	return KT_OK;
}

int kt_atomic_file_open(struct kt_atomic_file *file, const char *path)
{
	struct kt_output_target target = {0};
	int code;

	memset(file, 0, sizeof(*file));
	if (strcmp(path, "-") == 0) {
		file->stream = stdout;
		return KT_OK;
	}
	code = kt_output_target_find(&target, path);
	if (code) {
		return kt_error_prepend(code, "write %s", path);
	}
	file->path = target.path;
	file->name = strdup(path);
	code = file->name ? open_stream(file, target.kind)
			  : kt_error(KT_E_MEMORY, "write %s: out of memory", path);
	if (code) {
		kt_atomic_file_abort(file);
	}
	return code;
}

/* Overwrites the old file with the content of `from`. */
static int write_over(int old, int from)
{
	struct stat st;
	off_t at = 0;

	if (fstat(from, &st) != 0 || ftruncate(old, 0) != 0) {
		return -1;
	}
	while (at < st.st_size) {
		ssize_t n = sendfile(old, from, &at, (size_t)(st.st_size - at));

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return -1;
		}
	}
	return 0;
}

/*
 * Overwrites a file that is a mount point, as is common in containers: it can be written
 * to, but rename() cannot replace it.
 */
static int write_over_mount(struct kt_atomic_file *file)
{
	int from = open(file->temporary, O_RDONLY | O_CLOEXEC);
	int failed = from < 0 ? -1 : write_over(file->old, from);

	if (from >= 0) {
		close(from);
	}
	if (!failed) {
		remove_temporary(file);
	}
	return failed;
}

static int finish(struct kt_atomic_file *file)
{
	int failed = fflush(file->stream) != 0 || ferror(file->stream);

	if (!failed && file->held) {
		failed = write_over(file->old, fileno(file->stream));
	}
	failed |= fclose(file->stream) != 0;
	file->stream = NULL;
	if (!failed && file->held) {
		file->has_old = false;
		failed = close(file->old);
	}
	if (failed || !file->temporary) {
		return failed;
	}
	if (rename(file->temporary, file->path) == 0) {
		kt_cleanup_forget(file->temporary);
		return 0;
	}
	return errno == EBUSY && file->has_old ? write_over_mount(file) : -1;
}

int kt_atomic_file_commit(struct kt_atomic_file *file)
{
	int code;

	if (file->stream == stdout) {
		forget(file);
		return kt_standard_files_flush();
	}
	if (finish(file) != 0) {
		code = kt_error_errno(KT_E_IO, "write %s", file->name);
		kt_atomic_file_abort(file);
		return code;
	}
	forget(file);
	return KT_OK;
}

void kt_atomic_file_abort(struct kt_atomic_file *file)
{
	int saved = errno;

	if (file->stream && file->stream != stdout) {
		fclose(file->stream);
	}
	remove_temporary(file);
	forget(file);
	errno = saved;
}
