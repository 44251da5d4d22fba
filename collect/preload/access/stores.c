/* SPDX-License-Identifier: MIT */
#include "collect/preload/access/stores.h"

#include <sys/mman.h>

#include "collect/preload/instructions/guard.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/submissions/doorbell.h"
#include "collect/preload/submissions/ring-stores.h"

bool kt_access_store(uintptr_t address, unsigned width, uint64_t value, uintptr_t ip,
		     bool *wanted)
{
	const struct kt_mapping *m = kt_mapping_find(address);
	struct kt_guard_values values = {.value = value};

	if (!m || !m->alias || m->watch == KT_WATCH_NOTHING ||
	    !(m->protection & PROT_WRITE) || address + width > m->start + m->length ||
	    !kt_guard_do(KT_STORE, width, (char *)m->alias + (address - m->start),
			 &values)) {
		return false;
	}
	*wanted = kt_ring_stored(m, address, width, true, value);
	if (kt_doorbell_is_in(m, address, width)) {
		*wanted = true;
		kt_doorbell_stored(m, ip, width == 4, (uint32_t)value, true);
	} else {
		kt_run_note(m, address, width, true, ip);
	}
	return true;
}
