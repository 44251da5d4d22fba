/* SPDX-License-Identifier: MIT */
/*
 * Reports the submissions of a doorbell: new entries in the rings of the channels whose
 * GP_PUT has moved, and the dwords of their segments, as events after the doorbell's event.
 * All data is copied while the storing thread is stopped, so nothing is overwritten
 * meanwhile. The caller holds the lock. Signal-safe.
 */
#ifndef KTAIL_COLLECT_SUBMISSIONS_H
#define KTAIL_COLLECT_SUBMISSIONS_H

#include <stdint.h>

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

/* Set once; values out of range are clamped. */
void kt_submissions_set_part(uint64_t words);

/*
 * Reports the new entries of all channels whose GP_PUT has moved. A ring is walked from the
 * end of the last walk to GP_PUT, once round at most. An entry's event says what could not
 * be read. A walk ends at the first entry that cannot be read, which shares one event with
 * all later entries; the next walk begins after them.
 */
void kt_submissions_report(void);

#endif
