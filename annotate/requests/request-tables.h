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
	uint64_t by[KT_TIES]; /* by kt_completion.tie; NONE: no poll */
	/* The requests without a poll: */
	uint64_t hidden; /* a run of reads may hide a poll */
	uint64_t lossy;  /* not `hidden`, but events are missing after the request */
	uint64_t never;  /* neither `hidden` nor `lossy` */
	/* Requests with and without a poll: */
	uint64_t noticed; /* a call reported completion */
	uint64_t slept;   /* noticed after a wait for a device */
};

/* O(requests). */
struct kt_request_ties kt_request_ties(const struct kt_requests *requests);

/*
 * The functions below make tables. `requests` is a struct kt_requests. Texts in cells belong
 * to `requests` or its input, or are static. The caller frees *out with kt_table_free(), also
 * on failure. KT_E_MEMORY. O(requests log requests).
 */

/*
 * Makes one row for each request of all traces, in order. Times of polls, notice and return
 * count from the doorbell. requests->input must not be NULL.
 */
int kt_request_table_make(struct kt_table *out, const void *requests);

/*
 * Makes one row for each kind of work, the most frequent first. Times of polls, notice and
 * return count from the doorbell.
 */
int kt_request_kinds(struct kt_table *out, const void *requests);

/*
 * Makes one row for each function that submits work, sorted by name. The row says how
 * many calls submitted, how many calls have evidence for all their requests, in which
 * calls the evidence was found, and how the bytes of copies were transferred.
 */
int kt_request_calls_table(struct kt_table *out, const void *requests);

/*
 * Makes one row for each call of KT_COPY_WRONG: the submitted bytes and the size in the
 * arguments disagree. requests->input must not be NULL.
 */
int kt_request_disagreements(struct kt_table *out, const void *requests);

/*
 * Makes one row for each pair of an initiation point (transition and call that submit) and a
 * completion point (transition and call of the evidence: kt_request_sign()) that have the same
 * kind of work and evidence. The most frequent pair is first.
 */
int kt_request_points(struct kt_table *out, const void *requests);

/*
 * Make one row for each transition that submits requests, and for each that observes
 * completion, in order of transitions. Requests without a transition are in the last
 * row.
 */
int kt_request_initiating(struct kt_table *out, const void *requests);
int kt_request_noticing(struct kt_table *out, const void *requests);

/*
 * Returns the transition of the completion evidence; KT_UNPLACED if there is no evidence,
 * or its letter is not placed in the machine.
 */
uint32_t kt_request_noticed_at(const struct kt_request *request);

#endif
