/* SPDX-License-Identifier: MIT */
/*
 * Reports a doorbell and its submissions: new entries in the rings of the channels whose
 * GP_PUT has moved, and the dwords of their segments. A small submission of one channel
 * becomes one event, which includes the doorbell. Entries and dwords of all other
 * submissions are events of their own, after the doorbell's event. All data are copied
 * while the storing thread is stopped, so that the thread cannot overwrite the data. The
 * caller holds the lock. Signal-safe.
 */
#ifndef KTAIL_COLLECT_SUBMISSIONS_H
#define KTAIL_COLLECT_SUBMISSIONS_H

#include <stdint.h>

#include "lttng-providers/ust/gpu-stack-events.h"

enum kt_submissions_mode { KT_SUBMISSIONS_OFF, KT_SUBMISSIONS_WORDS };

/* Whether entries and dwords are reported; set once, before the first doorbell. */
extern enum kt_submissions_mode kt_submissions_mode;

/*
 * Least, default and greatest limit of the dwords in one event. An event that does not fit
 * into a sub-buffer is lost; with the default, events fit into LTTng's smallest sub-buffer,
 * a page.
 */
#define KT_PART_WORDS_MIN 64u
#define KT_PART_WORDS     768u
#define KT_PART_WORDS_MAX 2048u

/*
 * Number of dwords that the event of a small submission keeps free for its other fields: up
 * to 16 entries of 24 bytes.
 */
#define KT_SMALL_SPARE 96u

/* Sets the limit of the dwords in one event, once; values out of range are clamped. */
void kt_submissions_set_part(uint64_t words);

/*
 * Reports a doorbell with the new entries of all channels whose GP_PUT has moved. A ring is
 * walked from the end of the last walk to GP_PUT, at most once round. The event of an entry
 * whose segment cannot be read gives the reason. If an entry itself cannot be read, the
 * walk ends: one event stands for this and all later entries, and the next walk begins
 * after them.
 */
void kt_submissions_report(const struct kt_event_doorbell *doorbell);

#endif
