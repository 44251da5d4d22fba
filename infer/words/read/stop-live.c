/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/read/stop-live.h"

#include <signal.h>
#include <unistd.h>

#include <ktail/status.h>

static bt_interrupter *stop;
static volatile sig_atomic_t asked;
static struct sigaction before[2]; /* of SIGALRM and SIGINT */

/*
 * The handler of SIGALRM: requests the next SIGALRM, one second later. From SIGINT on,
 * these signals interrupt a call that waits for the relay daemon.
 */
static void keep_waking(int number)
{
	(void)number;
	alarm(1);
}

static void set_stop(int number)
{
	asked = 1;
	bt_interrupter_set(stop);
	keep_waking(number);
}

int kt_stop_live_begin(const bt_interrupter **out)
{
	struct sigaction wake = {.sa_handler = keep_waking};
	struct sigaction interrupt = {.sa_handler = set_stop, .sa_flags = SA_RESETHAND};

	*out = stop = bt_interrupter_create();
	if (!stop) {
		return kt_no_memory("read live session");
	}
	sigaction(SIGALRM, &wake, &before[0]);
	sigaction(SIGINT, &interrupt, &before[1]);
	return KT_OK;
}

void kt_stop_live(void)
{
	bt_interrupter_set(stop);
}

bool kt_stop_live_asked(void)
{
	return asked;
}

void kt_stop_live_end(void)
{
	if (stop) {
		sigaction(SIGINT, &before[1], NULL);
		alarm(0);
		sigaction(SIGALRM, &before[0], NULL);
		bt_interrupter_put_ref(stop);
		stop = NULL;
	}
}
