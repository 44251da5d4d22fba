/* SPDX-License-Identifier: MIT */
/*
 * kt_handler_depth is the number of the recorder's signal handlers that this thread is
 * inside of (0: none); kt_handler_entries is how often any thread entered one. Both the
 * recorder's test variant (probe.c) and the library of traps for unsafe functions (traps.c)
 * define these variables, so that each can be loaded alone. If both are loaded, both use
 * the variables of the recorder, which comes first in the search order.
 */
#ifndef KTAIL_TESTS_PROBE_H
#define KTAIL_TESTS_PROBE_H

extern _Thread_local int kt_handler_depth __attribute__((visibility("default")));
extern unsigned long kt_handler_entries __attribute__((visibility("default")));

#endif
