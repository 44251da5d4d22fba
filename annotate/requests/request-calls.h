/* SPDX-License-Identifier: MIT */
/*
 * The calls of the API that requests have to do with: those that made one or read where one
 * may be seen to be done, and all copies, fills and launches. With what each submitted, and
 * of copies whether that is what their size asks for.
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

/* How the bytes of a copy went. */
enum kt_copy_way {
	KT_COPY_NONE,   /* the call is no copy, failed, or none of its size is known */
	KT_COPY_INLINE, /* all of them in the commands */
	KT_COPY_DIRECT, /* all by the copy engine, from or to where the program has them */
	KT_COPY_STAGED, /* all by the copy engine, by way of memory of the driver's */
	KT_COPY_MACRO,  /* all inline, but that macros fetch them: macro-copies.h */
	KT_COPY_MIXED,  /* some so, some so, together all */
	KT_COPY_CAPTURED, /* the stream is being captured: a graph will do it */
	KT_COPY_UNSEEN,   /* nothing was submitted: the processor did it, or nobody */
	KT_COPY_WRONG,    /* what was submitted is not what the size asks for */
	KT_COPY_WAYS,
};

/* "inline", "direct", ...; "-" for NONE. Static. */
const char *kt_copy_way_name(enum kt_copy_way way);

struct kt_request_call {
	size_t trace; /* the traces' order */
	uint64_t id;  /* kt_activity_call.id */
	uint64_t instance;
	uint32_t pid;
	uint32_t tid;
	uint64_t seq;
	const char *name;                       /* Weak: of the pool */
	const struct kt_api_function *function; /* Static; NULL: unknown */
	size_t outer;                           /* index + 1; 0: none */
	uint64_t begin;                         /* ns since the trace's first event */
	uint64_t end;                           /* 0: it never returned */
	bool known;
	int32_t result;
	bool captured; /* a stream of the process was being captured */
	/* What it submitted, calls inside it included */
	uint64_t requests;
	uint64_t inline_bytes; /* without what launches write for themselves */
	uint64_t macro_bytes;
	uint64_t direct_bytes; /* without fills */
	uint64_t fill_bytes;
	uint64_t launches;
	size_t first_request; /* index + 1 of the first and the last; 0: none */
	size_t last_request;
	bool sized; /* `bytes` is what its arguments say */
	uint64_t bytes;
	uint64_t from; /* what a copy copies, in the program's memory; 0: unknown */
	uint64_t to;
	bool elsewhere; /* the copy engine took or put some of it elsewhere */
};

/* All zero: none. Free with kt_request_calls_free(). */
struct kt_request_calls {
	struct kt_request_call *calls; /* Owned by this */
	size_t n;
	size_t capacity;
	struct kt_number_map by_id; /* of the trace being read */
	size_t trace;
	struct kt_texts *pool; /* Weak */
};

static inline enum kt_api_kind kt_request_call_kind(const struct kt_request_call *call)
{
	return call->function ? call->function->kind : KT_API_KIND_OTHER;
}

/* Whether a kind of call hands work to the device: a copy, a fill, a launch. */
bool kt_api_kind_is_work(enum kt_api_kind kind);
bool kt_api_kind_is_copy(enum kt_api_kind kind);

/* Another trace begins: calls are numbered anew. */
void kt_request_calls_trace(struct kt_request_calls *calls, size_t trace);

/* The row of a call, made if need be, with those it was made in. *out: index. */
int kt_request_calls_keep(struct kt_request_calls *calls, size_t *out,
			  const struct kt_activity_call *call);

/* The row of a call's id in this trace; KT_NOWHERE: none. */
size_t kt_request_calls_find(const struct kt_request_calls *calls, uint64_t id);

/* A call is over. */
void kt_request_calls_end(struct kt_request_calls *calls,
			  const struct kt_activity_call *call);

/*
 * The call at `index` made request `request`, and so did those it was made in; macros
 * fetched this many bytes for it.
 */
void kt_request_calls_submit(struct kt_request_calls *calls, size_t index, size_t request,
			     const struct kt_work *work, uint64_t macro_bytes);

/* O(1). */
enum kt_copy_way kt_request_call_way(const struct kt_request_call *call);

void kt_request_calls_free(struct kt_request_calls *calls);

#endif
