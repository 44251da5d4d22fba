/* SPDX-License-Identifier: MIT */
/*
 * Address ranges of mappings, for callers that must not wait for the recorder's lock: a
 * thread that unmaps memory of its own may hold locks of an allocator or of LTTng, and the
 * owner of the recorder's lock may be waiting for them. Takes no lock and allocates
 * nothing.
 */
#ifndef KTAIL_COLLECT_SPANS_H
#define KTAIL_COLLECT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Publish a new set of spans: call kt_spans_begin(), then kt_spans_add() for each span, in
 * the order of addresses and without overlaps, then kt_spans_end(). One thread at a time,
 * with its signals blocked. O(1) each.
 */
void kt_spans_begin(void);
void kt_spans_add(uintptr_t start, size_t length);
void kt_spans_end(void);

/*
 * Returns whether a span may touch [start, start + length). Also true, wrongly, if there
 * are more spans than are kept separately, or while they change. O(log n); without spans,
 * or outside of them all, two compares.
 */
bool kt_spans_may_touch(uintptr_t start, size_t length);

#endif
