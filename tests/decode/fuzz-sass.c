/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as a cubin, once unchanged and once with a valid header: each instruction
 * and the name of its function lie within the file, and all instructions together are not
 * longer than the file. Also reads the bytes as a fatbin, whose entries must lie within the
 * file, and decompress to no more than the limits allow.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate/listing/fatbin-contents.h"
#include "decode/fatbin.h"
#include "decode/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct file {
	const uint8_t *bytes;
	size_t size;
	size_t given;
};

static void check(bool holds)
{
	if (!holds) {
		abort();
	}
}

static bool visit(void *context, const struct kt_sass_instruction *instruction)
{
	struct file *file = context;
	char text[KT_SASS_CONTROL_TEXT];
	const uint8_t *function = (const uint8_t *)instruction->function;

	check(instruction->bytes >= file->bytes &&
	      instruction->bytes + KT_SASS_BYTES <= file->bytes + file->size);
	check(function > file->bytes &&
	      function + strlen(instruction->function) < file->bytes + file->size);
	kt_sass_control_text(text, &instruction->control);
	check(strlen(text) == KT_SASS_CONTROL_TEXT - 1);
	file->given += KT_SASS_BYTES;
	check(file->given <= file->size);
	return true;
}

static void read_file(const uint8_t *bytes, size_t size)
{
	struct file file = {bytes, size, 0};

	kt_sass_status_text(kt_sass_each(bytes, size, visit, &file, NULL));
}

static bool visit_entry(void *context, const struct kt_fatbin_entry *entry)
{
	struct file *file = context;
	struct kt_fatbin_contents contents;

	check(entry->data == file->bytes + entry->offset &&
	      entry->bytes <= file->size - entry->offset);
	file->given += entry->bytes;
	check(file->given <= file->size);
	if (entry->compression != KT_FATBIN_PLAIN &&
	    !kt_fatbin_contents(&contents, entry)) {
		check(contents.bytes == entry->contents &&
		      contents.bytes < KT_FATBIN_RATIO * (entry->bytes + 1));
		read_file(contents.data, contents.bytes);
		kt_fatbin_contents_free(&contents);
	}
	return true;
}

static void read_fatbins(const uint8_t *bytes, size_t size)
{
	struct file file = {bytes, size, 0};
	uint64_t offset = 0;
	size_t n;

	check(kt_fatbin_each(bytes, size, visit_entry, &file, &n, &offset) ||
	      offset < size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	read_file(data, size);
	read_fatbins(data, size);
	copy = size >= 16 ? malloc(size) : NULL;
	if (copy) {
		memcpy(copy, data, size);
		memcpy(copy, "\120\355\125\272\1\0\20", 8);
		read_fatbins(copy, size);
	}
	free(copy);
	copy = size >= 64 ? malloc(size) : NULL;
	if (copy) {
		memcpy(copy, data, size);
		memcpy(copy, "\177ELF\2\1\1\63\7", 9);
		memcpy(copy + 18, "\276\0", 2);
		copy[48] = 90;
		memcpy(copy + 58, "\100\0", 2);
		read_file(copy, size);
	}
	free(copy);
	return 0;
}
