/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_PATH_LIST_H
#define KTAIL_BASE_PATH_LIST_H

#include <stddef.h>

/* Returns the path for messages: "standard input" for "-". */
const char *kt_path_name(const char *path);

/* Formats the name of a group of files for messages: "a", or "a and 3 more". n > 0. */
void kt_path_list_name(char *out, size_t size, const char *const *paths, size_t n);

#endif
