/* SPDX-License-Identifier: MIT */
/*
 * Whether this thread is inside one of the recorder's signal handlers. Both the
 * recorder's test variant and the traps define it, so that either can be loaded without
 * the other. If both are loaded, both use the recorder's, which is first in the search
 * order.
 */
#ifndef KTAIL_TESTS_PROBE_H
#define KTAIL_TESTS_PROBE_H

extern _Thread_local int kt_handler_depth __attribute__((visibility("default")));
extern unsigned long kt_handler_entries __attribute__((visibility("default")));

#endif
