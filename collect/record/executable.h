/* SPDX-License-Identifier: MIT */
/* Whether the dynamic loader would load the recorder into a command. */
#ifndef KTAIL_COLLECT_EXECUTABLE_H
#define KTAIL_COLLECT_EXECUTABLE_H

#include <limits.h>
#include <stdbool.h>

enum kt_executable_kind {
	KT_EXECUTABLE_DYNAMIC,
	KT_EXECUTABLE_UNKNOWN, /* it cannot be read, or has a form of its own */
	KT_EXECUTABLE_STATIC,  /* it has no loader that could preload anything */
	KT_EXECUTABLE_FOREIGN, /* of another architecture than the recorder */
	KT_EXECUTABLE_RAISED,  /* set-user-id and the like: the loader refuses to preload */
};

/* Looks the file up as execvp() does. false: there is none that can be run. */
bool kt_executable_find(char path[static PATH_MAX], const char *file);

/*
 * Of what kind the file is; a script's interpreter is followed. path[] becomes that of the
 * file that decides.
 */
enum kt_executable_kind kt_executable_look(char path[static PATH_MAX]);

/* Says on standard error why nothing of ours will be loaded into a command, if that is so,
 * and what follows from it. */
void kt_executable_warn(const char *file, const char *consequence);

#endif
