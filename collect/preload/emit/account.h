/* SPDX-License-Identifier: MIT */
/*
 * Limits the time for which LTTng may block this process. LTTng's blocking time-out applies
 * to each event anew, so a consumer that is stuck would stop a program for ever, a tenth of
 * a second at each event. The account adds up the blocked time; once it is used up, events
 * are dropped (their sequence numbers show the gap), except for an occasional probe. A
 * probe that passes without waiting shows that the buffers have drained.
 *
 * The account refills with a hundredth of the time that passes, so a program that runs for
 * days is not cut off by its early waits. A process is blocked for at most the account, 1 %
 * of its run time, and the probes (a tenth of a second each, the first after 1 s, then 2,
 * 4, 8, 16 s).
 *
 * The caller holds the recorder's lock. Signal-safe.
 */
#ifndef KTAIL_COLLECT_ACCOUNT_H
#define KTAIL_COLLECT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define KT_ACCOUNT_DEFAULT_MS 5000
#define KT_ACCOUNT_WAIT_NS    9000000ull /* LTTng waits in steps of at least 10 ms */

struct kt_account {
	uint64_t limit;     /* ns; UINT64_MAX: never give up */
	uint64_t held;      /* ns charged to the limit */
	uint64_t seen;      /* time of the last refill; 0: never */
	uint64_t pause;     /* ns between probes */
	uint64_t probe;     /* time from which the next event may be sent as a probe */
	uint64_t recovered; /* time at which the last probe passed */
	bool gave_up;
};

/* All times are in ns of a monotonic clock. */
void kt_account_open(struct kt_account *account, uint64_t limit);

/* Returns whether an event may be passed to LTTng now. */
bool kt_account_may_send(const struct kt_account *account, uint64_t now);

/*
 * Charges an event that was sent between `before` and `now`. Returns the ns it was blocked,
 * 0 if it was not.
 */
uint64_t kt_account_sent(struct kt_account *account, uint64_t before, uint64_t now);

#endif
