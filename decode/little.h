/* SPDX-License-Identifier: MIT */
/* Reads little-endian numbers of any alignment. */
#ifndef KTAIL_DECODE_LITTLE_H
#define KTAIL_DECODE_LITTLE_H

#include <stdint.h>

/* Returns the number in bytes[0..n); n is at most 8. */
static inline uint64_t kt_little(const uint8_t *bytes, unsigned n)
{
	uint64_t value = 0;

	for (unsigned i = n; i-- > 0;) {
		value = value << 8 | bytes[i];
	}
	return value;
}

#endif
