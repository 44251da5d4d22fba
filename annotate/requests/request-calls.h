/* SPDX-License-Identifier: MIT */
/*
 * Rows for calls of the API: calls that submitted a request or read mapped memory after a
 * request, all copies, fills and launches, and calls around any call with a row. A row
 * has the submitted work and, for a copy, whether the submitted bytes agree with the size
 * in the arguments.
 */
#ifndef KTAIL_ANNOTATE_REQUEST_CALLS_H
#define KTAIL_ANNOTATE_REQUEST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/work.h"
#include "base/texts.h"
#include "decode/api-functions.h"
#include "infer/words/memory/number-map.h"

/* How the bytes of a copy were transferred. */
enum kt_copy_way {
	KT_COPY_NONE,   /* not a copy, not successful, or the size is 0 or unknown */
	KT_COPY_INLINE, /* all bytes inline in the commands */
	KT_COPY_DIRECT, /* all by the copy engine, between the addresses in the arguments */
	KT_COPY_STAGED, /* all by the copy engine, through memory of the driver */
	KT_COPY_MACRO,  /* all inline, at least some fetched by macros: macro-copies.h */
	KT_COPY_MIXED,  /* some bytes inline, all others by the copy engine */
	KT_COPY_CAPTURED, /* no request, because the stream is captured: a graph launch will
			   * copy */
	KT_COPY_UNSEEN,   /* no bytes were submitted: copied by the CPU, or not at all */
	KT_COPY_WRONG,    /* submitted bytes and the size in the arguments disagree */
	KT_COPY_WAYS,
};

/* "inline", "direct", ...; "-" for NONE. Static. */
const char *kt_copy_way_name(enum kt_copy_way way);

struct kt_request_call {
	size_t trace; /* index of the trace */
	uint64_t id;  /* kt_activity_call.id */
	uint64_t instance;
	uint32_t pid;
	uint32_t tid;
	uint64_t seq;
	const char *name;                       /* Weak: in the pool */
	const struct kt_api_function *function; /* Static; NULL: unknown */
	size_t outer;   /* index + 1 of the enclosing call; 0: none */
	uint64_t begin; /* ns since the trace's first event */
	uint64_t end;   /* like `begin`; 0: the call did not return */
	enum kt_api_outcome outcome; /* KT_API_SUCCEEDED if the call did not return */
	bool given_up; /* the recorder gave up commands before the call returned */
	bool captured; /* a stream of the process was being captured at the call's begin */
	/* Work submitted by the call and by calls within it. */
	uint64_t requests;
	uint64_t inline_bytes; /* without inline writes that belong to launches */
	uint64_t macro_bytes;  /* inline data fetched by macros */
	uint64_t direct_bytes; /* copied by the copy engine, without fills */
	uint64_t fill_bytes;
	uint64_t launches;
	size_t first_request; /* index + 1 of the first and the last request; 0: none */
	size_t last_request;
	bool sized;     /* `bytes` is known */
	uint64_t bytes; /* size according to the arguments */
	uint64_t from;  /* source and destination in the arguments of a copy; 0: unknown */
	uint64_t to;
	bool elsewhere; /* the copy engine read or wrote other memory than the arguments give */
};

/* Empty if all members are zero. Free with kt_request_calls_free(). */
struct kt_request_calls {
	struct kt_request_call *calls; /* Owned by this */
	size_t n;
	size_t capacity;
	struct kt_number_map by_id; /* id -> index in `calls`, for the trace being read */
	size_t trace;               /* index of the trace being read */
	struct kt_texts *pool; /* Weak */
};

static inline enum kt_api_kind kt_request_call_kind(const struct kt_request_call *call)
{
	return call->function ? call->function->kind : KT_API_KIND_OTHER;
}

/*
 * kt_api_kind_is_work() returns whether calls of this kind copy, fill or launch;
 * kt_api_kind_is_copy(), whether they copy.
 */
bool kt_api_kind_is_work(enum kt_api_kind kind);
bool kt_api_kind_is_copy(enum kt_api_kind kind);

/* Begins a trace, in which ids of calls start again from 1. */
void kt_request_calls_trace(struct kt_request_calls *calls, size_t trace);

/*
 * Sets *out to the index of a call's row. Adds the missing rows of the call and its enclosing
 * calls. KT_E_MEMORY.
 */
int kt_request_calls_keep(struct kt_request_calls *calls, size_t *out,
			  const struct kt_activity_call *call);

/* Returns the index of a call's row in this trace; KT_NOWHERE if the call has no row. */
size_t kt_request_calls_find(const struct kt_request_calls *calls, uint64_t id);

/*
 * Stores the end and result of a call that returned, if the call has a row; `given_up` is
 * the kt_moment.given_up of its end.
 */
void kt_request_calls_end(struct kt_request_calls *calls,
			  const struct kt_activity_call *call, unsigned given_up);

/*
 * Adds the work of the request with index `request` to the call at `index` and its enclosing
 * calls. Macros fetched `macro_bytes` of the request's data.
 */
void kt_request_calls_submit(struct kt_request_calls *calls, size_t index, size_t request,
			     const struct kt_work *work, uint64_t macro_bytes);

/* Returns how the call's bytes were transferred. O(1). */
enum kt_copy_way kt_request_call_way(const struct kt_request_call *call);

void kt_request_calls_free(struct kt_request_calls *calls);

#endif
