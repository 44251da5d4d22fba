/* SPDX-License-Identifier: MIT */
/* What submissions do, in the words of labels. */
#ifndef KTAIL_ANNOTATE_LABEL_WORK_H
#define KTAIL_ANNOTATE_LABEL_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/work.h"

/* Long enough for any name of work. */
#define KT_LABEL_WORK_NAME 96

/* Sums of what a doorbell submitted, to one channel or several. All zero: nothing. */
struct kt_label_work {
	uint64_t submissions;
	uint64_t launches;
	uint64_t inline_copies;
	uint64_t inline_bytes;
	uint64_t copies; /* by the copy engine, fills not among them */
	uint64_t copy_bytes;
	uint64_t fills;
	uint64_t fill_bytes;
	uint64_t releases; /* of their own, not at the end of a copy or launch */
	uint64_t acquires;
	uint64_t binds; /* of objects to subchannels */
	uint64_t entries;
	uint64_t words;
	bool unread; /* words are missing */
	bool graph;  /* launches are a graph's */
};

/* `graph`: it was submitted by a call that launches a graph. */
void kt_label_work_add(struct kt_label_work *work, const struct kt_work *one, bool graph);

/*
 * "launch + inline copy": of launch (or graph launch), inline copy, copy, fill, in this
 * order, what there is, three at most; of none of these unread if words are missing,
 * setup if engine objects are set, semaphore release, or setup of another kind; nothing if
 * nothing was submitted.
 */
void kt_label_work_name(char name[static KT_LABEL_WORK_NAME],
			const struct kt_label_work *work);

/* "1 launch, 2 inline copies of 24 bytes"; in `text`. */
void kt_label_work_describe(char *text, size_t size, const struct kt_label_work *work);

#endif
