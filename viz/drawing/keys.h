/* SPDX-License-Identifier: MIT */
/* Keys of edges in a list: a to z, then aa, ab, and so on. */
#ifndef KTAIL_VIZ_KEYS_H
#define KTAIL_VIZ_KEYS_H

#include <stddef.h>

#define KT_KEY_SIZE 16

/* Writes the key of the n-th edge (from 0) to `key`; returns where it begins. */
static inline const char *kt_key(char key[KT_KEY_SIZE], size_t n)
{
	size_t at = KT_KEY_SIZE - 1;

	key[at] = '\0';
	for (n++; n > 0; n = (n - 1) / 26) {
		key[--at] = (char)('a' + (n - 1) % 26);
	}
	return key + at;
}

#endif
