/* SPDX-License-Identifier: MIT */
/*
 * Calls that wait and that any signal's handler ends with EINTR. One of the recorder's that
 * the program blocks or ignores enters the recorder's handler all the same, so the call is
 * made again for the time that is left. Only where the thread blocks one: else it costs a
 * load.
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
	bool left_is_known; /* it has been made again */
	uint64_t end;       /* ns; 0: waits for ever */
	struct timespec left;
};

/*
 * Before the call; `set` is the mask that it waits with, `timeout` and milliseconds as poll
 * takes them; NULL and negative: for ever. Pointers may be wrong.
 */
void kt_again_begin(struct kt_again *again, const sigset_t *set,
		    const struct timespec *timeout);
void kt_again_begin_ms(struct kt_again *again, const sigset_t *set, int ms);

/* Whether the call that gave this is to be made again. Keeps errno. */
bool kt_again(struct kt_again *again, long result);

/* With which time. The first time it is what the program said. */
const struct timespec *kt_again_left(const struct kt_again *again,
				     const struct timespec *said);
int kt_again_left_ms(const struct kt_again *again, int said);

#endif
