/* SPDX-License-Identifier: MIT */
#include "decode/fatbin.h"

#include <string.h>

#include "decode/little.h"

/* Header: magic (4 bytes), version (2), its own size (2), size of all entries (8). */
#define HEADER_BYTES 16
/*
 * Entry: kind (2 bytes), version (2), size of this header (4), size of the data (8), of the
 * compressed data without padding (4), ...; at ENTRY_SM the compute capability (4), at
 * ENTRY_FLAGS flags (8), at ENTRY_CONTENTS the size of the decompressed data (8).
 */
#define ENTRY_BYTES      64
#define ENTRY_COMPRESSED 16
#define ENTRY_SM         28
#define ENTRY_FLAGS      40
#define ENTRY_CONTENTS   56
#define FLAG_LZ4         0x2000
#define FLAG_ZSTD        0x8000

static enum kt_fatbin_compression compression_of(uint64_t flags)
{
	switch (flags & (FLAG_LZ4 | FLAG_ZSTD)) {
	case 0: return KT_FATBIN_PLAIN;
	case FLAG_LZ4: return KT_FATBIN_LZ4;
	case FLAG_ZSTD: return KT_FATBIN_ZSTD;
	default: return KT_FATBIN_OTHER;
	}
}

/*
 * Reports the entries in file[at..end). Returns false at a malformed entry, and sets
 * *offset to its position. Sets *stopped to whether `each` stopped the reading.
 */
static bool read_entries(const uint8_t *file, uint64_t at, uint64_t end, kt_fatbin_fn *each,
			 void *context, uint64_t *offset, bool *stopped)
{
	while (at < end) {
		const uint8_t *header = file + at;
		uint64_t header_bytes;
		uint64_t bytes;
		struct kt_fatbin_entry entry;

		*offset = at;
		if (end - at < ENTRY_BYTES) {
			return false;
		}
		header_bytes = kt_little(header + 4, 4);
		bytes = kt_little(header + 8, 8);
		if (header_bytes < ENTRY_BYTES || header_bytes > end - at ||
		    bytes > end - at - header_bytes) {
			return false;
		}
		entry = (struct kt_fatbin_entry){
			.kind = (unsigned)kt_little(header, 2),
			.sm = (unsigned)kt_little(header + ENTRY_SM, 4),
			.compression = compression_of(kt_little(header + ENTRY_FLAGS, 8)),
			.data = header + header_bytes,
			.bytes = (size_t)bytes,
			.offset = at + header_bytes,
		};
		if (entry.compression != KT_FATBIN_PLAIN) {
			uint64_t compressed = kt_little(header + ENTRY_COMPRESSED, 4);

			if (compressed > bytes) {
				return false;
			}
			entry.bytes = (size_t)compressed;
			entry.contents = kt_little(header + ENTRY_CONTENTS, 8);
		}
		if (!each(context, &entry)) {
			*stopped = true;
			return true;
		}
		at += header_bytes + bytes;
	}
	return true;
}

bool kt_fatbin_each(const void *file, size_t size, kt_fatbin_fn *each, void *context,
		    size_t *n, uint64_t *offset)
{
	static const uint8_t magic[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, HEADER_BYTES, 0};
	const uint8_t *bytes = file;
	bool stopped = false;

	*n = 0;
	for (uint64_t at = 0;
	     size >= HEADER_BYTES && at <= size - HEADER_BYTES && !stopped;) {
		uint64_t length;

		if (memcmp(bytes + at, magic, sizeof(magic)) != 0) {
			at += 8;
			continue;
		}
		++*n;
		*offset = at;
		at += HEADER_BYTES;
		length = kt_little(bytes + at - 8, 8);
		if (length > size - at || !read_entries(bytes, at, at + length, each,
							context, offset, &stopped)) {
			return false;
		}
		at = (at + length + 7) & ~UINT64_C(7);
	}
	return true;
}
