/* SPDX-License-Identifier: MIT */
#include "collect/preload/api/api-coverage.h"

#include <stdbool.h>
#include <string.h>

#include "collect/preload/api/api-calls.h"
#include "collect/preload/api/api-libraries.h"
#include "collect/preload/api/api-table.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/process/counters.h"

static bool counted; /* whether this program, or the parent, counted unobserved functions */

static bool was_asked_for(const char *name, uintptr_t function)
{
	for (size_t i = 0; i < kt_api_entries(); i++) {
		const struct kt_api_entry *entry = kt_api_entry_at(i);

		if (entry->function == function || strcmp(entry->name, name) == 0) {
			return true;
		}
	}
	for (size_t i = 0; i < kt_api_pasts(); i++) {
		if (strcmp(kt_api_past_at(i)->name, name) == 0) {
			return true;
		}
	}
	return false;
}

void kt_api_coverage_emit(void)
{
	if (kt_api_mode != KT_API_WRAP) {
		return;
	}
	for (size_t i = 0; i < kt_api_entries(); i++) {
		struct kt_api_entry *entry = kt_api_entry_at(i);
		/*
		 * Reports only the calls since the last report, because a process also
		 * reports before an exec, and continues if the exec fails.
		 */
		uint64_t calls = atomic_exchange(&entry->calls, 0);

		kt_emit_api_coverage(&(struct kt_event_api_coverage){
			.api = entry->api,
			.name = entry->name,
			.state = entry->is_traced ? "wrapped" : "counted",
			.how = entry->how,
			.calls = calls});
		if (!entry->is_traced) {
			kt_count_many(&kt_counters->api_counted, calls);
		}
	}
	for (size_t i = 0; i < kt_api_pasts(); i++) {
		const struct kt_api_past *past = kt_api_past_at(i);

		kt_emit_api_coverage(&(struct kt_event_api_coverage){.api = past->api,
								     .name = past->name,
								     .state = "past",
								     .how = past->how});
	}
	for (size_t i = 0; i < kt_api_libraries(); i++) {
		const struct kt_api_library *library = kt_api_library_at(i);
		uint64_t unseen = 0;

		for (size_t k = 0; k < library->n_exports; k++) {
			unseen += !was_asked_for(library->exports[k].name,
						 library->exports[k].function);
		}
		kt_emit_api_coverage(&(struct kt_event_api_coverage){.api = library->api,
								     .name = "-",
								     .state = "unseen",
								     .how = "-",
								     .calls = unseen});
		if (!counted) {
			kt_count_many(&kt_counters->api_unseen, unseen);
		}
	}
	counted = counted || kt_api_libraries() > 0;
}

void kt_api_coverage_after_fork(void)
{
	counted = counted || kt_api_libraries() > 0;
}
