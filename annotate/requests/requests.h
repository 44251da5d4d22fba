/* SPDX-License-Identifier: MIT */
/*
 * Requests: work that an application submits to the device. A request is what one doorbell
 * submits to one channel. It has the call of the API that submitted it, the semaphores that it
 * releases, and its completion evidence (annotate/requests/completions.h).
 */
#ifndef KTAIL_ANNOTATE_REQUESTS_H
#define KTAIL_ANNOTATE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/device-times.h"
#include "annotate/events/kernels.h"
#include "annotate/meaning/annotation.h"
#include "annotate/requests/completions.h"
#include "annotate/requests/request-calls.h"
#include "base/texts.h"

/* Kind of completion evidence, weakest first. */
enum kt_request_sign {
	KT_SIGN_NONE,
	KT_SIGN_RUN,       /* a run of reads that may hide a poll */
	KT_SIGN_POLL,      /* the first poll */
	KT_SIGN_NOTICE,    /* the last poll in a call whose return reported completion */
	KT_SIGN_INTERRUPT, /* as NOTICE, and the thread waited for a device before a poll */
	KT_SIGNS,
};

struct kt_request {
	size_t trace;      /* index of the trace */
	uint64_t number;   /* number of the submission within the trace, from 1 */
	uint64_t instance; /* ordinal of the process instance */
	size_t index;      /* index among the requests of the process instance */
	uint64_t seq;      /* of the doorbell or, without a doorbell, of the first ring entry */
	uint64_t time;     /* ns since the first event of the trace */
	uint32_t pid;
	uint32_t tid;
	const char *process; /* Weak: in the pool */
	uint32_t client;
	uint32_t channel;
	uint32_t class_number; /* class of the channel */
	bool doorbell_written;
	bool found; /* the doorbells of its ring entries are unknown */
	bool token_known;
	uint32_t token;
	size_t call;      /* index + 1 of the innermost call in kt_requests.calls; 0: none */
	const char *what; /* Weak: in the pool: kind of work, from kt_work_name() */
	const char *commands; /* Weak: in the pool: from kt_work_list() */
	uint64_t inline_bytes;
	uint64_t macro_bytes;  /* inline data fetched by macros: macro-copies.h */
	uint64_t direct_bytes; /* bytes written by the copy engine, fills included */
	uint64_t launches;
	uint64_t empty_grids;
	/*
	 * Weak: in the pool: the first kernel that is launched or whose code is uploaded,
	 * or "" if its name is not known
	 */
	const char *kernel;
	bool kernels_differ; /* there are other kernels than `kernel` */
	uint32_t entries;
	uint64_t words;                      /* captured dwords */
	uint64_t releases;                   /* number of semaphore releases */
	/* The last of the first KT_WORK_RELEASES releases. */
	struct kt_semaphore_value semaphore;
	uint32_t transition; /* transition of the doorbell's letter; KT_UNPLACED: none */
	bool lossy;          /* events, perhaps polls, are missing after the request */
	/*
	 * In the polls of `completion`, kt_poll.call is index + 1 in kt_requests.calls;
	 * 0: none.
	 */
	struct kt_completion completion;
	struct kt_device_time device;
	const char *call_name; /* Weak: in the pool: name of `call`, or "" */
	/* Weak: in the pool: name of the innermost call with the evidence, or "". */
	const char *sign_call;
};

/* "none", "run", "poll", "notice", "interrupt". Static. */
const char *kt_request_sign_name(enum kt_request_sign sign);

/*
 * Returns the strongest evidence and points *poll to it. In descending order: the
 * request's own notice; its own first poll; the notice, then the first poll of a later
 * request that implies completion; a run. An exception is a run in a call that waits: it
 * outranks a first poll after the run. If NONE is returned, *poll is meaningless.
 */
enum kt_request_sign kt_request_sign(const struct kt_request *request,
				     const struct kt_poll **poll);

/* Counts of calls that wait for completion, and of waits for the device. */
struct kt_request_waits {
	uint64_t calls;     /* outermost calls that waited until work was done */
	uint64_t blind;  /* of `calls`: without a poll, as completion was known already */
	uint64_t sleeps; /* waits on a device file; each ended by an interrupt */
	uint64_t unmatched; /* of `sleeps`: waits that no poll followed in the same group */
};

/*
 * All requests of an annotation. kt_requests_init() makes it empty; free with
 * kt_requests_free().
 */
struct kt_requests {
	struct kt_request *requests; /* Owned by this: in order of submission in each trace */
	size_t n;
	size_t capacity;
	struct kt_request_calls calls;
	struct kt_texts pool;
	struct kt_request_waits waits;
	uint64_t doorbells;
	uint64_t idle;      /* of `doorbells`: those without a recorded submission */
	uint64_t instances; /* process instances that submitted work */
	uint64_t unwatched_instances; /* of `instances`: their accesses were not recorded */
	/* Weak; NULL: there is no machine, and `transition` members stay KT_UNPLACED */
	const struct kt_annotation_input *input;
	/* The following members are used only while a trace is read. */
	/* Owned by this: indexed by process instance; NULL: the instance has not begun. */
	struct kt_request_instance **reading;
	size_t n_reading;
	size_t reading_capacity;
	struct kt_device_times times;
	size_t n_traces;
	kt_kernel_finder *kernels; /* Owned by this: of the trace that is read; or NULL */
};

void kt_requests_init(struct kt_requests *requests);

/* The context is a struct kt_requests. */
extern const struct kt_activity_visitor kt_requests_visitor;

/* Returns the call with index `index` - 1; NULL if `index` is 0. */
const struct kt_request_call *kt_requests_call(const struct kt_requests *requests,
					       uint64_t index);

/*
 * Returns the row of the call with this kt_activity_call.id in the trace that is being read or
 * was read last; NULL if the call has no row. O(1) expected.
 */
const struct kt_request_call *kt_requests_find_call(const struct kt_requests *requests,
						    uint64_t id);

/*
 * Iterates over the requests submitted by a call and the calls within it. Returns the request
 * that follows `after`, or the first if `after` is NULL; NULL at the end. O(requests that other
 * threads submitted during the call).
 */
const struct kt_request *kt_requests_of_call(const struct kt_requests *requests,
					     const struct kt_request_call *call,
					     const struct kt_request *after);

/* Completion evidence of everything a call submitted. */
struct kt_call_completion {
	uint64_t requests;
	uint64_t attributed;       /* number of `requests` with completion evidence */
	enum kt_request_sign sign; /* kind of evidence of the last request */
	/*
	 * Evidence of the last request that has evidence; valid if `attributed` is not 0.
	 */
	struct kt_poll poll;
	/* The innermost call around `poll`; NULL: none. */
	const struct kt_request_call *in;
	bool inside; /* `in` is the call itself or a call within it */
};

/*
 * Summarises the evidence of the requests of a call. Call this after the end of the
 * trace. As costly as iterating with kt_requests_of_call().
 */
struct kt_call_completion kt_requests_completion(const struct kt_requests *requests,
						 const struct kt_request_call *call);

void kt_requests_free(struct kt_requests *requests);

/*
 * The annotation part `requests`: initiation and completion points. Its JSON is the member
 * "requests" of "annotation", and the counts "initiates" and "notices" of transitions; its
 * file has one row for each request.
 */
extern const struct kt_annotation_part kt_requests_part;

#endif
