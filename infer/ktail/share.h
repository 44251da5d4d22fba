/* SPDX-License-Identifier: MIT */
/* Shares of letters as numbers that are the same everywhere. */
#ifndef KTAIL_SHARE_H
#define KTAIL_SHARE_H

#include <stdint.h>
#include <stdio.h>

/* Writes part / whole, rounded, with four digits behind the point; 0 of 0 is 0. */
static inline void kt_share_write(FILE *out, uint64_t part, uint64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;
	unsigned digits = (unsigned)(share * 10000 + 0.5);

	fprintf(out, "%u.%04u", digits / 10000, digits % 10000);
}

#endif
