/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/reports.h"

#include <string.h>

#include "collect/preload/emit/emit.h"
#include "collect/preload/instructions/guard.h"

#define REMEMBERED 64u

struct report {
	uint64_t payload;
	uint64_t time;
};

_Static_assert(sizeof(struct report) == KT_REPORT_BYTES, "one load gives a report");

struct block {
	uint32_t mapping; /* ordinal; 0: none */
	uintptr_t address;
};

static struct block last_read;     /* the block that the program read last */
static struct block last_reported; /* the block of the last report */

/* The last report of a block, at an index that is computed from the block's address. */
static struct {
	uintptr_t address;
	struct report report;
} reported[REMEMBERED];

/*
 * Loads the block twice: a device writes a report in one piece, but the CPU may split a
 * load of 16 bytes. If the block changes between the two loads, it is not reported this
 * time.
 */
static bool load(struct report *out, const void *from)
{
	struct report again;

	return kt_guard_copy_many(out, from, 1) && kt_guard_copy_many(&again, from, 1) &&
	       again.payload == out->payload && again.time == out->time;
}

/*
 * Distinguishes reports from most other memory that a program reads: a timer in ns passes
 * 2^32 after seconds, and reaches 2^61 in 2043 if it counts from 1970.
 */
static bool is_time(uint64_t time)
{
	return time >> 32 != 0 && time >> 61 == 0;
}

static void read_block(const struct block *block)
{
	const struct kt_mapping *m = kt_mapping_find(block->address);
	unsigned at = block->address / KT_REPORT_BYTES % REMEMBERED;
	struct kt_event_report event;
	struct report now;

	if (!m || m->ordinal != block->mapping || !m->alias ||
	    !load(&now, (const char *)m->alias + (block->address - m->start)) ||
	    !is_time(now.time) ||
	    (reported[at].address == block->address &&
	     reported[at].report.payload == now.payload &&
	     reported[at].report.time == now.time)) {
		return;
	}
	reported[at].address = block->address;
	reported[at].report = now;
	last_reported = *block;
	event = (struct kt_event_report){
		.mapping = m->ordinal,
		.offset = block->address - m->base,
		.payload = now.payload,
		.time = now.time,
	};
	kt_emit_report(&event);
}

void kt_report_read(void)
{
	if (last_reported.mapping && last_reported.address != last_read.address) {
		read_block(&last_reported);
	}
	if (last_read.mapping) {
		read_block(&last_read);
	}
}

bool kt_report_was_in(uintptr_t start, size_t length)
{
	for (unsigned i = 0; i < REMEMBERED; i++) {
		if (reported[i].address - start < length) {
			return true;
		}
	}
	return false;
}

uintptr_t kt_report_block(void)
{
	return last_read.mapping ? last_read.address : 0;
}

void kt_report_note(const struct kt_mapping *m, uintptr_t address)
{
	const uintptr_t block = address & ~(uintptr_t)(KT_REPORT_BYTES - 1);

	if (last_read.address == block && last_read.mapping == m->ordinal) {
		return;
	}
	kt_report_read();
	last_read.mapping =
		m->alias && strcmp(kt_mapping_space(m), "sys") == 0 ? m->ordinal : 0;
	last_read.address = block;
}

void kt_report_after_fork(void)
{
	last_read.mapping = 0;
	last_reported.mapping = 0;
	memset(reported, 0, sizeof(reported));
}
