/* SPDX-License-Identifier: MIT */
/*
 * Reads the entry names of a PTX module and nothing else. Names inside comments, strings
 * and braces are ignored. This file does not depend on the driver.
 */
#ifndef KTAIL_SOFTGPU_PTX_H
#define KTAIL_SOFTGPU_PTX_H

#include <stddef.h>

struct kt_ptx {
	char **names; /* Owned by this, like each name; unique, in the order of the text */
	size_t n;
};

enum kt_ptx_status {
	KT_PTX_OK = 0,
	KT_PTX_BAD, /* not PTX: no .version, truncated, or invalid bytes */
	KT_PTX_NO_MEMORY,
};

/*
 * Reads text terminated by a zero byte. *out is empty unless the result is OK. O(length +
 * entries^2).
 */
enum kt_ptx_status kt_ptx_read(struct kt_ptx *out, const char *text);
void kt_ptx_free(struct kt_ptx *ptx);

#endif
