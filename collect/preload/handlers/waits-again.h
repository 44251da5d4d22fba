/* SPDX-License-Identifier: MIT */
/*
 * Repeats waiting calls that failed with EINTR only because of the recorder. A signal that
 * the program blocks or ignores still enters the recorder's handler, which interrupts the
 * call; so the call is made again for the remaining time. Only threads that block one of
 * the recorder's signals need this; in other threads it costs one load per call.
 */
#ifndef KTAIL_COLLECT_WAITS_AGAIN_H
#define KTAIL_COLLECT_WAITS_AGAIN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "collect/preload/handlers/signals.h"

struct kt_again {
	struct kt_signals_passed before;
	bool possible;
	bool left_is_known; /* repeated call; `left` is then set unless `end` is 0 */
	uint64_t end;       /* when the call times out: ns, by kt_now_ns(); 0: never */
	struct timespec left;
};

/*
 * Call before the first attempt. `set` is the mask with which the call waits; NULL: the
 * thread's own. A NULL `timeout` or a negative `ms` means no time limit. Pointers may be
 * invalid.
 */
void kt_again_begin(struct kt_again *again, const sigset_t *set,
		    const struct timespec *timeout);
void kt_again_begin_ms(struct kt_again *again, const sigset_t *set, int ms);

/* Returns whether the call with this result is to be made again. Keeps errno. */
bool kt_again(struct kt_again *again, long result);

/*
 * Return the time-out of the next attempt. For the first attempt this is `said`, which the
 * program passed; for later attempts it is the remaining time.
 */
const struct timespec *kt_again_left(const struct kt_again *again,
				     const struct timespec *said);
int kt_again_left_ms(const struct kt_again *again, int said);

#endif
