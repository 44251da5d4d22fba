/* SPDX-License-Identifier: MIT */
/* Requests: what threads read, wait for and call, as far as it says that work is done. */
#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/request-life.h"
#include "base/array.h"
#include "base/try.h"

/* --- what threads do --- */

static int act(struct kt_requests *r, const struct kt_moment *moment)
{
	return kt_completions_act(kt_request_life_of(r, moment)->completions, moment->tid);
}

int kt_request_ioctl(void *context, const struct kt_moment *moment,
		     const struct kt_call *call)
{
	(void)call;
	return act(context, moment);
}

int kt_request_map(void *context, const struct kt_moment *moment,
		   const struct kt_map_fields *fields)
{
	struct kt_requests *r = context;

	KT_TRY(act(r, moment));
	if (fields->error || !fields->mapping) {
		return KT_OK;
	}
	return kt_completions_map(kt_request_life_of(r, moment)->completions,
				  fields->mapping, fields->address, fields->length);
}

int kt_request_unmap(void *context, const struct kt_moment *moment,
		     const struct kt_unmap_fields *fields)
{
	(void)fields;
	return act(context, moment);
}

int kt_request_access(void *context, const struct kt_moment *moment,
		      const struct kt_access_fields *fields)
{
	struct kt_requests *r = context;
	struct kt_request_life *life = kt_request_life_of(r, moment);
	struct kt_watched_read read = {
		.mapping = fields->mapping,
		.offset = fields->offset,
		.size = fields->size,
		.limit = UINT64_MAX,
		.look = {.seq = moment->seq, .time = moment->time, .tid = moment->tid},
	};
	uint32_t transition = kt_request_transition(r, moment);
	size_t call;

	/* Where an access gave no letter, it goes on with the one that its run gave. */
	if (transition != KT_UNPLACED || fields->mapping != life->run_mapping) {
		life->run_transition = transition;
	}
	life->run_mapping = fields->mapping;
	if (fields->write) {
		return act(r, moment);
	}
	if (life->requests == 0) {
		return KT_OK;
	}
	/* Who waits for an event waits for what was recorded when it was recorded. */
	for (const struct kt_activity_call *c = moment->call; c; c = c->outer) {
		const struct kt_api_function *f = c->function;
		bool waits = f && (f->kind == KT_API_KIND_SYNCHRONIZE ||
				   f->kind == KT_API_KIND_PROGRESS);

		if (waits && c->n_arguments && strstr(f->name, "Event")) {
			size_t seq = kt_number_map_get(&life->events, c->arguments[0]);

			read.limit = seq == KT_NOWHERE ? UINT64_MAX : seq;
			break;
		}
	}
	read.look.transition = life->run_transition;
	if (moment->call) {
		KT_TRY(kt_request_calls_keep(&r->calls, &call, moment->call));
		read.look.call = call + 1;
	}
	return kt_completions_read(life->completions, &read);
}

int kt_request_wait(void *context, const struct kt_moment *moment,
		    const struct kt_wait_fields *fields)
{
	return kt_completions_sleep(kt_request_life_of(context, moment)->completions,
				    moment->tid, fields->duration);
}

/* --- calls --- */

/* Whether a kind of call says by returning that what it looked at is done. */
static bool waits_for_all(const struct kt_activity_call *call)
{
	return call->function && call->function->kind == KT_API_KIND_SYNCHRONIZE;
}

static bool says_done(const struct kt_activity_call *call)
{
	if (!call->function || !call->returned || (call->known && call->result != 0)) {
		return false;
	}
	switch (call->function->kind) {
	case KT_API_KIND_SYNCHRONIZE:
	case KT_API_KIND_COPY:
	case KT_API_KIND_COPY_TO_DEVICE:
	case KT_API_KIND_COPY_FROM_DEVICE: return true;
	case KT_API_KIND_PROGRESS: return call->known;
	default: return false;
	}
}

static int thread_of(struct kt_request_life *life, uint32_t tid, struct kt_open_calls **out)
{
	size_t at = kt_number_map_get(&life->tids, tid);

	if (at == KT_NOWHERE) {
		at = life->n_threads;
		KT_TRY(kt_array_reserve(&life->threads, &life->threads_capacity, at + 1));
		KT_TRY(kt_number_map_set(&life->tids, tid, at));
		life->threads[life->n_threads++] = (struct kt_open_calls){.done = false};
	}
	*out = &life->threads[at];
	return KT_OK;
}

int kt_request_call_enter(void *context, const struct kt_moment *moment,
			  const struct kt_activity_call *call)
{
	struct kt_requests *r = context;
	struct kt_request_life *life = kt_request_life_of(r, moment);
	struct kt_open_calls *thread;
	size_t at;

	KT_TRY(thread_of(life, moment->tid, &thread));
	if (!call->outer) {
		thread->done = false;
		KT_TRY(kt_completions_enter(life->completions, moment->tid,
					    waits_for_all(call)));
	}
	if (call->function && kt_api_kind_is_work(call->function->kind)) {
		KT_TRY(kt_request_calls_keep(&r->calls, &at, call));
		r->calls.calls[at].captured = life->captures > 0;
	}
	return KT_OK;
}

int kt_request_call_exit(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call)
{
	struct kt_requests *r = context;
	struct kt_request_life *life = kt_request_life_of(r, moment);
	const struct kt_api_function *f = call->function;
	struct kt_open_calls *thread;
	size_t looked;

	KT_TRY(thread_of(life, call->tid, &thread));
	/* Streams that are being captured, events that were recorded. */
	if (f && call->returned && (!call->known || call->result == 0)) {
		/* A call of the runtime makes one of the driver, which counts. */
		if (strcmp(f->name, "cuStreamBeginCapture") == 0) {
			life->captures++;
		} else if (strcmp(f->name, "cuStreamEndCapture") == 0 && life->captures) {
			life->captures--;
		} else if (f->kind == KT_API_KIND_EVENT_RECORD && call->n_arguments &&
			   moment->seq < KT_NOWHERE) {
			KT_TRY(kt_number_map_set(&life->events, call->arguments[0],
						 (size_t)moment->seq));
		}
	}
	kt_request_calls_end(&r->calls, call);
	thread->done = thread->done || says_done(call);
	if (call->outer) {
		return KT_OK;
	}
	KT_TRY(kt_completions_return(life->completions, call->tid,
				     kt_request_calls_find(&r->calls, call->id) + 1,
				     call->end, thread->done, &looked));
	if (waits_for_all(call) && says_done(call)) {
		r->waits.calls++;
		r->waits.blind += looked == 0;
	}
	return KT_OK;
}
