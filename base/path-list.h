/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_PATH_LIST_H
#define KTAIL_BASE_PATH_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Returns "standard input" if path is "-", else path, for messages. */
const char *kt_path_name(const char *path);

/*
 * Returns whether two paths, such as "a" and "./a", name the same entry of the same
 * folder. The entry need not exist yet. A link and its target are different entries; "-"
 * is a standard stream, so it is never the same as "./-". Returns false for unequal paths
 * if a folder cannot be resolved or memory runs out.
 */
bool kt_path_same(const char *a, const char *b);

/* Formats the name of a group of files for messages: "a", or "a and 3 more". n > 0. */
void kt_path_list_name(char *out, size_t size, const char *const *paths, size_t n);

#endif
