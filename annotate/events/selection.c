/* SPDX-License-Identifier: MIT */
#include "annotate/events/selection.h"

#include <stdlib.h>
#include <string.h>

static bool is_process(const char *wanted, const char *name, uint32_t pid)
{
	char *end;
	unsigned long number = strtoul(wanted, &end, 10);

	return strcmp(wanted, name) == 0 ||
	       (end != wanted && *end == '\0' && number == pid);
}

bool kt_selection_lets(const struct kt_selection *wanted, const char *process, uint32_t pid,
		       uint64_t time)
{
	return (!wanted->process || is_process(wanted->process, process, pid)) &&
	       (!wanted->has_from || time >= wanted->from) &&
	       (!wanted->has_to || time <= wanted->to);
}
