/* SPDX-License-Identifier: MIT */
/*
 * Resolves the path of an output: follows its symbolic links. The rules are those of open(2)
 * with fs.protected_symlinks, protected_regular and protected_fifos enabled
 * (proc_sys_fs(5)), whatever the system's settings. In a sticky folder that others can write
 * to, a link, file or pipe is refused unless it belongs to the caller or to the owner of the
 * folder, since anyone may have planted it.
 */
#ifndef KTAIL_BASE_OUTPUT_TARGET_H
#define KTAIL_BASE_OUTPUT_TARGET_H

#include <stdbool.h>

enum kt_target_kind {
	KT_TARGET_NEW,  /* does not exist yet */
	KT_TARGET_FILE, /* a regular file */
	KT_TARGET_FOLDER,
	KT_TARGET_DIRECT /* a device, pipe or /dev/fd/N, which cannot be replaced */
};

struct kt_output_target {
	char *path; /* Owned by this; not a link, except one in /proc (KT_TARGET_DIRECT) */
	enum kt_target_kind kind;
};

/*
 * Finds the target; the caller frees target->path. KT_E_IO or KT_E_MEMORY; the message is
 * only the reason, and the caller prepends "verb path".
 */
int kt_output_target_find(struct kt_output_target *target, const char *path);

/*
 * Returns whether the file at path, owned by the user `owner`, is refused by the rules above
 * because anyone may have planted it. Also true if the folder cannot be inspected.
 */
bool kt_output_target_is_planted(const char *path, unsigned owner);

#endif
