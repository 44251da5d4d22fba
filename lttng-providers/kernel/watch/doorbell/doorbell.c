// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/doorbell.h"

#include "watch/base/counters.h"
#include "watch/doorbell/snapshot.h"
#include "watch/state/door.h"
#include "watch/state/emit.h"
#include "watch/state/open-doors.h"

void dw_doorbell_rang(const struct dw_door *door, const char *by, unsigned long ip,
		      bool known, u32 value)
{
	struct dw_mapping *mapping = door->mapping;
	struct kt_event_doorbell event = {
		.by = by,
		.space = "reg",
		.mapping = mapping->ordinal,
		.offset = door->at - mapping->base,
		.ip = ip,
		.known = known,
		.value = value,
	};
	struct doorbell_watch_bell bell = {
		.physical = ((u64)door->pfn << PAGE_SHIFT) + dw_door_offset(),
		.at = door->at,
		.value = value,
		.known = known,
	};

	dw_count(doorbells);
	if (!known) {
		dw_count(undecoded);
	}
	atomic64_inc(&mapping->process->doorbells);
	DW_EMIT(mapping->process, doorbell, &event);
	dw_snapshot_rang(&bell);
}
