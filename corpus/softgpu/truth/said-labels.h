/* SPDX-License-Identifier: MIT */
/*
 * What the software GPU's driver said of itself: the file of KTAIL_SOFTGPU_LABELS
 * (corpus/softgpu/driver/labels.h), to be asked by thread and time.
 */
#ifndef KTAIL_SOFTGPU_SAID_LABELS_H
#define KTAIL_SOFTGPU_SAID_LABELS_H

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

#endif
