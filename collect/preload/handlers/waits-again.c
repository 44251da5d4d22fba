/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/handlers/waits-again.h"

#include <errno.h>
#include <limits.h>

#include "collect/preload/process/clock.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/signal-mask.h"

#define SECOND 1000000000ull

void kt_again_begin(struct kt_again *again, const sigset_t *set,
		    const struct timespec *timeout)
{
	struct timespec copy;
	uint64_t asked;

	*again = (struct kt_again){
		.possible = kt_mask_memory() ||
			    (set && kt_guarded_copy(&asked, set, sizeof(asked)) &&
			     asked & KT_OUR_MASK)};
	if (!again->possible) {
		return;
	}
	again->before = kt_signals_passed;
	if (timeout) {
		/*
		 * With an invalid time-out the call fails at once, but never with EINTR, so
		 * it is not repeated.
		 */
		again->possible = kt_guarded_copy(&copy, timeout, sizeof(copy)) &&
				  copy.tv_sec >= 0 && copy.tv_sec < INT_MAX;
		if (again->possible) {
			again->end = kt_now_ns() + (uint64_t)copy.tv_sec * SECOND +
				     (uint64_t)copy.tv_nsec;
		}
	}
}

void kt_again_begin_ms(struct kt_again *again, const sigset_t *set, int ms)
{
	struct timespec timeout = {ms / 1000, ms % 1000 * 1000000L};

	kt_again_begin(again, set, ms < 0 ? NULL : &timeout);
}

bool kt_again(struct kt_again *again, long result)
{
	int error = errno;
	uint64_t now;

	if (result >= 0 || error != EINTR || !again->possible ||
	    kt_signals_passed.handled != again->before.handled ||
	    kt_signals_passed.unnoticed == again->before.unnoticed) {
		return false;
	}
	again->before = kt_signals_passed;
	if (again->end) {
		now = kt_now_ns();
		now = now < again->end ? again->end - now : 0;
		again->left.tv_sec = (time_t)(now / SECOND);
		again->left.tv_nsec = (long)(now % SECOND);
	}
	again->left_is_known = true;
	errno = error;
	return true;
}

const struct timespec *kt_again_left(const struct kt_again *again,
				     const struct timespec *said)
{
	return again->left_is_known && again->end ? &again->left : said;
}

int kt_again_left_ms(const struct kt_again *again, int said)
{
	if (!again->left_is_known || !again->end) {
		return said;
	}
	return (int)(again->left.tv_sec * 1000 + (again->left.tv_nsec + 999999) / 1000000);
}
