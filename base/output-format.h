/* SPDX-License-Identifier: MIT */
/*
 * Which format a program writes to a path: what -f names, or else what the path ends in.
 * -f is about standard output where that is among the outputs, else about all of them.
 */
#ifndef KTAIL_BASE_OUTPUT_FORMAT_H
#define KTAIL_BASE_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a path is standard output: "-", /dev/stdout. */
bool kt_output_is_standard(const char *path);

/* What -o names. */
struct kt_output_request {
	const char *path;  /* Weak; NULL: standard output */
	const char *asked; /* Weak: of -f; NULL: none */
	bool among;        /* one of the outputs is standard output */
};

/*
 * Gives the index of the format among names[0..n), which are endings without the dot; the
 * first one is for standard output. KT_E_USAGE naming all of them if it is none. "text" is
 * "txt".
 */
int kt_output_format(size_t *out, const struct kt_output_request *request,
		     const char *const *names, size_t n);

/* KT_E_IO naming the path if the folder that it is in is not there. */
int kt_output_check_folder(const char *path);

#endif
