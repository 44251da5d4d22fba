/* SPDX-License-Identifier: MIT */
/*
 * Finds the cubins and the PTX in a fatbin, or in a file with fatbins: an executable, a
 * library, an object file. A fatbin begins at a multiple of 8 bytes with a magic number, so
 * the sections of the file are not needed.
 *
 * Source: files of nvcc and fatbinary 13.0, uncompressed and in both kinds of compression;
 * the Rust crate fatbinary describes the format, too. Allocates nothing.
 */
#ifndef KTAIL_DECODE_FATBIN_H
#define KTAIL_DECODE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_FATBIN_PTX   1
#define KT_FATBIN_CUBIN 2

enum kt_fatbin_compression {
	KT_FATBIN_PLAIN = 0,
	KT_FATBIN_LZ4,   /* an LZ4 block */
	KT_FATBIN_ZSTD,  /* a zstd frame */
	KT_FATBIN_OTHER, /* the flags of both */
};

struct kt_fatbin_entry {
	unsigned kind; /* KT_FATBIN_PTX, KT_FATBIN_CUBIN or another number */
	unsigned sm;   /* compute capability: 90 for 9.0 */
	enum kt_fatbin_compression compression;
	const uint8_t *data; /* in the file's memory */
	size_t bytes;      /* size of `data`; if not compressed, up to 7 bytes more than the
			    * contents */
	uint64_t contents; /* decompressed size, by the header; 0: not compressed */
	uint64_t offset;   /* offset of `data` from the beginning of the file */
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
