/* SPDX-License-Identifier: MIT */
/*
 * Requests: work that an application submits to the device. Each has one row for a doorbell
 * and channel, with the call of the API that submitted it, the semaphores it releases and
 * its completion evidence (annotate/requests/completions.h).
 */
#ifndef KTAIL_ANNOTATE_REQUESTS_H
#define KTAIL_ANNOTATE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/meaning/annotation.h"
#include "annotate/requests/completions.h"
#include "annotate/requests/request-calls.h"
#include "base/texts.h"

/* Kind of completion evidence, weakest first. */
enum kt_request_sign {
	KT_SIGN_NONE,
	KT_SIGN_RUN,       /* a run of reads that may hide a poll */
	KT_SIGN_POLL,      /* the first poll */
	KT_SIGN_NOTICE,    /* the last poll before the waiting call returned */
	KT_SIGN_INTERRUPT, /* as NOTICE, after a wait for a device */
	KT_SIGNS,
};

struct kt_request {
	size_t trace;
	uint64_t number; /* of the submission within the trace */
	uint64_t instance;
	size_t index; /* among the requests of the process instance */
	uint64_t seq; /* of the doorbell, or of the first ring entry without one */
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	const char *process; /* Weak: in the pool */
	uint32_t client;
	uint32_t channel;
	uint32_t class_number; /* class of the channel */
	bool doorbell_written;
	bool token_known;
	uint32_t token;
	size_t call;      /* index + 1 of the innermost call; 0: none was open */
	const char *what; /* Weak: in the pool; the letter in the alphabet `submission` */
	uint64_t inline_bytes;
	uint64_t macro_bytes;  /* inline data fetched by macros: macro-copies.h */
	uint64_t direct_bytes; /* copies of the copy engine, fills included */
	uint64_t launches;
	uint32_t entries;
	uint64_t words;
	uint64_t releases;                   /* number of semaphores released */
	struct kt_semaphore_value semaphore; /* the last one released */
	uint32_t transition; /* of the doorbell's letter; KT_UNPLACED: none */
	bool lossy;          /* events are missing after it, perhaps polls */
	/* `call` of its polls is an index into calls + 1 */
	struct kt_completion completion;
	const char *call_name; /* Weak: in the pool; name of `call`, or "" */
	/* Weak: in the pool; name of the call with the evidence, or "". */
	const char *sign_call;
};

/* "none", "run", "poll", "notice", "interrupt". Static. */
const char *kt_request_sign_name(enum kt_request_sign sign);

/*
 * Returns the strongest evidence: the request's own notice; its own first poll; the notice
 * or first poll of a later request that implies it; a run. A run in a waiting call outranks
 * a later poll. Points *poll to the evidence unless NONE.
 */
enum kt_request_sign kt_request_sign(const struct kt_request *request,
				     const struct kt_poll **poll);

/* Calls that wait for completion, and waits for the device. */
struct kt_request_waits {
	uint64_t calls;     /* calls that wait until work is done, and returned */
	uint64_t blind;     /* of `calls`: made no poll, as the outcome was already known */
	uint64_t sleeps;    /* waits on a device file: the interrupt path */
	uint64_t unmatched; /* of `sleeps`: no poll followed */
};

/*
 * All requests of an annotation. kt_requests_init() makes it empty; free with
 * kt_requests_free().
 */
struct kt_requests {
	struct kt_request *requests; /* Owned by this; trace by trace, in order */
	size_t n;
	size_t capacity;
	struct kt_request_calls calls;
	struct kt_texts pool;
	struct kt_request_waits waits;
	uint64_t doorbells;
	uint64_t idle;                /* of `doorbells`: nothing was submitted */
	uint64_t instances;           /* process instances that submitted work */
	uint64_t unwatched_instances; /* of `instances`: accesses were not recorded */
	/* Weak; NULL: without a machine */
	const struct kt_annotation_input *input;
	/* While a trace is read. */
	/* Owned by this: by process instance; NULL: not yet known. */
	struct kt_request_instance **reading;
	size_t n_reading;
	size_t reading_capacity;
	size_t n_traces;
};

void kt_requests_init(struct kt_requests *requests);

/* Context: struct kt_requests. */
extern const struct kt_activity_visitor kt_requests_visitor;

/* Returns the call at index - 1; NULL if `index` is 0. */
const struct kt_request_call *kt_requests_call(const struct kt_requests *requests,
					       uint64_t index);

/*
 * Returns the row of a call of the API (kt_activity_call.id) of the trace being read or
 * read last; NULL if the call has no row. O(1) expected.
 */
const struct kt_request_call *kt_requests_find_call(const struct kt_requests *requests,
						    uint64_t id);

/*
 * Iterates over the requests submitted by a call and the calls within it. Returns the next
 * after `after`, the first if `after` is NULL, and NULL at the end. O(requests that other
 * threads submitted meanwhile).
 */
const struct kt_request *kt_requests_of_call(const struct kt_requests *requests,
					     const struct kt_request_call *call,
					     const struct kt_request *after);

/* Completion evidence of everything a call submitted. */
struct kt_call_completion {
	uint64_t requests;
	uint64_t attributed;       /* of `requests`: with completion evidence */
	enum kt_request_sign sign; /* of the last request */
	struct kt_poll poll;       /* the evidence, unless NONE */
	/* The innermost call with the evidence; NULL: none. */
	const struct kt_request_call *in;
	bool inside; /* `in` is the call itself or within it */
};

/*
 * Summarises the evidence of a call's requests. Call after the trace's end. As costly as
 * iterating with kt_requests_of_call().
 */
struct kt_call_completion kt_requests_completion(const struct kt_requests *requests,
						 const struct kt_request_call *call);

void kt_requests_free(struct kt_requests *requests);

/*
 * The annotation part `requests`: initiation and completion points. In JSON: the member
 * "requests" of "annotation", and the counts "initiates" and "notices" of transitions. As a
 * file: one row for each request.
 */
extern const struct kt_annotation_part kt_requests_part;

#endif
