/* SPDX-License-Identifier: MIT */
/*
 * Limits the total time for which LTTng may block this process. LTTng's own time-out
 * applies to each event separately, so a consumer that hangs would block the program at
 * every event, each time for a tenth of a second. The account adds up the time for which
 * LTTng blocked events. Once the sum reaches the limit, events are dropped (their sequence
 * numbers show the gap), except that now and then one event is sent as a probe. A probe
 * that is not blocked shows that the buffers have drained; then events are sent again.
 *
 * One hundredth of the time that passes is credited to the account, so that early waits do
 * not use up the limit of a program that runs for days. In total, a process is blocked for
 * at most the sum of the limit, 1 % of its run time, and the time of the probes. A blocked
 * probe takes a tenth of a second. Probes are sent after pauses of 1, 2, 4, 8, and then
 * always 16 s.
 *
 * The caller holds the recorder's lock. Signal-safe.
 */
#ifndef KTAIL_COLLECT_ACCOUNT_H
#define KTAIL_COLLECT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define KT_ACCOUNT_DEFAULT_MS 5000
/*
 * Least time, in ns, in which an event is taken to have been blocked. LTTng's waits take
 * 10 ms and more, which include two ticks of a clock with ticks of 4 ms; an event that is
 * not blocked includes one tick at most.
 */
#define KT_ACCOUNT_WAIT_NS 7000000ull

struct kt_account {
	uint64_t limit;     /* ns; UINT64_MAX: never give up */
	uint64_t held;      /* ns for which events were blocked, less the credit */
	uint64_t seen;      /* time of the last blocked event; 0: none */
	uint64_t pause;     /* ns between a blocked event and the next probe */
	uint64_t probe;     /* time from which the next event may be sent as a probe */
	uint64_t recovered; /* time of the last probe that was not blocked; 0: none */
	bool gave_up;
};

/* All times are in ns of a monotonic clock. */
void kt_account_open(struct kt_account *account, uint64_t limit);

/* Returns whether an event may be passed to LTTng now. */
bool kt_account_may_send(const struct kt_account *account, uint64_t now);

/*
 * Charges the account for an event whose sending began at `before` and ended at `now`.
 * Returns for how many ns LTTng blocked the event, 0 if it did not.
 */
uint64_t kt_account_sent(struct kt_account *account, uint64_t before, uint64_t now);

#endif
