/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as DOT: nothing crashes, and an accepted machine survives a round trip
 * through the dialect "ktail" and through JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/exchange/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_back(const struct kt_fsm *fsm, rig_write_fn write, rig_read_fn read)
{
	char *before = rig_write(kt_fsm_write_json, fsm);
	char *text = rig_write(write, fsm);
	struct kt_fsm *again = NULL;
	char *after;

	if (!before || !text || rig_read(read, &again, text, strlen(text))) {
		abort();
	}
	after = rig_write(kt_fsm_write_json, again);
	if (strcmp(before, after) != 0) {
		abort();
	}
	kt_fsm_free(again);
	free(before);
	free(text);
	free(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_fsm *fsm = NULL;

	if (rig_read(kt_fsm_read_dot, &fsm, (const char *)data, size) == 0) {
		expect_back(fsm, kt_fsm_write_json, kt_fsm_read_json);
		expect_back(fsm, rig_write_ktail, kt_fsm_read_dot);
		kt_fsm_free(fsm);
	}
	return 0;
}
