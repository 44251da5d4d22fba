/* SPDX-License-Identifier: MIT */
/* Describes the work of submissions, for labels. */
#ifndef KTAIL_ANNOTATE_LABEL_WORK_H
#define KTAIL_ANNOTATE_LABEL_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/work.h"

/* Size of a buffer for a name of work, in bytes. */
#define KT_LABEL_WORK_NAME 96

/*
 * Sums over the submissions of one doorbell, which may go to several channels. All zero: no
 * submission.
 */
struct kt_label_work {
	uint64_t submissions;
	uint64_t launches;
	uint64_t empty_grids;
	uint64_t draws;
	uint64_t clears;
	uint64_t inline_copies;
	uint64_t inline_bytes;
	uint64_t copies; /* copies by the copy engine, without fills */
	uint64_t copy_bytes;
	uint64_t fills;
	uint64_t fill_bytes;
	/*
	 * Semaphore releases, except those that end a copy or launch. The part `labels`
	 * counts inline copies that mark completion here, too, and not in `inline_copies`.
	 */
	uint64_t releases;
	uint64_t acquires;
	uint64_t binds; /* engine objects bound to subchannels */
	uint64_t entries;
	uint64_t words;
	bool unread; /* dwords are missing */
	bool graph;  /* some launches belong to a CUDA graph */
};

/*
 * Adds a submission. `graph`: an API call that launches a CUDA graph made the submission.
 */
void kt_label_work_add(struct kt_label_work *work, const struct kt_work *one, bool graph);

/*
 * Writes a name such as "launch + inline copy", with at most three parts: "launch" or "graph
 * launch", "inline copy", "copy", "fill". Inline copies of a graph's launch are left out: they
 * are QMDs and arguments of kernels that other kernels start. If the work contains no such
 * command, the name is the first in this list that applies: "unread" (dwords are missing),
 * "setup" (engine objects are bound), "semaphore release", "setup" (any other submission),
 * "nothing" (no submission).
 */
void kt_label_work_name(char name[static KT_LABEL_WORK_NAME],
			const struct kt_label_work *work);

/* Writes a text such as "1 launch, 2 inline copies of 24 bytes" to text[0..size). */
void kt_label_work_describe(char *text, size_t size, const struct kt_label_work *work);

#endif
