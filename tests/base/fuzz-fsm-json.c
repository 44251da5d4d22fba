/* SPDX-License-Identifier: MIT */
/*
 * Feeds any bytes as fsm.json: nothing crashes, and an accepted machine is unchanged after
 * it is written and read again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/fsm.h>
#include <ktail/status.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int parse(struct kt_fsm **out, const char *data, size_t size)
{
	/* fmemopen() takes no const memory, although this stream only reads. */
	char *copy = malloc(size + 1);
	FILE *in = copy ? fmemopen(copy, size, "r") : NULL;
	int code = KT_E_MEMORY;

	if (in) {
		memcpy(copy, data, size);
		code = kt_fsm_read_json(out, in, "fuzz");
		fclose(in);
	}
	free(copy);
	return code;
}

static char *print(const struct kt_fsm *fsm, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out || kt_fsm_write_json(fsm, out) != KT_OK) {
		abort();
	}
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_fsm *fsm = NULL;
	struct kt_fsm *again = NULL;
	size_t sizes[2];
	char *texts[2];

	if (size == 0 || parse(&fsm, (const char *)data, size) != KT_OK) {
		return 0;
	}
	texts[0] = print(fsm, &sizes[0]);
	if (parse(&again, texts[0], sizes[0]) != KT_OK) {
		abort();
	}
	texts[1] = print(again, &sizes[1]);
	if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]) != 0) {
		abort();
	}
	free(texts[0]);
	free(texts[1]);
	kt_fsm_free(fsm);
	kt_fsm_free(again);
	return 0;
}
