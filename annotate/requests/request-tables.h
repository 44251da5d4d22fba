/* SPDX-License-Identifier: MIT */
/*
 * Requests as tables: one by one, by kind of work, by call of the API, and by the
 * initiation and completion points in the machine.
 */
#ifndef KTAIL_ANNOTATE_REQUEST_TABLES_H
#define KTAIL_ANNOTATE_REQUEST_TABLES_H

#include "annotate/requests/requests.h"
#include "base/table.h"

/* Number of requests for each kind of completion evidence. */
struct kt_request_ties {
	uint64_t requests;
	uint64_t by[KT_TIES]; /* by the first poll; NONE: no poll */
	uint64_t hidden;      /* of those without a poll: a run may hide one */
	uint64_t lossy;       /* of the rest: events are missing after the request */
	uint64_t never;       /* of the rest */
	uint64_t noticed;     /* a call reported completion */
	uint64_t slept;       /* of the noticed ones: after a wait for a device */
};

/* O(requests). */
struct kt_request_ties kt_request_ties(const struct kt_requests *requests);

/*
 * Table makers. `requests` is a struct kt_requests; texts in cells belong to it or its
 * input, or are static. The caller frees *out with kt_table_free(), also on failure.
 * KT_E_MEMORY. O(requests log requests).
 */

/*
 * One row for each request of all traces, in order. Times of polls, notice and return count
 * from the doorbell. Needs input->paths.
 */
int kt_request_table_make(struct kt_table *out, const void *requests);

/*
 * One row for each kind of work, the most frequent first; times of polls count from the
 * doorbell.
 */
int kt_request_kinds(struct kt_table *out, const void *requests);

/*
 * One row for each function that submits work, by name: how many calls submitted, how many
 * have evidence of all their requests and in which call, and how the bytes of copies were
 * transferred.
 */
int kt_request_calls_table(struct kt_table *out, const void *requests);

/* One row for each copy whose size and commands disagree. Needs input->paths. */
int kt_request_disagreements(struct kt_table *out, const void *requests);

/*
 * One row for each pair of initiation and completion point: transition and call that
 * submit, transition and call of the evidence (notice, else first poll, else a run that may
 * hide one). The most frequent first.
 */
int kt_request_points(struct kt_table *out, const void *requests);

/*
 * One row for each transition that submits requests, or observes completion; by transition.
 */
int kt_request_initiating(struct kt_table *out, const void *requests);
int kt_request_noticing(struct kt_table *out, const void *requests);

/*
 * Returns the transition of the completion evidence; KT_UNPLACED without evidence, or if it
 * is not placed.
 */
uint32_t kt_request_noticed_at(const struct kt_request *request);

#endif
