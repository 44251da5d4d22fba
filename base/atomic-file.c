/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"

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

/* Where a link points to, from the folder that the link is in; NULL: no memory. */
static char *resolve(const char *link, const char *target)
{
	const char *slash = strrchr(link, '/');
	char *path;

	if (target[0] == '/' || !slash) {
		return strdup(target);
	}
	return asprintf(&path, "%.*s/%s", (int)(slash - link), link, target) < 0 ? NULL
										 : path;
}

/*
 * Where the file really is: a symbolic link stays and its target, which need not be there
 * yet, is replaced.
 */
static char *find_place(const char *path)
{
	char *place = strdup(path);
	struct stat st;

	for (int links = 0; place && links < 40 && !is_special(path) &&
			    lstat(place, &st) == 0 && S_ISLNK(st.st_mode);
	     links++) {
		char target[PATH_MAX];
		ssize_t n = readlink(place, target, sizeof(target) - 1);
		char *next;

		if (n <= 0) {
			break;
		}
		target[n] = '\0';
		next = resolve(place, target);
		free(place);
		place = next;
	}
	return place;
}

/* "folder/.ktail-XXXXXX": short, since the file's own name may be as long as can be. */
static char *name_temporary(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name;

	return asprintf(&name, "%.*s.ktail-XXXXXX", slash ? (int)(slash + 1 - path) : 0,
			path) < 0
		       ? NULL
		       : name;
}

/* Makes the temporary file; from then on a signal removes it. */
static int make_temporary(struct kt_atomic_file *file)
{
	sigset_t before;
	int fd;

	file->temporary = name_temporary(file->path);
	if (!file->temporary) {
		return -1;
	}
	kt_cleanup_hold(&before);
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd >= 0 && kt_cleanup_add(file->temporary)) {
		close(fd);
		unlink(file->temporary);
		errno = ENOMEM;
		fd = -1;
	}
	kt_cleanup_release(&before);
	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
	}
	return fd;
}

static FILE *open_temporary(struct kt_atomic_file *file)
{
	FILE *stream;
	mode_t mask;
	int fd = make_temporary(file);

	if (fd < 0) {
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
	bool is;

	memset(file, 0, sizeof(*file));
	if (strcmp(path, "-") == 0) {
		file->stream = stdout;
		return KT_OK;
	}
	is = stat(path, &st) == 0;
	if ((!is && errno == ELOOP) || (is && S_ISDIR(st.st_mode))) {
		errno = is ? EISDIR : ELOOP;
		return kt_error_errno(KT_E_IO, "write %s", path);
	}
	file->path = find_place(path);
	if (!file->path) {
		return kt_error(KT_E_MEMORY, "write %s: out of memory", path);
	}
	file->stream = is_special(path) ? fopen(path, "we") : open_temporary(file);
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
		if (!failed) {
			kt_cleanup_forget(file->temporary);
		}
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
		kt_cleanup_forget(file->temporary);
	}
	forget(file);
	errno = saved;
}
