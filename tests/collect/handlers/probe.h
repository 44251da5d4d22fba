/* SPDX-License-Identifier: MIT */
/*
 * Whether this thread is inside one of the recorder's signal handlers. Defined by the
 * recorder's test variant and by the traps, so that either can be loaded without the other;
 * the first in the search order, the recorder's, is used by both.
 */
#ifndef KTAIL_TESTS_PROBE_H
#define KTAIL_TESTS_PROBE_H

extern _Thread_local int kt_handler_depth __attribute__((visibility("default")));
extern unsigned long kt_handler_entries __attribute__((visibility("default")));

#endif
