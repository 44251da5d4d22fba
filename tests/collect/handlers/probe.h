/* SPDX-License-Identifier: MIT */
/*
 * Is this thread inside one of the recorder's signal handlers? Defined by the recorder's
 * test variant and by the traps, so that either loads without the other; the first in the
 * search order, the recorder's, counts for both.
 */
#ifndef KTAIL_TESTS_PROBE_H
#define KTAIL_TESTS_PROBE_H

extern _Thread_local int kt_handler_depth __attribute__((visibility("default")));
extern unsigned long kt_handler_entries __attribute__((visibility("default")));

#endif
