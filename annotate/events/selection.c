/* SPDX-License-Identifier: MIT */
#include "annotate/events/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

static bool is_process(const struct kt_selection *wanted, const char *process, uint32_t pid)
{
	char *end;
	unsigned long number;

	if (strcmp(wanted->process, process) == 0) {
		return true;
	}
	number = strtoul(wanted->process, &end, 10);
	return end != wanted->process && !*end && number == pid;
}

/* A process that there is no memory for is not named. */
static void meet(struct kt_met_processes *met, const char *process, uint32_t pid)
{
	for (size_t i = met->n; i > 0; i--) {
		if (met->items[i - 1].pid == pid &&
		    strcmp(met->items[i - 1].name, process) == 0) {
			return;
		}
	}
	if (kt_array_reserve(&met->items, &met->capacity, met->n + 1)) {
		return;
	}
	met->items[met->n] = (struct kt_met_process){strdup(process), pid};
	met->n += met->items[met->n].name != NULL;
}

void kt_met_processes_clear(struct kt_met_processes *met)
{
	for (size_t i = 0; i < met->n; i++) {
		free(met->items[i].name);
	}
	free(met->items);
	*met = (struct kt_met_processes){0};
}

bool kt_selection_lets(const struct kt_selection *wanted, const char *process, uint32_t pid,
		       uint64_t time)
{
	if (wanted->process) {
		const bool is = is_process(wanted, process, pid);

		if (wanted->met && is) {
			wanted->met->matched = true;
		} else if (wanted->met && !wanted->met->matched) {
			meet(wanted->met, process, pid);
		}
		if (!is) {
			return false;
		}
	}
	return (!wanted->has_from || time >= wanted->from) &&
	       (!wanted->has_to || time <= wanted->to);
}

int kt_selection_judge(const struct kt_selection *wanted)
{
	const struct kt_met_processes *met = wanted->met;
	char list[512] = "";
	size_t used = 0;

	if (!wanted->process || !met || met->matched || met->n == 0) {
		return KT_OK;
	}
	for (size_t i = 0; i < met->n && used < sizeof(list); i++) {
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%s (%" PRIu32 ")", i ? ", " : "",
					 met->items[i].name, met->items[i].pid);
	}
	return kt_error(KT_E_USAGE,
			"find process %s: no process has that name or pid; there is %s",
			wanted->process, list);
}
