/* SPDX-License-Identifier: MIT */
/* The commands of requests: launches, copies, semaphore releases and others, in order. */
#ifndef KTAIL_ANNOTATE_COMMANDS_H
#define KTAIL_ANNOTATE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/requests/requests.h"

struct kt_command_row {
	size_t request;    /* index in kt_requests.requests; in `open`: not yet known */
	uint64_t instance; /* ordinal of the process instance */
	bool found;        /* the doorbell of its ring entry is unknown */
	enum kt_command_kind kind;
	uint32_t class_number; /* class of the engine */
	uint64_t bytes;        /* written by a copy; else 0 */
};

/* Empty if all members except `requests` are zero. Free with kt_command_rows_free(). */
struct kt_command_rows {
	const struct kt_requests *requests; /* Weak: filled by an earlier visitor */
	struct kt_command_row *rows;        /* Owned by this, as is `open` */
	size_t n;
	size_t capacity;
	/*
	 * Commands of submissions that have not ended; the request of a submission is
	 * reported after its commands.
	 */
	struct kt_command_row *open;
	size_t n_open;
	size_t open_capacity;
};

/* Context: struct kt_command_rows. */
extern const struct kt_activity_visitor kt_command_rows_visitor;

void kt_command_rows_free(struct kt_command_rows *commands);

#endif
