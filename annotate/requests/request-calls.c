/* SPDX-License-Identifier: MIT */
#include "annotate/requests/request-calls.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

const char *kt_copy_way_name(enum kt_copy_way way)
{
	static const char *const names[KT_COPY_WAYS] = {
		[KT_COPY_NONE] = "-",
		[KT_COPY_INLINE] = "inline",
		[KT_COPY_DIRECT] = "direct",
		[KT_COPY_STAGED] = "staged",
		[KT_COPY_MACRO] = "macro",
		[KT_COPY_MIXED] = "mixed",
		[KT_COPY_CAPTURED] = "captured",
		[KT_COPY_UNSEEN] = "nothing submitted",
		[KT_COPY_WRONG] = "disagrees",
	};

	return names[way];
}

bool kt_api_kind_is_copy(enum kt_api_kind kind)
{
	return kind >= KT_API_KIND_COPY && kind <= KT_API_KIND_COPY_ASYNC_DEVICE;
}

bool kt_api_kind_is_work(enum kt_api_kind kind)
{
	return kt_api_kind_is_copy(kind) || kind == KT_API_KIND_FILL ||
	       kind == KT_API_KIND_FILL_ASYNC || kind == KT_API_KIND_LAUNCH ||
	       kind == KT_API_KIND_GRAPH_LAUNCH;
}

/* --- rows --- */

int kt_request_calls_keep(struct kt_request_calls *calls, size_t *out,
			  const struct kt_activity_call *call)
{
	/*
	 * Add the missing rows, beginning with the row of the outermost call. Each
	 * repetition searches from `call` again, which is cheap because nesting is shallow.
	 */
	while ((*out = kt_request_calls_find(calls, call->id)) == KT_NOWHERE) {
		const struct kt_activity_call *added = call;
		struct kt_request_call *row;
		size_t outer = KT_NOWHERE;
		const char *name;

		while (added->outer && (outer = kt_request_calls_find(
						calls, added->outer->id)) == KT_NOWHERE) {
			added = added->outer;
		}
		name = kt_texts_keep(calls->pool, added->name);
		if (!name) {
			return KT_E_MEMORY;
		}
		KT_TRY(kt_array_reserve(&calls->calls, &calls->capacity, calls->n + 1));
		KT_TRY(kt_number_map_set(&calls->by_id, added->id, calls->n));
		row = &calls->calls[calls->n++];
		*row = (struct kt_request_call){
			.trace = calls->trace,
			.id = added->id,
			.instance = added->instance,
			.pid = added->pid,
			.tid = added->tid,
			.seq = added->seq,
			.name = name,
			.function = added->function,
			.outer = outer == KT_NOWHERE ? 0 : outer + 1,
			.begin = added->begin,
		};
		row->sized = kt_api_bytes(&row->bytes, added->function, added->arguments,
					  added->n_arguments);
		/*
		 * Arguments 0 to 2 of cuMemcpy(), cudaMemcpy() and similar functions are
		 * destination, source and size. Other copy functions have the size in
		 * another argument.
		 */
		if (row->sized && kt_api_kind_is_copy(kt_request_call_kind(row)) &&
		    added->function->bytes == 2 && added->n_arguments > 2) {
			row->to = added->arguments[0];
			row->from = added->arguments[1];
		}
	}
	return KT_OK;
}

size_t kt_request_calls_find(const struct kt_request_calls *calls, uint64_t id)
{
	return kt_number_map_get(&calls->by_id, id);
}

void kt_request_calls_trace(struct kt_request_calls *calls, size_t trace)
{
	kt_number_map_free(&calls->by_id);
	calls->trace = trace;
}

void kt_request_calls_end(struct kt_request_calls *calls,
			  const struct kt_activity_call *call, unsigned given_up)
{
	size_t at = kt_request_calls_find(calls, call->id);

	if (at != KT_NOWHERE) {
		calls->calls[at].given_up = given_up & KT_GAVE_UP_COMMANDS;
	}
	if (at != KT_NOWHERE && call->returned) {
		calls->calls[at].end = call->end;
		calls->calls[at].outcome =
			kt_api_outcome(call->api, call->known, call->result);
	}
}

void kt_request_calls_free(struct kt_request_calls *calls)
{
	free(calls->calls);
	kt_number_map_free(&calls->by_id);
	memset(calls, 0, sizeof(*calls));
}

/* --- submissions of a call --- */

static bool lies_in(uint64_t address, uint64_t bytes, uint64_t at, uint64_t size)
{
	return address >= at && bytes <= size && address - at <= size - bytes;
}

void kt_request_calls_submit(struct kt_request_calls *calls, size_t index, size_t request,
			     const struct kt_work *work, uint64_t macro_bytes)
{
	for (size_t at = index + 1; at; at = calls->calls[at - 1].outer) {
		struct kt_request_call *call = &calls->calls[at - 1];

		call->requests++;
		call->macro_bytes += macro_bytes;
		call->first_request =
			call->first_request ? call->first_request : request + 1;
		call->last_request = request + 1;
		call->inline_bytes += work->inline_bytes;
		call->direct_bytes += work->direct_bytes - work->fill_bytes;
		call->fill_bytes += work->fill_bytes;
		call->launches += work->launches;
		for (size_t i = 0; i < work->n_copies; i++) {
			const struct kt_work_copy *copy = &work->copies[i];
			bool named =
				lies_in(copy->from, copy->bytes, call->from, call->bytes) &&
				lies_in(copy->to, copy->bytes, call->to, call->bytes);

			/*
			 * Note whether the copy engine read or wrote outside the memory
			 * that the arguments give.
			 */
			call->elsewhere = call->elsewhere ||
					  (call->sized && call->to && copy->from && !named);
		}
	}
}

enum kt_copy_way kt_request_call_way(const struct kt_request_call *call)
{
	uint64_t in_commands = call->inline_bytes + call->macro_bytes;

	if (!kt_api_kind_is_copy(kt_request_call_kind(call)) || !call->sized ||
	    call->bytes == 0 || !call->end || call->outcome != KT_API_SUCCEEDED ||
	    call->given_up) {
		return KT_COPY_NONE;
	}
	if (call->captured && call->requests == 0) {
		return KT_COPY_CAPTURED;
	}
	if (in_commands + call->direct_bytes == 0) {
		return KT_COPY_UNSEEN;
	}
	if (in_commands + call->direct_bytes != call->bytes) {
		return KT_COPY_WRONG;
	}
	if (in_commands && call->direct_bytes) {
		return KT_COPY_MIXED;
	}
	if (in_commands) {
		return call->macro_bytes ? KT_COPY_MACRO : KT_COPY_INLINE;
	}
	return call->elsewhere ? KT_COPY_STAGED : KT_COPY_DIRECT;
}
