/* SPDX-License-Identifier: MIT */
/* The libraries that belong to this program, and how others are made to load them. */
#ifndef KTAIL_COLLECT_OWN_LIBRARIES_H
#define KTAIL_COLLECT_OWN_LIBRARIES_H

#include <limits.h>

/*
 * Finds `name` (a file or a folder) in ../lib of this program, built or installed, or
 * beside it. KT_E_IO, with a message that says to `what` end: it is nowhere, or its path is
 * one that the loader would take apart.
 */
int kt_own_library_find(char path[static PATH_MAX], const char *name, const char *what);

/*
 * Puts `path` in front of what a variable holds that is a list with colons: LD_PRELOAD,
 * LD_LIBRARY_PATH. Where it is in front already, nothing is done.
 */
void kt_own_library_put_first(const char *variable, const char *path);

#endif
