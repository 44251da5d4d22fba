/* SPDX-License-Identifier: MIT */
/* Describes the work of submissions in the words of labels. */
#ifndef KTAIL_ANNOTATE_LABEL_WORK_H
#define KTAIL_ANNOTATE_LABEL_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/work.h"

/* Size of the longest name of work. */
#define KT_LABEL_WORK_NAME 96

/* Sums of the submissions of a doorbell, to one or several channels. All zero: none. */
struct kt_label_work {
	uint64_t submissions;
	uint64_t launches;
	uint64_t inline_copies;
	uint64_t inline_bytes;
	uint64_t copies; /* by the copy engine, fills excluded */
	uint64_t copy_bytes;
	uint64_t fills;
	uint64_t fill_bytes;
	uint64_t releases; /* explicit ones, not those that end a copy or launch */
	uint64_t acquires;
	uint64_t binds; /* of objects to subchannels */
	uint64_t entries;
	uint64_t words;
	bool unread; /* dwords are missing */
	bool graph;  /* some launches are those of a graph */
};

/* Adds a submission; `graph` if an API call that launches a graph submitted it. */
void kt_label_work_add(struct kt_label_work *work, const struct kt_work *one, bool graph);

/*
 * Writes a name such as "launch + inline copy": up to three of launch (or graph launch),
 * inline copy, copy and fill, in this order. If there are none, it is "unread" if dwords
 * are missing, "setup" if engine objects are bound, "semaphore release", "setup" for
 * another submission, or "nothing".
 */
void kt_label_work_name(char name[static KT_LABEL_WORK_NAME],
			const struct kt_label_work *work);

/* Writes "1 launch, 2 inline copies of 24 bytes" to `text`. */
void kt_label_work_describe(char *text, size_t size, const struct kt_label_work *work);

#endif
