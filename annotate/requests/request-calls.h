/* SPDX-License-Identifier: MIT */
/*
 * Calls of the API with requests: calls that submitted a request or read where completion
 * may be observed, and all copies, fills and launches. Each row has the submitted work and,
 * for copies, whether it agrees with the size in the arguments.
 */
#ifndef KTAIL_ANNOTATE_REQUEST_CALLS_H
#define KTAIL_ANNOTATE_REQUEST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/number-map.h"
#include "annotate/events/work.h"
#include "base/texts.h"
#include "decode/api-functions.h"

/* How the bytes of a copy were transferred. */
enum kt_copy_way {
	KT_COPY_NONE,   /* not a copy, failed, or of unknown size */
	KT_COPY_INLINE, /* all bytes inline in the commands */
	KT_COPY_DIRECT, /* all by the copy engine, between the addresses the program gave */
	KT_COPY_STAGED, /* all by the copy engine, through memory of the driver */
	KT_COPY_MACRO,  /* all inline, fetched by macros: macro-copies.h */
	KT_COPY_MIXED,  /* several ways, together all bytes */
	KT_COPY_CAPTURED, /* the stream is being captured: a graph launch will copy */
	KT_COPY_UNSEEN,   /* nothing was submitted: copied by the CPU, or not at all */
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
	uint64_t end;   /* 0: it never returned */
	bool known;
	int32_t result;
	bool captured; /* a stream of the process was being captured */
	/* Submitted by it and by calls within it */
	uint64_t requests;
	uint64_t inline_bytes; /* without data that launches write for themselves */
	uint64_t macro_bytes;
	uint64_t direct_bytes; /* without fills */
	uint64_t fill_bytes;
	uint64_t launches;
	size_t first_request; /* index + 1 of the first and the last; 0: none */
	size_t last_request;
	bool sized; /* `bytes` is the size in its arguments */
	uint64_t bytes;
	uint64_t from; /* source of a copy in the program's memory; 0: unknown */
	uint64_t to;
	bool elsewhere; /* the copy engine read or wrote other memory as well */
};

/* All zero: empty. Free with kt_request_calls_free(). */
struct kt_request_calls {
	struct kt_request_call *calls; /* Owned by this */
	size_t n;
	size_t capacity;
	struct kt_number_map by_id; /* rows of the trace being read */
	size_t trace;
	struct kt_texts *pool; /* Weak */
};

static inline enum kt_api_kind kt_request_call_kind(const struct kt_request_call *call)
{
	return call->function ? call->function->kind : KT_API_KIND_OTHER;
}

/* Whether calls of this kind submit work to the device: copies, fills, launches. */
bool kt_api_kind_is_work(enum kt_api_kind kind);
bool kt_api_kind_is_copy(enum kt_api_kind kind);

/* Begins a trace: ids of calls start anew. */
void kt_request_calls_trace(struct kt_request_calls *calls, size_t trace);

/*
 * Writes the index of a call's row to *out; adds the row and those of its enclosing calls
 * if missing. KT_E_MEMORY.
 */
int kt_request_calls_keep(struct kt_request_calls *calls, size_t *out,
			  const struct kt_activity_call *call);

/* Returns the index of the row of a call of this trace; KT_NOWHERE if it has none. */
size_t kt_request_calls_find(const struct kt_request_calls *calls, uint64_t id);

/* Stores end and result of a call that has a row. */
void kt_request_calls_end(struct kt_request_calls *calls,
			  const struct kt_activity_call *call);

/*
 * Counts request `request` for the call at `index` and its enclosing calls; macros fetched
 * `macro_bytes` for it.
 */
void kt_request_calls_submit(struct kt_request_calls *calls, size_t index, size_t request,
			     const struct kt_work *work, uint64_t macro_bytes);

/* Returns how the call's bytes were transferred. O(1). */
enum kt_copy_way kt_request_call_way(const struct kt_request_call *call);

void kt_request_calls_free(struct kt_request_calls *calls);

#endif
