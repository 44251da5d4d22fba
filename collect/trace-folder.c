/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/trace-folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <ktail/status.h>

int kt_trace_folder_prepare(const char *path, char absolute[static PATH_MAX], bool *made)
{
	DIR *dir;
	int entries = 0;

	*made = mkdir(path, 0777) == 0;
	if (!*made && errno != EEXIST) {
		return kt_error_errno(KT_E_IO, "make trace folder %s", path);
	}
	dir = opendir(path);
	if (!dir || !realpath(path, absolute)) {
		int code = kt_error_errno(KT_E_IO, "make trace folder %s", path);

		if (dir) {
			closedir(dir);
		}
		if (*made) {
			rmdir(path);
		}
		return code;
	}
	while (entries <= 2 && readdir(dir)) {
		entries++;
	}
	closedir(dir);
	if (entries > 2) {
		return kt_error(KT_E_USAGE, "make trace folder %s: it is not empty", path);
	}
	return KT_OK;
}

int kt_trace_folder_check_room(const char *absolute)
{
	struct statvfs fs;

	if (statvfs(absolute, &fs) == 0 && fs.f_bavail == 0) {
		return kt_error(
			KT_E_IO,
			"write trace %s: its file system is full: what came last is "
			"not in the trace",
			absolute);
	}
	return KT_OK;
}

static int remove_entry(const char *path, const struct stat *st, int kind,
			struct FTW *place)
{
	(void)st;
	if (kind != FTW_DP) {
		unlink(path);
	} else if (place->level > 0) {
		rmdir(path);
	}
	return 0;
}

void kt_trace_folder_discard(const char *absolute, bool made)
{
	nftw(absolute, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	if (made) {
		rmdir(absolute);
	}
}
