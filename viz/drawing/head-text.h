/* SPDX-License-Identifier: MIT */
/* Texts in the heads of pictures. */
#ifndef KTAIL_VIZ_HEAD_TEXT_H
#define KTAIL_VIZ_HEAD_TEXT_H

#include <stddef.h>

#include <ktail/versions.h>

/*
 * Writes GPU, libcuda and kernel module to text[0..size), with `before` before each but the
 * first, and truncated if necessary; "" if none is known. Returns the length.
 */
size_t kt_head_versions(char *text, size_t size, const struct kt_versions *versions,
			const char *before);

#endif
