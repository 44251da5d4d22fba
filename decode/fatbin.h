/* SPDX-License-Identifier: MIT */
/*
 * Finds the cubins and the PTX in a fatbin, or in a file with fatbins: an executable, a
 * library, an object file. A fatbin begins at a multiple of 8 bytes with a magic number, so
 * the sections of the file are not needed.
 *
 * Source: files of fatbinary 13.0, whose format is also described by the Rust crate
 * fatbinary. Allocates nothing.
 */
#ifndef KTAIL_DECODE_FATBIN_H
#define KTAIL_DECODE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_FATBIN_PTX   1
#define KT_FATBIN_CUBIN 2

struct kt_fatbin_entry {
	unsigned kind;       /* KT_FATBIN_PTX, KT_FATBIN_CUBIN or another number */
	unsigned sm;         /* compute capability: 90 for 9.0 */
	bool compressed;     /* by LZ4 or zstd */
	const uint8_t *data; /* in the file's memory */
	size_t bytes;    /* of `data`; without compression up to 7 more than the contents */
	uint64_t offset; /* of `data`, from the beginning of the file */
};

/* Called for each entry; returns true to continue. */
typedef bool kt_fatbin_fn(void *context, const struct kt_fatbin_entry *entry);

/*
 * Calls `each` for the entries of all fatbins in file[0..size), in order. Returns false if
 * an entry is malformed, or is not within its fatbin or the file, and sets *offset to where
 * it begins; the entries before it have been reported. *n counts the fatbins. Never reads
 * outside file[0..size). O(size).
 */
bool kt_fatbin_each(const void *file, size_t size, kt_fatbin_fn *each, void *context,
		    size_t *n, uint64_t *offset);

#endif
