/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/runs.h"

#include "collect/preload/emit/emit.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"

enum kt_access_mode kt_access_mode = KT_ACCESS_COALESCED;
uint64_t kt_access_limit = UINT64_MAX;
struct kt_run kt_run;

static uint64_t reported; /* accesses reported one by one */

bool kt_run_is_exact(void)
{
	return kt_access_mode == KT_ACCESS_EXACT && reported < kt_access_limit;
}

void kt_access_end_run(void)
{
	kt_pages_close_windows();
	kt_run.mapping = 0;
}

void kt_run_note(const struct kt_mapping *m, uintptr_t address, size_t size, bool write,
		 uintptr_t ip)
{
	bool begins = kt_run.mapping != m->ordinal;
	struct kt_event_access event;

	if (m->watch != KT_WATCH_ALL) {
		return; /* only its doorbell and rings are of interest */
	}
	if (begins) {
		kt_pages_close_windows();
		kt_run.mapping = m->ordinal;
		kt_run.written = false;
		kt_run.emulated = 0;
		kt_run.grow = KT_PAGE;
	}
	if (begins || (write && !kt_run.written) || kt_run_is_exact()) {
		event = (struct kt_event_access){
			.op = write ? "W" : "R",
			.space = kt_mapping_space(m),
			.mapping = m->ordinal,
			.offset = address - m->base,
			.size = size,
			.ip = kt_patch_original(ip),
		};
		kt_emit_access(&event);
		if (kt_access_mode == KT_ACCESS_EXACT && ++reported == kt_access_limit) {
			kt_count(&kt_counters->limit_reached);
		}
	}
	kt_run.written = kt_run.written || write;
}

void kt_run_after_fork(void)
{
	kt_access_end_run();
	reported = 0;
}
