/* SPDX-License-Identifier: MIT */
/*
 * Where mappings lie, for those who must not wait for the recorder's lock: a thread that
 * unmaps memory of its own may hold locks of an allocator or of LTTng, which the holder of
 * ours may be waiting for. No lock is taken here, and no memory.
 */
#ifndef KTAIL_COLLECT_SPANS_H
#define KTAIL_COLLECT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Tells a new set of spans, by address, disjoint: kt_spans_begin(), one kt_spans_add()
 * each, kt_spans_end(). One thread at a time, its signals waiting. O(1) each.
 */
void kt_spans_begin(void);
void kt_spans_add(uintptr_t start, size_t length);
void kt_spans_end(void);

/*
 * Whether a span may touch [start, start + length). Wrong only in being true where there
 * are more spans than are kept apart, or while they change. O(log n); without spans, or
 * beside them all, two compares.
 */
bool kt_spans_may_touch(uintptr_t start, size_t length);

#endif
