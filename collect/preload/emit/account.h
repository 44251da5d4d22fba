/* SPDX-License-Identifier: MIT */
/*
 * Limits the total time for which LTTng may block this process. LTTng's own time-out
 * applies to each event separately, so a consumer that hangs would block the program at
 * every event, each time for a tenth of a second. The account adds up the time for which
 * events were blocked. Once it reaches the limit, events are dropped (their sequence
 * numbers show the gap), except for an occasional probe. A probe that is not blocked shows
 * that the buffers have drained.
 *
 * One hundredth of the time that passes is credited to the account, so that early waits do
 * not use up the limit of a program that runs for days. In total, a process is blocked for
 * at most the limit, 1 % of its run time, and the probes. Each probe takes a tenth of a
 * second; they follow after 1, 2, 4, 8, and then every 16 s.
 *
 * The caller holds the recorder's lock. Signal-safe.
 */
#ifndef KTAIL_COLLECT_ACCOUNT_H
#define KTAIL_COLLECT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define KT_ACCOUNT_DEFAULT_MS 5000
#define KT_ACCOUNT_WAIT_NS    9000000ull /* LTTng waits for at least 10 ms */

struct kt_account {
	uint64_t limit;     /* ns; UINT64_MAX: never give up */
	uint64_t held;      /* ns of waits, less the credit */
	uint64_t seen;      /* time of the last wait; 0: none */
	uint64_t pause;     /* ns until the next probe */
	uint64_t probe;     /* time from which the next event may be sent as a probe */
	uint64_t recovered; /* time at which the last probe passed; 0: none */
	bool gave_up;
};

/* All times are in ns of a monotonic clock. */
void kt_account_open(struct kt_account *account, uint64_t limit);

/* Returns whether an event may be passed to LTTng now. */
bool kt_account_may_send(const struct kt_account *account, uint64_t now);

/*
 * Charges an event whose sending began at `before` and ended at `now`. Returns how long it
 * was blocked, in ns; 0 if it was not.
 */
uint64_t kt_account_sent(struct kt_account *account, uint64_t before, uint64_t now);

#endif
