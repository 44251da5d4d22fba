/* SPDX-License-Identifier: MIT */
/*
 * Actions that the application set for the recorder's signals and their carriers. They are
 * kept here and not installed. handlers/signals.c writes them, the handlers read them.
 */
#ifndef KTAIL_COLLECT_SIGNAL_ACTIONS_H
#define KTAIL_COLLECT_SIGNAL_ACTIONS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-wrap.h"

#define KT_KEPT          (2 * KT_OUR_SIGNALS) /* the recorder's signals, then carriers */
#define KT_KEPT_VERSIONS 32

/*
 * Each change writes another element of `versions`. The element in use is never modified,
 * so a handler may read it at any time; its memory is reused after KT_KEPT_VERSIONS - 1
 * changes.
 */
struct kt_kept {
	int signal;
	_Atomic(struct kt_action *) now;
	atomic_uint next;
	struct kt_action versions[KT_KEPT_VERSIONS];
};

extern struct kt_kept kt_kept[KT_KEPT];

/* Whether the recorder's handlers are installed; until then no action is kept. */
extern bool kt_signals_installed;

/* Returns the kept action of the signal; NULL if the signal's action is not kept. */
struct kt_kept *kt_kept_find(int signal);

/* Makes *action the version in use. Signal-safe, as are the functions below. */
void kt_kept_put(struct kt_kept *slot, const struct kt_action *action);

/*
 * Returns the application's action for a signal that is being delivered, and applies
 * SA_RESETHAND. The signal must be one of those whose actions are kept.
 */
struct kt_action kt_signals_taken(int signal);

/* Translates the kernel's set of pending signals to the application's. */
uint64_t kt_signals_pending(uint64_t real);

#endif
