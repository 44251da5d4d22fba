/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/runs.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/emit/emit.h"
#include "collect/preload/mappings/continuing.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/reports.h"
#include "collect/preload/mappings/ring-ranges.h"
#include "collect/preload/overhead/visits.h"
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
	kt_report_read();
}

/* Returns whether an access to the run's mapping has another role than the last access. */
static bool has_other_role(const struct kt_mapping *m, uintptr_t address)
{
	const char *before = kt_run.range.role;

	if (address >= kt_run.range.lo && address < kt_run.range.hi &&
	    kt_run.role_changes == kt_roles_changes()) {
		return false;
	}
	kt_run.range = kt_role_at(m, address);
	kt_run.role_changes = kt_roles_changes();
	return kt_run.range.role != before;
}

void kt_run_note(const struct kt_mapping *m, uintptr_t address, size_t size, bool write,
		 uintptr_t ip)
{
	bool begins = kt_run.mapping != m->ordinal;
	struct kt_event_access event;

	if (m->watch != KT_WATCH_ALL) {
		return; /* only stores to a doorbell or rings are observed: no runs */
	}
	kt_visit_accesses(m->ordinal);
	if (begins) {
		kt_pages_close_windows();
		kt_run.mapping = m->ordinal;
		kt_run.range = kt_role_at(m, address);
		kt_run.role_changes = kt_roles_changes();
		kt_run.written = false;
		kt_run.emulated = 0;
		kt_run.patched = 0;
		kt_run.grow = KT_PAGE;
	} else if (has_other_role(m, address)) {
		/* Windows stay open, because they depend only on the mapping. */
		begins = true;
		kt_run.written = false;
	}
	if (!write && strcmp(kt_run.range.role, "other") == 0) {
		kt_report_note(m, address);
	}
	if (begins || (write && !kt_run.written) || kt_run_is_exact()) {
		event = (struct kt_event_access){
			.op = write ? "W" : "R",
			.space = kt_mapping_space(m),
			.mapping = m->ordinal,
			.offset = address - m->base,
			.size = size,
			.ip = ip,
			.role = kt_run.range.role,
		};
		kt_emit_access(&event);
		if (kt_access_mode == KT_ACCESS_EXACT && ++reported == kt_access_limit) {
			static const struct kt_event_detail detail = {
				"access", "exact", "coalesced", "limit", 0};

			kt_count(&kt_counters->limit_reached);
			kt_emit_detail(&detail);
		}
	}
	kt_run.written = kt_run.written || write;
}

static struct kt_span overlap(struct kt_span a, uintptr_t lo, uintptr_t hi)
{
	a.lo = a.lo > lo ? a.lo : lo;
	a.hi = a.hi < hi ? a.hi : hi;
	return a.lo < a.hi ? a : (struct kt_span){0, 0};
}

void kt_run_let_continue(const struct kt_mapping *m, uintptr_t address)
{
	const struct kt_role_range *range = &kt_run.range;
	struct kt_continuing now = {.to_alias = 0};
	struct kt_span all;
	struct kt_span gap;

	if (!m || !m->alias || m->watch != KT_WATCH_ALL || kt_run.mapping != m->ordinal ||
	    kt_run_is_exact() || kt_run.role_changes != kt_roles_changes()) {
		return;
	}
	all = overlap((struct kt_span){m->start, m->start + m->length}, range->lo,
		      range->hi);
	now.to_alias = (uintptr_t)m->alias - m->start;
	if (m->protection & (PROT_READ | PROT_WRITE)) {
		now.reads = all;
	}
	if (strcmp(range->role, "other") == 0) {
		/* A read of another block may be the end of a report (reports.h). */
		now.reads = overlap(now.reads, kt_report_block(),
				    kt_report_block() + KT_REPORT_BYTES);
	}
	/* Stores to doorbells and rings are events even within a run. */
	if (m->protection & PROT_WRITE && kt_run.written && !m->doorbell) {
		kt_ring_ranges_gap(address, &gap.lo, &gap.hi);
		now.writes = overlap(all, gap.lo, gap.hi);
	}
	kt_continuing_set(&now);
}

bool kt_run_has_one_role(uintptr_t start, size_t length)
{
	return kt_run.role_changes == kt_roles_changes() && start >= kt_run.range.lo &&
	       start < kt_run.range.hi && length <= kt_run.range.hi - start &&
	       !kt_ring_ranges_near(start, start + length);
}

void kt_run_after_fork(void)
{
	kt_report_after_fork();
	kt_access_end_run();
	reported = 0;
}
