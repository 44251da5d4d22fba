/* SPDX-License-Identifier: MIT */
/* Decompresses the entries of fatbins. */
#ifndef KTAIL_ANNOTATE_FATBIN_CONTENTS_H
#define KTAIL_ANNOTATE_FATBIN_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

#include "decode/fatbin.h"

/* The contents of an entry. Free with kt_fatbin_contents_free(). */
struct kt_fatbin_contents {
	const uint8_t *data; /* `owned`, or in the file if the entry is not compressed */
	size_t bytes;
	uint8_t *owned; /* Owned by this; NULL: not compressed */
};

/*
 * Sets *out and returns NULL. On failure, returns the reason instead: a phrase such as "is
 * damaged". Never reads outside the entry's data. Needs at most KT_FATBIN_MOST bytes of
 * memory, and at most KT_FATBIN_RATIO for each byte of data.
 */
const char *kt_fatbin_contents(struct kt_fatbin_contents *out,
			       const struct kt_fatbin_entry *entry);
void kt_fatbin_contents_free(struct kt_fatbin_contents *contents);

#define KT_FATBIN_MOST  ((size_t)1 << 30)
#define KT_FATBIN_RATIO 1000

#endif
