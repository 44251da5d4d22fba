/* SPDX-License-Identifier: MIT */
/* Where the kernel enters the recorder's handlers, and what they need of signals.c. */
#ifndef KTAIL_COLLECT_SIGNAL_ENTRY_H
#define KTAIL_COLLECT_SIGNAL_ENTRY_H

#include <stdint.h>

/* The handler itself. Not to be called: it finds its arguments where the kernel puts them.
 */
extern const char kt_signal_entry[];

/*
 * How often one of the recorder's signals was sent to the thread and the application did
 * not notice (it blocks or ignores it), and how often a handler of the application was
 * entered for one.
 */
struct kt_signals_passed {
	uint32_t unnoticed;
	uint32_t handled;
};

extern _Thread_local struct kt_signals_passed kt_signals_passed;

#endif
