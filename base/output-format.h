/* SPDX-License-Identifier: MIT */
/*
 * Chooses the format in which a program writes to a path: the format that -f names, or else
 * the format of the path's ending. If standard output is one of several outputs, -f applies
 * to standard output, and to other outputs only if their endings name no format.
 */
#ifndef KTAIL_BASE_OUTPUT_FORMAT_H
#define KTAIL_BASE_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a path is standard output: "-", "/dev/stdout" or an equivalent. */
bool kt_output_is_standard(const char *path);

/* A path of -o, with the options that determine its format. */
struct kt_output_request {
	const char *path;  /* Weak; NULL: standard output */
	const char *asked; /* Weak: the value of -f; NULL: not given */
	bool among;        /* standard output is one of the program's outputs */
};

/*
 * Sets *out to the index of the format in names[0..n), which are endings without the dot;
 * names[0] is the default for standard output. -f text means "txt". KT_E_USAGE with a
 * message that lists the names if -f is invalid, or neither -f nor the ending names a
 * format; also if there is no path, standard output is a terminal, and the format is binary
 * or HTML.
 */
int kt_output_format(size_t *out, const struct kt_output_request *request,
		     const char *const *names, size_t n);

/*
 * Checks that the folder of a path exists. KT_E_IO with a message if it does not;
 * KT_E_MEMORY.
 */
int kt_output_check_folder(const char *path);

#endif
