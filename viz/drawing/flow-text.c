/* SPDX-License-Identifier: MIT */
#include "viz/drawing/flow-text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "viz/drawing/dot-text.h"
#include "viz/drawing/scene.h"
#include "viz/drawing/text-width.h"

int kt_flow_text(FILE *out, const char *text, const char *separator, double size,
		 double width, const char *line)
{
	double between = kt_text_width(separator, size);
	char *copy = strdup(text);
	double used = 0;

	if (!copy) {
		return kt_no_memory("make drawing");
	}
	for (char *piece = copy, *next; piece; piece = next) {
		double needed;

		next = strstr(piece, separator);
		if (next) {
			*next = '\0';
			next += strlen(separator);
		}
		needed = kt_text_width(piece, size);
		if (piece == copy) {
			/* Nothing is written before the first part of the text. */
		} else if (width > 0 && used + between + needed > width) {
			fputs(line, out);
			used = 0;
		} else {
			kt_dot_put(out, KT_DOT_HTML, separator);
			used += between;
		}
		kt_dot_put(out, KT_DOT_HTML, piece);
		used += needed;
	}
	free(copy);
	return KT_OK;
}
