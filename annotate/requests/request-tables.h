/* SPDX-License-Identifier: MIT */
/* Requests as tables: each of them, and summed up by what they do, by call of the API, by
 * where the machine makes and notices them. */
#ifndef KTAIL_ANNOTATE_REQUEST_TABLES_H
#define KTAIL_ANNOTATE_REQUEST_TABLES_H

#include "annotate/requests/requests.h"
#include "base/table.h"

/* How many of all requests are tied to a look, and how. */
struct kt_request_ties {
	uint64_t requests;
	uint64_t by[KT_TIES]; /* by the first look; NONE: no look was seen */
	uint64_t hidden;      /* of those without a look: a run may hold one */
	uint64_t lossy;       /* of the others: events are missing after */
	uint64_t never;       /* of the others */
	uint64_t noticed;     /* a call is known to have noticed */
	uint64_t slept;       /* of these, after a wait for a device */
};

/* O(requests). */
struct kt_request_ties kt_request_ties(const struct kt_requests *requests);

/*
 * All tables: `requests` is a struct kt_requests; texts are its own, those of its input, or
 * static. The caller frees *out with kt_table_free(), also on failure. KT_E_MEMORY.
 * O(requests log requests).
 */

/*
 * A row for each request of all traces, in order. Times of looks, notice and return are
 * counted from the doorbell. It needs input->paths.
 */
int kt_request_table_make(struct kt_table *out, const void *requests);

/* A row for each kind of work, the commonest first; times of looks from the doorbell. */
int kt_request_kinds(struct kt_table *out, const void *requests);

/*
 * A row for each function that hands work to the device: of its calls how many did, how
 * many are tied with all that they submitted to a look or a run, in which call that was,
 * and how the bytes of copies went. In order of names.
 */
int kt_request_calls_table(struct kt_table *out, const void *requests);

/* A row for each copy whose size and commands do not agree. It needs input->paths. */
int kt_request_disagreements(struct kt_table *out, const void *requests);

/*
 * The points of intercession: a row for each way that requests go, from the transition and
 * the call that make them to those that notice: the notice, else the first look, else a run
 * that may hold it. The commonest first.
 */
int kt_request_points(struct kt_table *out, const void *requests);

/* A row for each transition that makes requests, or that notices; in their order. */
int kt_request_initiating(struct kt_table *out, const void *requests);
int kt_request_noticing(struct kt_table *out, const void *requests);

/* The transition of what notices it; KT_UNPLACED: nothing, or not placed. */
uint32_t kt_request_noticed_at(const struct kt_request *request);

#endif
