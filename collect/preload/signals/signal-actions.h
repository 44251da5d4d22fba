/* SPDX-License-Identifier: MIT */
/*
 * What the application asked for with the recorder's signals and their carriers, in place
 * of what is really installed. handlers/signals.c keeps it, the handlers read it.
 */
#ifndef KTAIL_COLLECT_SIGNAL_ACTIONS_H
#define KTAIL_COLLECT_SIGNAL_ACTIONS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-caught.h"

#define KT_KEPT          (2 * KT_OUR_SIGNALS) /* ours, then the carriers */
#define KT_KEPT_VERSIONS 32

/*
 * A version is never changed once it is the one in use, so a handler may read it at any
 * time; it is used again after KT_KEPT_VERSIONS - 1 others.
 */
struct kt_kept {
	int signal;
	_Atomic(struct kt_action *) now;
	atomic_uint next;
	struct kt_action versions[KT_KEPT_VERSIONS];
};

extern struct kt_kept kt_kept[KT_KEPT];

/* The recorder's handlers are installed; before that nothing is kept. */
extern bool kt_signals_installed;

/* NULL: the action of that signal is not kept. */
struct kt_kept *kt_kept_find(int signal);

/* Signal-safe, as those that follow. */
void kt_kept_put(struct kt_kept *slot, const struct kt_action *action);

/*
 * The action of the application for one of the signals that are kept; SA_RESETHAND has
 * taken effect.
 */
struct kt_action kt_signals_taken(int signal);

/* Of what waits in the kernel: what waits as the application sees it. */
uint64_t kt_signals_pending(uint64_t real);

#endif
