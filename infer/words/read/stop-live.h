/* SPDX-License-Identifier: MIT */
/*
 * SIGINT ends the reading of a live session, so that the program can print what it has
 * read; a second SIGINT ends the program.
 */
#ifndef KTAIL_WORDS_STOP_LIVE_H
#define KTAIL_WORDS_STOP_LIVE_H

#include <stdbool.h>

#include <babeltrace2/babeltrace.h>

/*
 * Handles SIGINT until kt_stop_live_end(), and sets *out to what SIGINT sets, for
 * kt_trace_options.stop or kt_events_options.stop. Also handles SIGALRM, which SIGINT
 * starts. KT_E_MEMORY.
 */
int kt_stop_live_begin(const bt_interrupter **out);

/* Sets what SIGINT sets. */
void kt_stop_live(void);

/* Returns whether there was a SIGINT between a kt_stop_live_begin() and its end. */
bool kt_stop_live_asked(void);

/* Restores the handling of signals, and destroys what kt_stop_live_begin() gave. */
void kt_stop_live_end(void);

#endif
