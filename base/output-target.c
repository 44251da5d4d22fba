/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/output-target.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <ktail/status.h>

#define LINKS_MAX 40 /* maximum number of links in a row, as in the kernel */

static int failed(int error)
{
	return kt_error(KT_E_IO, "%s", strerror(error));
}

/* Returns the folder of a path; the caller frees it. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash) {
		return strdup(".");
	}
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

bool kt_output_target_is_planted(const char *path, unsigned owner)
{
	char *folder = folder_of(path);
	struct stat st;
	bool planted = true; /* stays true if the folder cannot be inspected */

	if (folder && stat(folder, &st) == 0) {
		planted = (st.st_mode & S_ISVTX) && (st.st_mode & (S_IWGRP | S_IWOTH)) &&
			  owner != geteuid() && owner != st.st_uid;
	}
	free(folder);
	return planted;
}

/*
 * Returns whether a link is in /proc. The text of such a link must not be followed,
 * because the link leads to an open file, whose path may differ from the text.
 */
static bool is_on_proc(const char *link)
{
	char *folder = folder_of(link);
	struct statfs fs;
	bool is = folder && statfs(folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;

	free(folder);
	return is;
}

/*
 * Replaces the path of a link by the path of its target. A relative target is relative to
 * the link's folder.
 */
static int follow(char **path)
{
	char link_target[PATH_MAX];
	ssize_t n = readlink(*path, link_target, sizeof(link_target) - 1);
	const char *slash = strrchr(*path, '/');
	char *next;

	if (n < 0) {
		return failed(errno);
	}
	link_target[n] = '\0';
	if (link_target[0] == '/' || !slash) {
		next = strdup(link_target);
	} else if (asprintf(&next, "%.*s/%s", (int)(slash - *path), *path, link_target) <
		   0) {
		next = NULL;
	}
	free(*path);
	*path = next;
	return next ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

/* Follows the link at target->path; if the path is not a link, sets the kind and *done. */
static int inspect(struct kt_output_target *target, bool *done)
{
	struct stat st;

	*done = true;
	if (lstat(target->path, &st) != 0) {
		target->kind = KT_TARGET_NEW;
		return errno == ENOENT ? KT_OK : failed(errno);
	}
	if (S_ISDIR(st.st_mode)) {
		target->kind = KT_TARGET_FOLDER;
		return KT_OK;
	}
	if (kt_output_target_is_planted(target->path, st.st_uid)) {
		return kt_error(KT_E_IO,
				"it is a %s of another user (uid %u) in a sticky folder "
				"that others "
				"may write to, and is not %s",
				S_ISLNK(st.st_mode)   ? "symbolic link"
				: S_ISREG(st.st_mode) ? "file"
						      : "pipe or device",
				(unsigned)st.st_uid,
				S_ISLNK(st.st_mode) ? "followed" : "written to");
	}
	if (S_ISLNK(st.st_mode) && !is_on_proc(target->path)) {
		*done = false;
		return follow(&target->path);
	}
	target->kind = S_ISREG(st.st_mode) ? KT_TARGET_FILE : KT_TARGET_DIRECT;
	return KT_OK;
}

int kt_output_target_find(struct kt_output_target *target, const char *path)
{
	size_t n = strlen(path);
	bool done = false;
	int code;

	/* Remove slashes at the end: with them, lstat() would follow a link. */
	while (n > 1 && path[n - 1] == '/') {
		n--;
	}
	target->path = strndup(path, n);
	code = target->path ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
	if (!code && !path[0]) {
		code = failed(ENOENT);
	}
	for (int links = 0; !code && !done; links++) {
		code = links > LINKS_MAX ? failed(ELOOP) : inspect(target, &done);
	}
	if (code) {
		free(target->path);
		target->path = NULL;
	}
	return code;
}
