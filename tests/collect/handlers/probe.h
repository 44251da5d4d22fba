/* SPDX-License-Identifier: MIT */
/*
 * Depth and number of entries of the recorder's signal handlers; the depth is that of this
 * thread, and 0 outside them. The recorder's test variant and the traps both define these
 * variables, so that either can be loaded alone; if both are loaded, both use the
 * recorder's, which is first in the search order.
 */
#ifndef KTAIL_TESTS_PROBE_H
#define KTAIL_TESTS_PROBE_H

extern _Thread_local int kt_handler_depth __attribute__((visibility("default")));
extern unsigned long kt_handler_entries __attribute__((visibility("default")));

#endif
