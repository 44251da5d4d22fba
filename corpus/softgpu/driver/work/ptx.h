/* SPDX-License-Identifier: MIT */
/*
 * The names of a PTX module's entries, and nothing else of it. Comments, strings and braces
 * are followed so far that a name inside of them is none. Knows nothing of the driver.
 */
#ifndef KTAIL_SOFTGPU_PTX_H
#define KTAIL_SOFTGPU_PTX_H

#include <stddef.h>

struct kt_ptx {
	char **names; /* Owned by this, each too; every name once, in the text's order */
	size_t n;
};

enum kt_ptx_status {
	KT_PTX_OK = 0,
	KT_PTX_BAD, /* no PTX: no .version, or cut, or with bytes that PTX has no use for */
	KT_PTX_NO_MEMORY,
};

/* Reads text that a zero byte ends. Unless OK, nothing is left in *out. O(length +
 * entries^2). */
enum kt_ptx_status kt_ptx_read(struct kt_ptx *out, const char *text);
void kt_ptx_free(struct kt_ptx *ptx);

#endif
