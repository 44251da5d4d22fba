/* SPDX-License-Identifier: MIT */
/*
 * Repeats waiting calls that a signal handler interrupted with EINTR. One of the recorder's
 * signals that the program blocks or ignores still enters the recorder's handler, so the
 * call is made again for the remaining time. This is done only for threads that block one
 * of the recorder's signals; a call of any other thread costs one load.
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
	bool left_is_known; /* the call has been repeated */
	uint64_t end;       /* ns; 0: waits for ever */
	struct timespec left;
};

/*
 * Prepares for the call. `set` is the mask that it waits with; `timeout` and milliseconds
 * are as in poll: NULL and negative mean for ever. Pointers may be invalid.
 */
void kt_again_begin(struct kt_again *again, const sigset_t *set,
		    const struct timespec *timeout);
void kt_again_begin_ms(struct kt_again *again, const sigset_t *set, int ms);

/* Returns whether the call with this result is to be made again. Keeps errno. */
bool kt_again(struct kt_again *again, long result);

/*
 * Return the time-out for the next attempt; for the first attempt, the program's, `said`.
 */
const struct timespec *kt_again_left(const struct kt_again *again,
				     const struct timespec *said);
int kt_again_left_ms(const struct kt_again *again, int said);

#endif
