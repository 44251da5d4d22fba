/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes, parsed as program points, must yield an error message or a
 * machine that can be read back, in letters of either alphabet.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "corpus/softgpu/truth/points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(const uint8_t *data, size_t size, const char *alphabet)
{
	struct kt_points *points = NULL;
	struct kt_fsm *fsm = NULL;
	struct kt_fsm *again = NULL;
	char *text = NULL;
	size_t length = 0;
	FILE *file;

	if (kt_points_parse(&points, "fuzz", (const char *)data, size) == KT_OK &&
	    kt_points_set_alphabet(points, alphabet) == KT_OK &&
	    kt_truth_make(&fsm, points) == KT_OK) {
		file = open_memstream(&text, &length);
		if (!file || kt_fsm_write_json(fsm, file) != KT_OK) {
			abort();
		}
		fclose(file);
		file = fmemopen(text, length, "r");
		if (!file || kt_fsm_read_json(&again, file, "fuzz") != KT_OK) {
			abort();
		}
		fclose(file);
		free(text);
	}
	kt_points_free(points);
	kt_fsm_free(fsm);
	kt_fsm_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	make(data, size, "table1");
	make(data, size, "roles");
	return 0;
}
