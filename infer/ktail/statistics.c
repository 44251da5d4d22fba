/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/ktail/statistics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#define ENDING ".kgrams"

static int write_kgrams(FILE *out, const void *kgrams)
{
	return kt_kgrams_write(kgrams, out);
}

static const struct kt_output_format formats[] = {
	{ENDING, NULL, write_kgrams},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_statistics = {
	.what = "statistics",
	.formats = formats,
	.json = write_kgrams,
};

bool kt_statistics_is_named(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash + 1 : path, '.');

	return dot && strcmp(dot, ENDING) == 0;
}

int kt_statistics_read(kt_kgrams **out, const char *path)
{
	FILE *in = fopen(path, "re");
	int code;

	*out = NULL;
	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	code = kt_kgrams_read(out, in, path);
	fclose(in);
	return code;
}

/*
 * The previous holder of the lock may have replaced the file during the wait. `path` then
 * names a new file, so the loop opens and locks that file instead.
 */
int kt_statistics_lock(int *lock, const char *path)
{
	*lock = -1;
	for (;;) {
		struct stat opened;
		struct stat named;
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		int failed;

		if (fd < 0 && errno == ENOENT) {
			return kt_error(KT_E_IO,
					"update %s: %s; ktail --k N --kgrams FILE.kgrams "
					"creates one",
					path, strerror(errno));
		}
		if (fd < 0) {
			return kt_error_errno(KT_E_IO, "update %s", path);
		}
		do {
			failed = flock(fd, LOCK_EX);
		} while (failed && errno == EINTR);
		if (failed) {
			kt_error_errno(KT_E_IO, "lock %s", path);
			close(fd);
			return KT_E_IO;
		}
		if (fstat(fd, &opened) == 0 && stat(path, &named) == 0 &&
		    opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) {
			*lock = fd;
			return KT_OK;
		}
		close(fd);
	}
}
