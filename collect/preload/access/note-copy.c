/* SPDX-License-Identifier: MIT */
#include "collect/preload/access/note-copy.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/ring-ranges.h"
#include "collect/preload/mappings/roles.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/submissions/doorbell.h"

#define SHORT_COPY 256 /* bytes: programs read no more reports at once */

/*
 * Stores to doorbells and rings are events of their own, and each block that a short copy
 * reads from memory with no special role may hold a report (reports.h).
 */
static bool is_one_access(const struct kt_mapping *m, uintptr_t address, size_t size,
			  bool write)
{
	struct kt_role_range role;

	if (write) {
		return !kt_doorbell_is_in(m, address, size) &&
		       !kt_ring_ranges_near(address, address + size);
	}
	role = kt_role_at(m, address);
	return size > SHORT_COPY ||
	       (strcmp(role.role, "other") != 0 && role.hi - address >= size);
}

void *kt_copy_note(uintptr_t address, size_t size, bool write, uintptr_t ip)
{
	const struct kt_mapping *m = kt_mapping_find(address);
	int allowing_it = write ? PROT_WRITE : PROT_READ | PROT_WRITE;
	uintptr_t end = address + size;
	uintptr_t from = address;

	if (!m || !m->alias || m->watch != KT_WATCH_ALL || kt_run_is_exact() || size == 0 ||
	    !(m->protection & allowing_it) || size > m->start + m->length - address ||
	    !is_one_access(m, address, size, write)) {
		return NULL;
	}
	do { /* a run for each role */
		kt_run_note(m, from, end - from, write, ip);
		from = kt_run.range.hi > from ? kt_run.range.hi : end;
	} while (from < end);
	kt_count(&kt_counters->patched_accesses);
	kt_run_let_continue(m, address);
	return (char *)m->alias + (address - m->start);
}
