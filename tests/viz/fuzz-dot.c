/* SPDX-License-Identifier: MIT */
/* Every machine that the JSON reader accepts must be drawn as DOT, collapsed or not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/fsm.h>
#include <ktail/status.h>

#include "viz/machine/collapse.h"
#include "viz/machine/print-dot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const struct kt_fsm *fsm, bool collapse)
{
	const struct kt_dot_options options = KT_DOT_OPTIONS_INIT;
	struct kt_drawing *drawing = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || kt_drawing_new(&drawing, fsm, collapse) != KT_OK ||
	    kt_print_dot(out, drawing, &options) != KT_OK) {
		abort();
	}
	fclose(out);
	free(text);
	kt_drawing_free(drawing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_fsm *fsm = NULL;
	char *copy = malloc(size + 1);
	FILE *in = copy && size ? fmemopen(copy, size, "r") : NULL;

	if (in) {
		memcpy(copy, data, size);
		if (kt_fsm_read_json(&fsm, in, "fuzz") == KT_OK) {
			draw(fsm, true);
			draw(fsm, false);
		}
		kt_fsm_free(fsm);
		fclose(in);
	}
	free(copy);
	return 0;
}
