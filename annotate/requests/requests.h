/* SPDX-License-Identifier: MIT */
/*
 * Requests: what an application hands to the device, one row for each doorbell and channel,
 * with the call of the API it was made in, the semaphores it releases, and who notices that
 * it is done (annotate/requests/completions.h).
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

/* What stands for the noticing of a request. */
enum kt_request_sign {
	KT_SIGN_NONE,
	KT_SIGN_RUN,       /* a run may hold it */
	KT_SIGN_POLL,      /* the first look */
	KT_SIGN_NOTICE,    /* the last look before the call that waited returned */
	KT_SIGN_INTERRUPT, /* the same, after a wait for a device */
	KT_SIGNS,
};

struct kt_request {
	size_t trace;
	uint64_t number; /* of the submission, within the trace */
	uint64_t instance;
	size_t index; /* among the life's requests */
	uint64_t seq; /* of the doorbell, or of the first entry where none rang */
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	const char *process; /* Weak: of the pool */
	uint32_t client;
	uint32_t channel;
	uint32_t class_number; /* of the channel */
	bool doorbell_written;
	bool token_known;
	uint32_t token;
	size_t call;      /* the innermost: index + 1; 0: none was open */
	const char *what; /* Weak: of the pool: as the alphabet `submission` says */
	uint64_t inline_bytes;
	uint64_t macro_bytes;  /* inline, fetched by macros: macro-copies.h */
	uint64_t direct_bytes; /* fills included */
	uint64_t launches;
	uint32_t entries;
	uint64_t words;
	uint64_t releases;                   /* semaphores that it releases */
	struct kt_semaphore_value semaphore; /* the last of them */
	uint32_t transition;                 /* of its doorbell's letter; KT_UNPLACED */
	bool lossy; /* events are missing after it: a look may be, too */
	/* looks' calls are indices into calls + 1 */
	struct kt_completion completion;
	const char *call_name; /* Weak: of the pool: of `call`; "" */
	const char *sign_call; /* Weak: of the pool: where its sign is; "" */
};

/* "none", "run", "look", "notice", "interrupt". Static. */
const char *kt_request_sign_name(enum kt_request_sign sign);

/*
 * The best sign that there is: its own notice; its own first look; the notice of a later
 * request that implies it, or the look at one; a run. A run in a call that waits counts
 * more than a look that comes later. *look: where it is, unless NONE.
 */
enum kt_request_sign kt_request_sign(const struct kt_request *request,
				     const struct kt_poll **poll);

/* Waits of calls that say by returning that work is done. */
struct kt_request_waits {
	uint64_t calls;  /* that wait until work is done, and returned */
	uint64_t blind;  /* of these, that looked nowhere: what they wait for was known */
	uint64_t sleeps; /* waits for a device file: the interrupt path */
	uint64_t unmatched; /* of these, with no look after them */
};

/* All zero, with kt_requests_init(): none. Free with kt_requests_free(). */
struct kt_requests {
	struct kt_request *requests; /* Owned by this; of each trace in order */
	size_t n;
	size_t capacity;
	struct kt_request_calls calls;
	struct kt_texts pool;
	struct kt_request_waits waits;
	uint64_t doorbells;
	uint64_t idle;                /* of these, nothing was submitted by */
	uint64_t instances;           /* that submitted anything */
	uint64_t unwatched_instances; /* of these, whose accesses were not recorded */
	/* Weak; NULL: no machine, and no letters are placed in it */
	const struct kt_annotation_input *input;
	/* While a trace is read */
	struct kt_request_instance **reading; /* Owned by this: by life; NULL: none yet */
	size_t n_reading;
	size_t reading_capacity;
	size_t n_traces;
};

void kt_requests_init(struct kt_requests *requests);

/* Of context struct kt_requests. */
extern const struct kt_activity_visitor kt_requests_visitor;

/* The call at an index + 1, as in rows; NULL: none. */
const struct kt_request_call *kt_requests_call(const struct kt_requests *requests,
					       uint64_t index);

/* The row of a call of the API (kt_activity_call.id) while its trace is read, or is the
 * last that was; NULL: no request has to do with it. O(1), expected. */
const struct kt_request_call *kt_requests_find_call(const struct kt_requests *requests,
						    uint64_t id);

/*
 * The requests that a call made, calls inside it included, one after another: the first
 * after `after`, or of all if that is NULL; NULL: there are no more. O(requests that other
 * threads made meanwhile).
 */
const struct kt_request *kt_requests_of_call(const struct kt_requests *requests,
					     const struct kt_request_call *call,
					     const struct kt_request *after);

/* What says that all that a call submitted is done. */
struct kt_call_completion {
	uint64_t requests;
	uint64_t attributed;              /* of these, those with a sign */
	enum kt_request_sign sign;        /* of the last one */
	struct kt_poll poll;              /* where it is, unless NONE */
	const struct kt_request_call *in; /* the innermost call there; NULL: none */
	bool inside;                      /* it is the call itself, or inside of it */
};

/* After the trace's end. Likewise. */
struct kt_call_completion kt_requests_completion(const struct kt_requests *requests,
						 const struct kt_request_call *call);

void kt_requests_free(struct kt_requests *requests);

/*
 * The part `requests` of an annotation: the points of intercession. In JSON the member
 * "requests" of "annotation"; "initiates" and "notices" of transitions: how many requests.
 * As a file: all requests, one a row.
 */
extern const struct kt_annotation_part kt_requests_part;

#endif
