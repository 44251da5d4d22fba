/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as GraphML: nothing crashes, and an accepted machine survives a round
 * trip.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/exchange/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_fsm *fsm = NULL;
	struct kt_fsm *again = NULL;
	char *text;
	char *before;
	char *after;

	if (rig_read(kt_fsm_read_graphml, &fsm, (const char *)data, size)) {
		return 0;
	}
	before = rig_write(kt_fsm_write_json, fsm);
	text = rig_write(kt_fsm_write_graphml, fsm);
	if (!before || !text || rig_read(kt_fsm_read_graphml, &again, text, strlen(text))) {
		abort();
	}
	after = rig_write(kt_fsm_write_json, again);
	if (strcmp(before, after) != 0) {
		abort();
	}
	kt_fsm_free(fsm);
	kt_fsm_free(again);
	free(before);
	free(text);
	free(after);
	return 0;
}
