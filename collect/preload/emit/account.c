/* SPDX-License-Identifier: MIT */
#include "collect/preload/emit/account.h"

#define SECOND      1000000000ull
#define FIRST_PAUSE SECOND
#define LAST_PAUSE  (16 * SECOND)
#define REFILL      100 /* 1/100 of the time that passes is credited */

void kt_account_open(struct kt_account *account, uint64_t limit)
{
	*account = (struct kt_account){.limit = limit, .pause = FIRST_PAUSE};
}

bool kt_account_may_send(const struct kt_account *account, uint64_t now)
{
	return !account->gave_up || now >= account->probe;
}

uint64_t kt_account_sent(struct kt_account *account, uint64_t before, uint64_t now)
{
	uint64_t took = now - before;
	uint64_t back;
	bool again;

	if (took < KT_ACCOUNT_WAIT_NS) {
		if (account->gave_up) {
			account->gave_up = false;
			account->recovered = now;
		}
		return 0;
	}
	back = account->seen ? (now - account->seen) / REFILL : 0;
	account->held -= back < account->held ? back : account->held;
	account->seen = now;
	account->held += took;
	if (account->limit == UINT64_MAX ||
	    (!account->gave_up && account->held < account->limit)) {
		return took;
	}
	again = account->gave_up ||
		(account->recovered && now - account->recovered < account->pause);
	if (!again) {
		account->pause = FIRST_PAUSE;
	} else if (account->pause < LAST_PAUSE) {
		account->pause *= 2;
	}
	account->gave_up = true;
	account->probe = now + account->pause;
	return took;
}
