/* SPDX-License-Identifier: MIT */
/*
 * Address ranges of mappings, for callers that must not wait for the recorder's lock: a
 * thread that unmaps memory of its own may hold locks of an allocator or of LTTng, and the
 * owner of the recorder's lock may be waiting for them. These functions take no lock and
 * allocate nothing.
 */
#ifndef KTAIL_COLLECT_SPANS_H
#define KTAIL_COLLECT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Publish a new set of spans (address ranges): call kt_spans_begin(), then kt_spans_add()
 * for each span, in the order of addresses and without overlaps, then kt_spans_end(). Only
 * one thread at a time may do so, with its signals blocked. O(1) each.
 */
void kt_spans_begin(void);
void kt_spans_add(uintptr_t start, size_t length);
void kt_spans_end(void);

/*
 * Returns whether a span may touch [start, start + length). The result may be wrongly true
 * while spans change, or if there are more spans than are kept separately. O(log n); two
 * compares without spans, or if all spans are above or below the range.
 */
bool kt_spans_may_touch(uintptr_t start, size_t length);

#endif
