/* SPDX-License-Identifier: MIT */
#include "annotate/events/macro-copies.h"

#include <string.h>

static bool is_called(const struct kt_decoded *decoded, const char *name)
{
	return strcmp(decoded->info.name, name) == 0;
}

void kt_macro_copies_add(struct kt_macro_copies *c, const struct kt_decoded *decoded)
{
	struct kt_method_info info;

	if (!decoded->named) {
		return;
	}
	/* Tested first, as most methods of a long inline copy are LOAD_INLINE_DATA. */
	if (strncmp(decoded->info.name, "LOAD", 4) == 0) {
		c->launched = c->launched && !is_called(decoded, "LOAD_INLINE_DATA");
	} else if (is_called(decoded, "LINE_LENGTH_IN")) {
		c->length = decoded->method.value;
	} else if (is_called(decoded, "LINE_COUNT")) {
		c->lines = decoded->method.value;
	} else if (is_called(decoded, "LAUNCH_DMA")) {
		/*
		 * LAUNCH_DMA copies inline data only in classes that have
		 * LOAD_INLINE_DATA.
		 */
		c->launched =
			kt_method_find_name(decoded->class_, "LOAD_INLINE_DATA", &info);
	} else if (c->launched && is_called(decoded, "CALL_MME_MACRO")) {
		c->bytes += c->length * c->lines;
		c->launched = false;
	}
}
