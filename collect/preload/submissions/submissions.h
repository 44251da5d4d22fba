/* SPDX-License-Identifier: MIT */
/*
 * Reports a doorbell and its submissions: new entries in the rings of the channels whose
 * GP_PUT has moved, and the dwords of their segments. A small submission of one channel is
 * one event; otherwise entries and dwords are events after the doorbell's event.
 * All data is copied while the storing thread is stopped, so nothing is overwritten
 * meanwhile. The caller holds the lock. Signal-safe.
 */
#ifndef KTAIL_COLLECT_SUBMISSIONS_H
#define KTAIL_COLLECT_SUBMISSIONS_H

#include <stdint.h>

#include "lttng-providers/ust/gpu-stack-events.h"

enum kt_submissions_mode { KT_SUBMISSIONS_OFF, KT_SUBMISSIONS_WORDS };

/* Amount of detail in submission events; set once, before the first doorbell. */
extern enum kt_submissions_mode kt_submissions_mode;

/*
 * Maximum number of dwords in one event: an event that does not fit into a sub-buffer is
 * lost. If the size of sub-buffers is unknown, events fit into LTTng's smallest, a page.
 */
#define KT_PART_WORDS_MIN 64u
#define KT_PART_WORDS     768u
#define KT_PART_WORDS_MAX 2048u

/*
 * Dwords of a part that a small submission leaves for its other fields: up to 16 entries of
 * 24 bytes.
 */
#define KT_SMALL_SPARE 96u

/* Set once; values out of range are clamped. */
void kt_submissions_set_part(uint64_t words);

/*
 * Reports a doorbell with the new entries of all channels whose GP_PUT has moved. A ring is
 * walked from the end of the last walk to GP_PUT, once round at most. An entry's event says
 * what could not be read. A walk ends at the first entry that cannot be read, which shares
 * one event with all later entries; the next walk begins after them.
 */
void kt_submissions_report(const struct kt_event_doorbell *doorbell);

#endif
