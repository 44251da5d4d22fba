/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/take-after.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

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

/* Other attributes are the system's: a security module labels new files itself. */
static int copy_attributes(int fd, int old)
{
	ssize_t size = flistxattr(old, NULL, 0);
	char *names = size > 0 ? malloc((size_t)size) : NULL;
	int failed = 0;

	if (size <= 0) {
		return 0; /* none, or the file system has no such thing */
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

int kt_take_after(int fd, int old)
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
	/* A new file may have got a list from its folder, which would let others in. */
	if (fremovexattr(fd, ACL) != 0 && errno != ENODATA && errno != EOPNOTSUPP) {
		return -1;
	}
	return copy_attributes(fd, old) || fchmod(fd, was.st_mode & 0777) ? -1 : 0;
}
