/* SPDX-License-Identifier: MIT */
/* The clock of a trace: what lies between its times and those of CLOCK_MONOTONIC. */
#ifndef KTAIL_SOFTGPU_TRACE_CLOCK_H
#define KTAIL_SOFTGPU_TRACE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

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
