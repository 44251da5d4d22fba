/* SPDX-License-Identifier: MIT */
#include "viz/drawing/head-text.h"

#include <stdio.h>

size_t kt_head_versions(char *text, size_t size, const struct kt_versions *versions,
			const char *before)
{
	static const struct {
		const char *what;
		const char *name;
	} parts[] = {{"gpu", ""}, {"libcuda", "libcuda "}, {"module", "kernel module "}};
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char version[256];

		kt_versions_text(version, sizeof(version), versions, parts[i].what, false);
		if (version[0] && n < size) {
			n += (size_t)snprintf(text + n, size - n, "%s%s%s", n ? before : "",
					      parts[i].name, version);
		}
	}
	return n < size ? n : size - 1;
}
