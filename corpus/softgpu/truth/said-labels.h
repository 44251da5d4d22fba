/* SPDX-License-Identifier: MIT */
/*
 * The labels recorded by the software GPU's driver: the file of KTAIL_SOFTGPU_LABELS
 * (corpus/softgpu/driver/labels.h), queried by thread and time.
 */
#ifndef KTAIL_SOFTGPU_SAID_LABELS_H
#define KTAIL_SOFTGPU_SAID_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct kt_said_labels;

/*
 * The caller owns *out. Returns KT_E_IO, or KT_E_MALFORMED with "read PATH:LINE: reason".
 * O(n log n) in the lines.
 */
int kt_said_labels_read(struct kt_said_labels **out, const char *path);

/* NULL is allowed. */
void kt_said_labels_free(struct kt_said_labels *said);

struct kt_said {
	const char *label; /* owned by the struct kt_said_labels; "": none */
	const char *call;  /* the exported function in progress; "": none */
};

/* Returns the state of the thread at a CLOCK_MONOTONIC time in ns. O(log n). */
struct kt_said kt_said_labels_at(const struct kt_said_labels *said, uint32_t pid,
				 uint32_t tid, int64_t time);

/* --- trace-clock.c: offset between the trace clock and CLOCK_MONOTONIC --- */

/*
 * Sets *out to the offset in ns of the clock "monotonic" of all traces at or below a
 * folder. LTTng states this offset to CLOCK_MONOTONIC in the declaration `clock { ... }` of
 * the metadata (CTF 1.8.3, section 8); an event's time minus the offset is a time of
 * CLOCK_MONOTONIC. Returns KT_E_EMPTY if there is no trace, and KT_E_MALFORMED if a trace
 * has no such clock, a frequency other than 1 GHz, or an offset that differs from another
 * trace's.
 */
int kt_trace_clock_offset(int64_t *out, const char *path);

/* Like kt_trace_clock_offset, for metadata[0..size) in packets or plain text. */
int kt_clock_offset_read(int64_t *out, const char *metadata, size_t size);

#endif
