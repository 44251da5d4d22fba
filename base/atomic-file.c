/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/atomic-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

/*
 * A device or pipe (/dev/null) cannot be replaced: written in place. So is what /dev names
 * although it is a file: /dev/stdout and /dev/fd/N are files that somebody else opened.
 */
static int is_special(const char *path)
{
	struct stat st;

	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
	       (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* Where the file really is: a symbolic link stays and its target is replaced. */
static char *find_place(const char *path)
{
	struct stat st;

	if (!is_special(path) && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
		char *target = realpath(path, NULL);

		if (target) {
			return target;
		}
	}
	return strdup(path);
}

static FILE *open_temporary(struct kt_atomic_file *file)
{
	FILE *stream;
	mode_t mask;
	int fd;

	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
		file->temporary = NULL;
		return NULL;
	}
	fd = mkstemp(file->temporary);
	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
		return NULL;
	}
	mask = umask(0);
	umask(mask);
	stream = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
	if (!stream) {
		close(fd);
	}
	return stream;
}

static void forget(struct kt_atomic_file *file)
{
	free(file->path);
	free(file->temporary);
	memset(file, 0, sizeof(*file));
}

int kt_atomic_file_open(struct kt_atomic_file *file, const char *path)
{
	struct stat st;

	memset(file, 0, sizeof(*file));
	if (strcmp(path, "-") == 0) {
		file->stream = stdout;
		return KT_OK;
	}
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return kt_error_errno(KT_E_IO, "write %s", path);
	}
	file->path = find_place(path);
	if (!file->path) {
		return kt_error(KT_E_MEMORY, "write %s: out of memory", path);
	}
	file->stream = is_special(path) ? fopen(path, "w") : open_temporary(file);
	if (!file->stream) {
		int code = kt_error_errno(KT_E_IO, "write %s", path);

		kt_atomic_file_abort(file);
		return code;
	}
	return KT_OK;
}

int kt_atomic_file_commit(struct kt_atomic_file *file)
{
	const char *name = file->path ? file->path : "standard output";
	int failed = fflush(file->stream) != 0 || ferror(file->stream);
	int code;

	if (file->stream != stdout) {
		failed |= fclose(file->stream) != 0;
	}
	file->stream = NULL;
	if (!failed && file->temporary) {
		failed = rename(file->temporary, file->path) != 0;
	}
	if (failed) {
		code = kt_error_errno(KT_E_IO, "write %s", name);
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
	if (file->temporary) {
		unlink(file->temporary);
	}
	forget(file);
	errno = saved;
}
