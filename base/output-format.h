/* SPDX-License-Identifier: MIT */
/*
 * Which format a program writes to a path: the format that -f names, or else the format of
 * the path's ending. If standard output is among the outputs, -f applies to it, and to
 * other outputs only if their endings name no format.
 */
#ifndef KTAIL_BASE_OUTPUT_FORMAT_H
#define KTAIL_BASE_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a path is standard output: "-", /dev/stdout. */
bool kt_output_is_standard(const char *path);

/* One path of -o, and what decides its format. */
struct kt_output_request {
	const char *path;  /* Weak; NULL: standard output */
	const char *asked; /* Weak: the value of -f; NULL: not given */
	bool among;        /* one of the outputs is standard output */
};

/*
 * Sets *out to the index of the format among names[0..n), which are endings without the
 * dot; the first one is the default for standard output. "text" means "txt". KT_E_USAGE
 * with a message that lists the names if neither -f nor the ending names a format.
 */
int kt_output_format(size_t *out, const struct kt_output_request *request,
		     const char *const *names, size_t n);

/* Returns KT_E_IO with a message that names the path if its folder does not exist. */
int kt_output_check_folder(const char *path);

#endif
