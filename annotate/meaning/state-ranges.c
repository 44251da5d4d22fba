/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/state-ranges.h"

#include <inttypes.h>
#include <string.h>

size_t kt_state_ranges_put(FILE *out, const uint32_t *states, size_t n, size_t most)
{
	char text[64];
	size_t width = 0;
	size_t runs = 0;

	for (size_t i = 0, many; i < n; i += many) {
		many = 1;
		while (i + many < n && states[i + many] == states[i + many - 1] + 1) {
			many++;
		}
		if (runs++ == most && i + many < n) {
			many = n - i;
			snprintf(text, sizeof(text), "and %zu more ", many);
		} else if (many == 1) {
			snprintf(text, sizeof(text), "%" PRIu32 " ", states[i]);
		} else {
			snprintf(text, sizeof(text), "%" PRIu32 "-%" PRIu32 " ", states[i],
				 states[i + many - 1]);
		}
		width += strlen(text);
		if (out) {
			fputs(text, out);
		}
	}
	return width;
}
