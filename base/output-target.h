/* SPDX-License-Identifier: MIT */
/*
 * Where an output goes: what a path names once its symbolic links are followed. The rules
 * are open(2)'s where fs.protected_symlinks, protected_regular and protected_fifos are set
 * (proc_sys_fs(5)), whatever this machine has set: in a sticky folder that others may write
 * to, a link, file or pipe that belongs neither to the caller nor to the folder's owner may
 * have been put there by anyone, and is refused.
 */
#ifndef KTAIL_BASE_OUTPUT_TARGET_H
#define KTAIL_BASE_OUTPUT_TARGET_H

#include <stdbool.h>

enum kt_target_kind {
	KT_TARGET_NEW,  /* nothing is there yet */
	KT_TARGET_FILE, /* a regular file */
	KT_TARGET_FOLDER,
	KT_TARGET_DIRECT /* a device, pipe, or what /dev/fd/N names: cannot be replaced */
};

struct kt_output_target {
	char *path; /* Owned by this; no link, but for one of /proc (KT_TARGET_DIRECT) */
	enum kt_target_kind kind;
};

/*
 * Finds the place; the caller frees place->path. KT_E_IO or KT_E_MEMORY with the reason
 * alone as the message: the caller puts "verb path" in front.
 */
int kt_output_target_find(struct kt_output_target *target, const char *path);

/*
 * Whether the file at path, whose owner is `owner`, may have been put there by anyone: see
 * above.
 */
bool kt_output_target_is_planted(const char *path, unsigned owner);

#endif
