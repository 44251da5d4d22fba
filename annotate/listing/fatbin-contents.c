/* SPDX-License-Identifier: MIT */
#include "annotate/listing/fatbin-contents.h"

#include <limits.h>
#include <stdlib.h>
#ifdef KTAIL_WITH_LZ4
#include <lz4.h>
#endif
#ifdef KTAIL_WITH_ZSTD
#include <zstd.h>
#endif

/*
 * Decompresses into out[0..contents), and returns NULL if the data have exactly this size
 * when decompressed.
 */
static const char *decompress(uint8_t *out, const struct kt_fatbin_entry *entry)
{
	(void)out;
	if (entry->compression == KT_FATBIN_ZSTD) {
#ifdef KTAIL_WITH_ZSTD
		return ZSTD_decompress(out, entry->contents, entry->data, entry->bytes) ==
				       entry->contents
			       ? NULL
			       : "is not zstd data of the size that the fatbin says";
#else
		return "is compressed by zstd, which this ktail was built without";
#endif
	}
	if (entry->compression == KT_FATBIN_LZ4) {
#ifdef KTAIL_WITH_LZ4
		return entry->bytes <= INT_MAX &&
				       LZ4_decompress_safe((const char *)entry->data,
							   (char *)out, (int)entry->bytes,
							   (int)entry->contents) ==
					       (int)entry->contents
			       ? NULL
			       : "is not LZ4 data of the size that the fatbin says";
#else
		return "is compressed by LZ4, which this ktail was built without";
#endif
	}
	return "is compressed in an unknown way";
}

const char *kt_fatbin_contents(struct kt_fatbin_contents *out,
			       const struct kt_fatbin_entry *entry)
{
	const char *reason;

	*out = (struct kt_fatbin_contents){.data = entry->data, .bytes = entry->bytes};
	if (entry->compression == KT_FATBIN_PLAIN) {
		return NULL;
	}
	if (entry->contents > KT_FATBIN_MOST ||
	    entry->contents / KT_FATBIN_RATIO > entry->bytes) {
		return "would have more than 1 GiB, or 1,000 times its compressed size";
	}
	out->owned = malloc(entry->contents + 1);
	if (!out->owned) {
		return "does not fit into memory";
	}
	reason = decompress(out->owned, entry);
	if (reason) {
		kt_fatbin_contents_free(out);
		return reason;
	}
	out->data = out->owned;
	out->bytes = (size_t)entry->contents;
	return NULL;
}

void kt_fatbin_contents_free(struct kt_fatbin_contents *contents)
{
	free(contents->owned);
	*contents = (struct kt_fatbin_contents){0};
}
