/* SPDX-License-Identifier: MIT */
/*
 * Reads any dwords as a QMD of any class and length: all reads stay within the dwords, and
 * return the value that is picked bit by bit. Input: class in 4 bytes, then the dwords.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/qmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds) {
		abort();
	}
}

static uint64_t pick(const struct kt_qmd_layout *layout, const uint32_t *words,
		     size_t bytes, unsigned lo, unsigned width)
{
	uint64_t value = 0;

	bytes = bytes < kt_qmd_bytes(layout) ? bytes : kt_qmd_bytes(layout);
	if ((lo + width - 1) / 32 >= bytes / 4) {
		return 0;
	}
	for (unsigned i = 0; i < width; i++) {
		value |= (uint64_t)(words[(lo + i) / 32] >> (lo + i) % 32 & 1) << i;
	}
	return value;
}

static void check_layout(const struct kt_qmd_layout *layout, const uint32_t *words,
			 size_t bytes)
{
	struct kt_qmd_field field;
	struct kt_qmd_launch launch;

	for (size_t i = 0; kt_qmd_field(layout, i, &field); i++) {
		unsigned width = (unsigned)(field.hi - field.lo + 1);

		for (unsigned e = 0; e <= field.count; e++) {
			uint64_t value = kt_qmd_get(layout, &field, e, words, bytes);
			const char *name = kt_qmd_value_name(layout, &field, value);

			check(value == (e < field.count ? pick(layout, words, bytes,
							       kt_qmd_bit(&field, e), width)
							: 0));
			check(!name || strlen(name) > 0);
		}
	}
	kt_qmd_launch(layout, words, bytes, &launch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct kt_qmd_layout *found;
	uint32_t class_number, *words;
	size_t bytes;

	if (size < 4) {
		return 0;
	}
	memcpy(&class_number, data, 4);
	bytes = size - 4;
	words = malloc(bytes / 4 * 4 + 1);
	if (words) {
		memcpy(words, data + 4, bytes / 4 * 4);
		found = kt_qmd_find(class_number, words, bytes);
		check(!found || kt_qmd_find(0, words, bytes));
		if (found) {
			check_layout(found, words, bytes);
		}
		check_layout(kt_qmd_layout_at(class_number % kt_qmd_layouts()), words,
			     bytes);
	}
	free(words);
	return 0;
}
