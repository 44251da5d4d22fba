/* SPDX-License-Identifier: MIT */
/* Where the kernel enters the recorder's handlers, and what they need of signals.c. */
#ifndef KTAIL_COLLECT_SIGNAL_ENTRY_H
#define KTAIL_COLLECT_SIGNAL_ENTRY_H

#include "collect/signals.h"

/* The handler itself. Not to be called: it finds its arguments where the kernel puts them.
 */
extern const char kt_signal_entry[];

/* The action of the application for one of the signals that are kept; SA_RESETHAND has
 * taken effect. */
struct kt_action kt_signals_taken(int signal);

/* Of what waits in the kernel: what waits as the application sees it. */
uint64_t kt_signals_pending(uint64_t real);

/*
 * What the kernel gave for a signal: if it is a carrier's, one that was sent while the
 * application had blocked it, the siginfo becomes the sender's again. Gives the number.
 */
int kt_signals_unforward(int signal, siginfo_t *info);

#endif
