/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/truth/said-labels.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/words/file/file.h"
#include "infer/words/read/ctf-folder.h"

/* Size of a metadata packet's header and offsets in it, in bytes (CTF 1.8.3, 7.1). */
enum { HEADER = 37, CONTENT_SIZE_AT = 24, PACKET_SIZE_AT = 28 };
#define PACKET_MAGIC UINT32_C(0x75d11d57)
#define GIGA         INT64_C(1000000000)

static uint32_t read_word(const char *data)
{
	uint32_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

/*
 * Returns the number in `name = N;` of a declaration text[0..length); `otherwise` if there
 * is none.
 */
static int64_t number_of(const char *text, size_t length, const char *name,
			 int64_t otherwise)
{
	const char *end = text + length;
	size_t name_length = strlen(name);

	for (const char *at = text; at < end; at++) {
		int64_t value;

		at = memmem(at, (size_t)(end - at), name, name_length);
		if (!at) {
			break;
		}
		if (strchr(" \t\n", at[-1]) &&
		    sscanf(at + name_length, " = %" SCNd64 ";", &value) == 1) {
			return value;
		}
	}
	return otherwise;
}

int kt_clock_offset_read(int64_t *out, const char *metadata, size_t size)
{
	char *text = malloc(size + 1);
	const char *clock;
	const char *end;
	int64_t offset;
	size_t n = 0;
	int code = KT_OK;

	if (!text) {
		return kt_no_memory("read metadata");
	}
	if (size < HEADER || read_word(metadata) != PACKET_MAGIC) { /* plain text */
		memcpy(text, metadata, size);
		n = size;
	}
	while (size >= HEADER && read_word(metadata) == PACKET_MAGIC) {
		size_t content = read_word(metadata + CONTENT_SIZE_AT) / 8;
		size_t packet = read_word(metadata + PACKET_SIZE_AT) / 8;

		if (content < HEADER || packet < content || packet > size) {
			break;
		}
		memcpy(text + n, metadata + HEADER, content - HEADER);
		n += content - HEADER;
		metadata += packet;
		size -= packet;
	}
	text[n] = '\0';
	clock = strstr(text, "clock {");
	end = clock ? strstr(clock, "};") : NULL;
	if (!end || !memmem(clock, (size_t)(end - clock), "\"monotonic\"", 11)) {
		code = kt_error(KT_E_MALFORMED, "read metadata: no clock \"monotonic\"");
	} else if (number_of(clock, (size_t)(end - clock), "freq", GIGA) != GIGA) {
		code = kt_error(KT_E_MALFORMED,
				"read metadata: its clock does not count nanoseconds");
	} else if (__builtin_mul_overflow(
			   number_of(clock, (size_t)(end - clock), "offset_s", 0), GIGA,
			   &offset) ||
		   __builtin_add_overflow(
			   offset, number_of(clock, (size_t)(end - clock), "offset", 0),
			   &offset)) {
		code = kt_error(KT_E_MALFORMED,
				"read metadata: the offset of its clock is out of range");
	} else {
		*out = offset;
	}
	free(text);
	return code;
}

int kt_trace_clock_offset(int64_t *out, const char *path)
{
	struct kt_ctf_folders found = {0};
	struct kt_file file;
	char *metadata = NULL;
	int code = KT_OK;

	KT_TRY(kt_ctf_find(&found, path));
	for (size_t i = 0; i < found.n; i++) {
		const char *folder = found.folders[i].path;
		int64_t offset = 0;

		free(metadata);
		if (asprintf(&metadata, "%s/metadata", folder) < 0) {
			metadata = NULL;
			code = kt_error(KT_E_MEMORY, "read %s: out of memory", folder);
			goto end;
		}
		KT_TRY_END(kt_file_open(&file, metadata, KT_FILE_WHOLE));
		code = kt_clock_offset_read(&offset, file.data, file.length);
		kt_file_close(&file);
		if (code) {
			kt_error_prepend(code, "%s", metadata);
			goto end;
		}
		if (i > 0 && offset != *out) {
			code = kt_error(KT_E_MALFORMED,
					"read %s: its traces have different clocks", path);
			goto end;
		}
		*out = offset;
	}
end:
	free(metadata);
	kt_ctf_free(&found);
	return code;
}
