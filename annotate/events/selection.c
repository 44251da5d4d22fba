/* SPDX-License-Identifier: MIT */
#include "annotate/events/selection.h"

#include <stdlib.h>
#include <string.h>

bool kt_selection_lets(const struct kt_selection *wanted, const char *process, uint32_t pid,
		       uint64_t time)
{
	if (wanted->process && strcmp(wanted->process, process) != 0) {
		char *end;
		unsigned long number = strtoul(wanted->process, &end, 10);

		if (end == wanted->process || *end || number != pid) {
			return false;
		}
	}
	return (!wanted->has_from || time >= wanted->from) &&
	       (!wanted->has_to || time <= wanted->to);
}
