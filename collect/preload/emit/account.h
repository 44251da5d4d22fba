/* SPDX-License-Identifier: MIT */
/*
 * How long LTTng may hold this process. LTTng's blocking time-out holds each event anew, so
 * with a consumer that is stuck a program would stand still for ever, a tenth of a second
 * an event. The account adds up what the process was held. When it is used up, events are
 * not sent any more (their sequence numbers show the gap), but for a probe now and then;
 * one that goes through without waiting says that the buffers have drained.
 *
 * The account fills up again slowly, with a hundredth of the time that passes: a program
 * that runs for days does not give up for what it waited on its first. So a process is held
 * for at most the account, 1 % of its run time and the probes (a tenth of a second each, at
 * first after 1 s, then 2, 4, 8, 16 s).
 *
 * Callers hold the recorder's lock. Safe in signal handlers.
 */
#ifndef KTAIL_COLLECT_ACCOUNT_H
#define KTAIL_COLLECT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define KT_ACCOUNT_DEFAULT_MS 5000
#define KT_ACCOUNT_WAIT_NS    9000000ull /* LTTng waits in steps of 10 ms, never less */

struct kt_account {
	uint64_t limit;     /* ns; UINT64_MAX: never give up */
	uint64_t held;      /* ns, of the limit */
	uint64_t seen;      /* when the account was last refilled; 0: never */
	uint64_t pause;     /* ns between probes */
	uint64_t probe;     /* when the next event may go as a probe */
	uint64_t recovered; /* when the last probe went through */
	bool gave_up;
};

/* Times are of a monotonic clock, in ns. */
void kt_account_open(struct kt_account *account, uint64_t limit);

/* Whether an event may be handed to LTTng now. */
bool kt_account_may_send(const struct kt_account *account, uint64_t now);

/*
 * An event was handed over from `before` to `now`. Gives the ns that it was held, 0 if it
 * was not.
 */
uint64_t kt_account_sent(struct kt_account *account, uint64_t before, uint64_t now);

#endif
