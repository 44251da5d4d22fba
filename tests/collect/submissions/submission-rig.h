/* SPDX-License-Identifier: MIT */
/*
 * Replaces LTTng in tests: stores the events that collect/preload/submissions/submissions.c
 * emits.
 */
#ifndef KTAIL_TESTS_SUBMISSION_RIG_H
#define KTAIL_TESTS_SUBMISSION_RIG_H

#include <stddef.h>
#include <stdint.h>

#include "lttng-providers/ust/gpu-stack-events.h"

#define RIG_ENTRIES 4096
#define RIG_WORDS   (1u << 20)

/* An entry's event, and the commands that follow it. */
struct rig_entry {
	struct kt_event_gpfifo_entry event;
	size_t first; /* index in kt_rig.words of its first dword */
	uint32_t count;
	uint32_t parts;
};

/* Events beyond the capacity are counted but not stored. */
extern struct kt_rig {
	size_t n;
	size_t n_words;
	uint32_t wrong;     /* events out of order, or that do not match their entry */
	uint32_t doorbells; /* doorbell events, with or without entries */
	uint32_t small;     /* events that contain a doorbell and its entries */
	struct rig_entry entries[RIG_ENTRIES];
	uint32_t words[RIG_WORDS];
} kt_rig;

void kt_rig_clear(void);

#endif
