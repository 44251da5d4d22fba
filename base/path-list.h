/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_PATH_LIST_H
#define KTAIL_BASE_PATH_LIST_H

#include <stddef.h>

/* How messages call files that are one thing together: "a", or "a and 3 more". n > 0. */
void kt_path_list_name(char *out, size_t size, const char *const *paths, size_t n);

#endif
