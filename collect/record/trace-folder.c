/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/trace-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/output-place.h"

static int claim(const char *path, char absolute[static PATH_MAX], bool made, int *claimed)
{
	int code = KT_OK;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : opendir(path);
	struct stat st;
	int entries = 0;

	if (!dir || fstat(fd, &st) != 0 || !realpath(path, absolute)) {
		code = kt_error_errno(KT_E_IO, "make trace folder %s", path);
		goto end;
	}
	/* Somebody may have made it since it was looked at. */
	if (!made && kt_output_place_is_planted(absolute, st.st_uid)) {
		code = kt_error(KT_E_IO, "make trace folder %s: it belongs to another user",
				path);
		goto end;
	}
	/* Two that begin at once find it empty. A file system may know no locks. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		code = kt_error(KT_E_USAGE,
				"make trace folder %s: another recording goes there", path);
		goto end;
	}
	while (entries <= 2 && readdir(dir)) {
		entries++;
	}
	if (entries > 2) {
		code = kt_error(KT_E_USAGE, "make trace folder %s: it is not empty", path);
		goto end;
	}
	*claimed = fd;
	fd = -1;
end:
	if (dir) {
		closedir(dir);
	}
	if (fd >= 0) {
		close(fd);
	}
	return code;
}

int kt_trace_folder_prepare(const char *path, char absolute[static PATH_MAX], bool *made,
			    int *claimed)
{
	struct kt_output_place place = {0};
	int code = kt_output_place_find(&place, path);
	struct stat st;

	*made = false;
	/* In a folder like /tmp, whoever made the trace's folder could exchange what is in
	 * it. */
	if (!code && place.kind == KT_PLACE_FOLDER && stat(place.path, &st) == 0 &&
	    kt_output_place_is_planted(place.path, st.st_uid)) {
		code = kt_error(
			KT_E_IO,
			"it belongs to another user (uid %u), in a sticky folder that "
			"others may write to",
			(unsigned)st.st_uid);
	}
	free(place.path);
	if (code) {
		kt_error_prepend(code, "make trace folder %s", path);
		return KT_E_IO;
	}
	*made = mkdir(path, 0700) == 0;
	if (!*made && errno != EEXIST) {
		return kt_error_errno(KT_E_IO, "make trace folder %s", path);
	}
	code = claim(path, absolute, *made, claimed);
	if (code == KT_E_IO && *made) {
		rmdir(path); /* not one that another recording has claimed */
	}
	return code;
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

static int narrow_all(int folder);

/* Only what is ours alone: a link, or another name of some file, is none of LTTng's. */
static int narrow(int folder, const char *name)
{
	int fd = openat(folder, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int failed = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		failed = fd >= 0 || (errno != ELOOP && errno != ENOENT);
	} else if (st.st_uid == geteuid() && S_ISDIR(st.st_mode)) {
		failed = fchmod(fd, st.st_mode & 0700) != 0;
		return narrow_all(fd) || failed; /* fd is its */
	} else if (st.st_uid == geteuid() && S_ISREG(st.st_mode) && st.st_nlink == 1) {
		failed = fchmod(fd, st.st_mode & 0600) != 0;
	}
	if (fd >= 0) {
		close(fd);
	}
	return failed;
}

/* Closes the folder; goes on after a failure. */
static int narrow_all(int folder)
{
	DIR *dir = fdopendir(folder);
	const struct dirent *entry;
	int failed = 0;

	if (!dir) {
		close(folder);
		return 1;
	}
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			failed |= narrow(folder, entry->d_name);
		}
	}
	closedir(dir);
	return failed;
}

int kt_trace_folder_close(const char *absolute)
{
	int folder = open(absolute, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0 || narrow_all(folder)) {
		return kt_error(KT_E_IO,
				"close trace %s: the modes of some of its files cannot be "
				"changed: its user's group may read them",
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
