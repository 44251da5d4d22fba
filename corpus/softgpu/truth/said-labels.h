/* SPDX-License-Identifier: MIT */
/*
 * What the software GPU's driver said of itself: the file of KTAIL_SOFTGPU_LABELS
 * (corpus/softgpu/driver/labels.h), to be asked by thread and time.
 */
#ifndef KTAIL_SOFTGPU_SAID_LABELS_H
#define KTAIL_SOFTGPU_SAID_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct kt_said_labels;

/*
 * The caller owns *out. KT_E_IO, KT_E_MALFORMED "read PATH:LINE: reason". O(n log n) in the
 * lines.
 */
int kt_said_labels_read(struct kt_said_labels **out, const char *path);

/* NULL is allowed. */
void kt_said_labels_free(struct kt_said_labels *said);

struct kt_said {
	const char *label; /* owned by the labels; "": none held */
	const char *call;  /* the exported function that was under way; "": none */
};

/* What held for the thread at a CLOCK_MONOTONIC time in ns. O(log n). */
struct kt_said kt_said_labels_at(const struct kt_said_labels *said, uint32_t pid,
				 uint32_t tid, int64_t time);

/* --- trace-clock.c: what lies between times of a trace and those of CLOCK_MONOTONIC --- */

/*
 * The offset in ns of the clock "monotonic" of all traces at or below a folder: the
 * declaration `clock { ... }` of their metadata (CTF 1.8.3, section 8), in which LTTng says
 * what it added to CLOCK_MONOTONIC. An event's time less that is the kernel's. KT_E_EMPTY:
 * no trace there; KT_E_MALFORMED: no such clock, another frequency than 1 GHz, or several
 * traces that do not agree.
 */
int kt_trace_clock_offset(int64_t *out, const char *path);

/* The same of metadata[0..size), packets or plain text. */
int kt_clock_offset_read(int64_t *out, const char *metadata, size_t size);

#endif
