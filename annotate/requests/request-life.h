/* SPDX-License-Identifier: MIT */
/* What requests.c and request-events.c share. */
#ifndef KTAIL_ANNOTATE_REQUEST_LIFE_H
#define KTAIL_ANNOTATE_REQUEST_LIFE_H

#include "annotate/events/macro-copies.h"
#include "annotate/requests/requests.h"

/* A thread's calls, as far as they matter. */
struct kt_open_calls {
	bool done; /* one that waits has returned and said that all is done */
};

/* One life of a process, while its trace is read. */
struct kt_request_life {
	kt_completions *completions;   /* Owned by this */
	struct kt_number_map events;   /* handle -> seq at which it was recorded last */
	struct kt_number_map tids;     /* -> index in threads */
	struct kt_open_calls *threads; /* Owned by this */
	size_t n_threads;
	size_t threads_capacity;
	struct kt_semaphore_value *acquires; /* Owned by this: of the submission in hand */
	size_t n_acquires;
	size_t acquires_capacity;
	struct kt_macro_copies macros; /* likewise */
	uint64_t captures;             /* streams that are being captured */
	uint32_t run_mapping;          /* of the last access */
	uint32_t run_transition;       /* of the letter that its run gave */
	bool unwatched;                /* accesses are not recorded */
	uint64_t requests;
	uint64_t last_gap; /* seq of the first event after the last gap */
	bool gaps;
};

/* The life of a moment; process_begin has made it. */
static inline struct kt_request_life *kt_request_life_of(const struct kt_requests *requests,
							 const struct kt_moment *moment)
{
	return requests->reading[moment->life];
}

/* The transition of the first letter that a moment's event gave; KT_UNPLACED. */
uint32_t kt_request_transition(const struct kt_requests *requests,
			       const struct kt_moment *moment);

/* What threads do beside ringing: of a visitor. */
int kt_request_ioctl(void *requests, const struct kt_moment *moment,
		     const struct kt_call *call);
int kt_request_map(void *requests, const struct kt_moment *moment,
		   const struct kt_map_fields *fields);
int kt_request_unmap(void *requests, const struct kt_moment *moment,
		     const struct kt_unmap_fields *fields);
int kt_request_access(void *requests, const struct kt_moment *moment,
		      const struct kt_access_fields *fields);
int kt_request_wait(void *requests, const struct kt_moment *moment,
		    const struct kt_wait_fields *fields);
int kt_request_call_enter(void *requests, const struct kt_moment *moment,
			  const struct kt_activity_call *call);
int kt_request_call_exit(void *requests, const struct kt_moment *moment,
			 const struct kt_activity_call *call);

#endif
