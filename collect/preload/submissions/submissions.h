/* SPDX-License-Identifier: MIT */
/*
 * What a doorbell has submitted: the entries that have come into the rings of the channels
 * whose GP_PUT has moved, and the words of their segments, as events after the doorbell's.
 * All is copied while the thread that rang is held, so nothing is overwritten meanwhile.
 * The lock is held. Safe in signal handlers.
 */
#ifndef KTAIL_COLLECT_SUBMISSIONS_H
#define KTAIL_COLLECT_SUBMISSIONS_H

#include <stdint.h>

enum kt_submissions_mode { KT_SUBMISSIONS_OFF, KT_SUBMISSIONS_WORDS };

/* What of submissions is reported; set once, before any doorbell rings. */
extern enum kt_submissions_mode kt_submissions_mode;

/*
 * Words in one event at most: an event that does not fit into a sub-buffer is lost. Where
 * nobody says how large that is, events fit into LTTng's smallest, a page.
 */
#define KT_PART_WORDS_MIN 64u
#define KT_PART_WORDS     768u
#define KT_PART_WORDS_MAX 2048u

/* Set once; what is out of bounds is brought to the next bound. */
void kt_submissions_set_part(uint64_t words);

/*
 * Reports what the channels that have moved hold that is new. A ring is walked from where
 * the walk before ended up to GP_PUT, once round at most. What cannot be read is said in
 * the entry's event; for entries that cannot be read there is one event, and the walk goes
 * on after them.
 */
void kt_submissions_report(void);

#endif
