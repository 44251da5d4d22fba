/* SPDX-License-Identifier: MIT */
#include "annotate/requests.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/macro-copies.h"
#include "base/array.h"

const char *kt_request_sign_name(enum kt_request_sign sign)
{
	static const char *const names[KT_SIGNS] = {"none", "run", "look", "notice",
						    "interrupt"};

	return names[sign];
}

enum kt_request_sign kt_request_sign(const struct kt_request *request,
				     const struct kt_look **look)
{
	const struct kt_completion *c = &request->completion;
	bool own_look = c->tie == KT_TIE_READ && c->noticed != KT_TIE_READ;

	if (c->noticed && !own_look) {
		*look = &c->notice;
		return c->notice_slept ? KT_SIGN_INTERRUPT : KT_SIGN_NOTICE;
	}
	if (c->hidden_wait && (!c->tie || c->wait_run.seq < c->first.seq)) {
		*look = &c->wait_run;
		return KT_SIGN_RUN;
	}
	if (c->tie) {
		*look = &c->first;
		return KT_SIGN_LOOK;
	}
	*look = &c->run;
	return c->hidden ? KT_SIGN_RUN : KT_SIGN_NONE;
}

/* A thread's calls, as far as they matter. */
struct open_calls {
	bool done; /* one that waits has returned and said that all is done */
};

/* One life of a process, while its trace is read. */
struct kt_request_life {
	kt_completions *completions; /* Owned by this */
	struct kt_number_map events; /* handle -> seq at which it was recorded last */
	struct kt_number_map tids;   /* -> index in threads */
	struct open_calls *threads;  /* Owned by this */
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
	uint64_t last_gap; /* seq of the first event behind the last gap */
	bool gaps;
};

/* --- lives --- */

static int new_life(struct kt_request_life **out, bool exact)
{
	struct kt_request_life *life = calloc(1, sizeof(*life));
	int code;

	if (!life) {
		return kt_error(KT_E_MEMORY, "read requests: out of memory");
	}
	life->run_transition = KT_UNPLACED;
	code = kt_completions_new(&life->completions, exact);
	if (code) {
		free(life);
		return code;
	}
	*out = life;
	return KT_OK;
}

static void free_life(struct kt_request_life *life)
{
	if (life) {
		kt_completions_free(life->completions);
		kt_number_map_free(&life->events);
		kt_number_map_free(&life->tids);
		free(life->threads);
		free(life->acquires);
		free(life);
	}
}

static struct kt_request_life *life_of(const struct kt_requests *r,
				       const struct kt_moment *moment)
{
	return r->reading[moment->life];
}

static int process_begin(void *context, const struct kt_moment *moment,
			 const struct kt_process_begin_fields *fields)
{
	struct kt_requests *r = context;
	int code = kt_array_reserve(&r->reading, &r->reading_capacity,
				    (size_t)moment->life + 1);

	if (code) {
		return code;
	}
	while (r->n_reading <= moment->life) {
		r->reading[r->n_reading++] = NULL;
	}
	if (life_of(r, moment)) {
		return KT_OK;
	}
	code = new_life(&r->reading[moment->life],
			fields && strcmp(fields->access, "exact") == 0);
	if (!code) {
		r->reading[moment->life]->unwatched =
			fields && strcmp(fields->access, "off") == 0;
	}
	return code;
}

static int gap(void *context, const struct kt_moment *moment, uint64_t n)
{
	struct kt_request_life *life = life_of(context, moment);

	(void)n;
	kt_completions_gap(life->completions);
	life->gaps = true;
	life->last_gap = moment->seq;
	return KT_OK;
}

/* --- what submissions do --- */

static int method(void *context, const struct kt_moment *moment,
		  const struct kt_submission *submission,
		  const struct kt_submitted_entry *entry, const struct kt_decoded *decoded)
{
	struct kt_request_life *life = life_of(context, moment);
	const struct kt_command *command = &decoded->command;
	int code;

	(void)submission;
	(void)entry;
	kt_macro_copies_add(&life->macros, decoded);
	if (command->kind != KT_COMMAND_ACQUIRE) {
		return KT_OK;
	}
	code = kt_array_reserve(&life->acquires, &life->acquires_capacity,
				life->n_acquires + 1);
	if (!code) {
		life->acquires[life->n_acquires++] =
			(struct kt_semaphore_value){command->address, command->payload};
	}
	return code;
}

static int watch(struct kt_request_life *life, const struct kt_request *request,
		 const struct kt_work *work)
{
	struct kt_semaphore_value releases[KT_WORK_RELEASES];
	const struct kt_submitted_request submitted = {
		.seq = request->seq,
		.channel = (uint64_t)request->client << 32 | request->channel,
		.releases = releases,
		.n_releases = work->n_releases,
		.acquires = life->acquires,
		.n_acquires = life->n_acquires,
	};

	for (size_t i = 0; i < work->n_releases; i++) {
		releases[i] = (struct kt_semaphore_value){work->releases[i].address,
							  work->releases[i].payload};
	}
	life->n_acquires = 0;
	life->macros = (struct kt_macro_copies){.bytes = 0};
	return kt_completions_submit(life->completions, &submitted);
}

/* The transition of the first letter that an event gave. */
static uint32_t transition_of(const struct kt_requests *r, const struct kt_moment *moment)
{
	const kt_placement *placement = r->placement ? *r->placement : NULL;
	const struct kt_placed *placed = NULL;
	size_t n = 0;

	if (placement) {
		placed = kt_placement_find(placement, moment->life, moment->seq, &n);
	}
	return n ? placed->transition : KT_UNPLACED;
}

static int keep_texts(struct kt_requests *r, struct kt_request *request,
		      const struct kt_moment *moment, const struct kt_work *work)
{
	char buffer[KT_SUBMITTED_NAME];

	request->what = kt_texts_keep(&r->pool, kt_work_name(work, buffer));
	request->process = kt_texts_keep(&r->pool, moment->process);
	return request->what && request->process ? KT_OK : KT_E_MEMORY;
}

static struct kt_request describe(const struct kt_requests *r,
				  const struct kt_moment *moment,
				  const struct kt_submission *submission,
				  const struct kt_work *work)
{
	struct kt_request request = {
		.trace = r->n_traces - 1,
		.number = submission->number,
		.life = moment->life,
		.index = life_of(r, moment)->requests,
		.seq = submission->seq,
		.time = submission->time,
		.pid = moment->pid,
		.tid = submission->tid,
		.client = submission->client,
		.channel = submission->channel,
		.class_number = submission->class_number,
		.call_name = "",
		.sign_call = "",
		.rung = submission->rung,
		.token_known = submission->value_known,
		.token = submission->value,
		.inline_bytes = work->inline_bytes,
		.macro_bytes = life_of(r, moment)->macros.bytes,
		.direct_bytes = work->direct_bytes,
		.launches = work->launches,
		.entries = submission->entries,
		.words = submission->words,
		.releases = work->all_releases,
		.transition = submission->rung ? transition_of(r, moment) : KT_UNPLACED,
	};

	if (work->n_releases) {
		const struct kt_work_release *last = &work->releases[work->n_releases - 1];

		request.semaphore =
			(struct kt_semaphore_value){last->address, last->payload};
	}
	return request;
}

static int submission(void *context, const struct kt_moment *moment,
		      const struct kt_submission *submitted, const struct kt_work *work)
{
	struct kt_requests *r = context;
	struct kt_request_life *life = life_of(r, moment);
	struct kt_request request = describe(r, moment, submitted, work);
	size_t call;
	int code = keep_texts(r, &request, moment, work);

	code = code ? code : kt_array_reserve(&r->requests, &r->capacity, r->n + 1);
	if (!code && moment->call) {
		code = kt_request_calls_keep(&r->calls, &call, moment->call);
		if (!code) {
			request.call = call + 1;
			request.call_name = r->calls.calls[call].name;
			kt_request_calls_submit(&r->calls, call, r->n, work,
						request.macro_bytes);
		}
	}
	if (code) {
		return code;
	}
	r->requests[r->n++] = request;
	r->lives += life->requests == 0;
	r->lives_unwatched += life->requests++ == 0 && life->unwatched;
	return watch(life, &request, work);
}

static int doorbell(void *context, const struct kt_moment *moment,
		    const struct kt_doorbell_fields *fields)
{
	struct kt_requests *r = context;

	(void)fields;
	r->doorbells++;
	return kt_completions_act(life_of(r, moment)->completions, moment->tid);
}

static int doorbell_end(void *context, const struct kt_moment *moment,
			const struct kt_doorbell_fields *fields, uint64_t submissions)
{
	struct kt_requests *r = context;

	(void)moment;
	(void)fields;
	r->idle += submissions == 0;
	return KT_OK;
}

/* --- what threads do --- */

static int act(struct kt_requests *r, const struct kt_moment *moment)
{
	return kt_completions_act(life_of(r, moment)->completions, moment->tid);
}

static int ioctl_(void *context, const struct kt_moment *moment, const struct kt_call *call)
{
	(void)call;
	return act(context, moment);
}

static int map(void *context, const struct kt_moment *moment,
	       const struct kt_map_fields *fields)
{
	struct kt_requests *r = context;
	int code = act(r, moment);

	if (code || fields->error || !fields->mapping) {
		return code;
	}
	return kt_completions_map(life_of(r, moment)->completions, fields->mapping,
				  fields->address, fields->length);
}

static int unmap(void *context, const struct kt_moment *moment,
		 const struct kt_unmap_fields *fields)
{
	(void)fields;
	return act(context, moment);
}

/* Who waits for an event waits for what was recorded when it was recorded. */
static uint64_t limit_of(const struct kt_request_life *life,
			 const struct kt_activity_call *call)
{
	for (; call; call = call->outer) {
		const struct kt_api_function *f = call->function;
		bool waits = f && (f->kind == KT_API_KIND_SYNCHRONIZE ||
				   f->kind == KT_API_KIND_PROGRESS);

		if (waits && call->n_arguments && strstr(f->name, "Event")) {
			size_t seq = kt_number_map_get(&life->events, call->arguments[0]);

			return seq == KT_NOWHERE ? UINT64_MAX : seq;
		}
	}
	return UINT64_MAX;
}

static void follow_run(struct kt_requests *r, struct kt_request_life *life,
		       const struct kt_moment *moment, uint32_t mapping)
{
	uint32_t transition = transition_of(r, moment);

	/* Where an access gave no letter, it goes on with the one that its run gave. */
	if (transition != KT_UNPLACED || mapping != life->run_mapping) {
		life->run_transition = transition;
	}
	life->run_mapping = mapping;
}

static int access_(void *context, const struct kt_moment *moment,
		   const struct kt_access_fields *fields)
{
	struct kt_requests *r = context;
	struct kt_request_life *life = life_of(r, moment);
	struct kt_watched_read read = {
		.mapping = fields->mapping,
		.offset = fields->offset,
		.size = fields->size,
		.look = {.seq = moment->seq, .time = moment->time, .tid = moment->tid},
	};
	size_t call;
	int code;

	follow_run(r, life, moment, fields->mapping);
	if (fields->write) {
		return act(r, moment);
	}
	if (life->requests == 0) {
		return KT_OK;
	}
	read.limit = limit_of(life, moment->call);
	read.look.transition = life->run_transition;
	if (moment->call) {
		code = kt_request_calls_keep(&r->calls, &call, moment->call);
		if (code) {
			return code;
		}
		read.look.call = call + 1;
	}
	return kt_completions_read(life->completions, &read);
}

static int wait_(void *context, const struct kt_moment *moment,
		 const struct kt_wait_fields *fields)
{
	return kt_completions_sleep(life_of(context, moment)->completions, moment->tid,
				    fields->duration);
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

static int thread_of(struct kt_request_life *life, uint32_t tid, struct open_calls **out)
{
	size_t at = kt_number_map_get(&life->tids, tid);
	int code = KT_OK;

	if (at == KT_NOWHERE) {
		at = life->n_threads;
		code = kt_array_reserve(&life->threads, &life->threads_capacity, at + 1);
		code = code ? code : kt_number_map_set(&life->tids, tid, at);
		if (code) {
			return code;
		}
		life->threads[life->n_threads++] = (struct open_calls){.done = false};
	}
	*out = &life->threads[at];
	return code;
}

static int call_enter(void *context, const struct kt_moment *moment,
		      const struct kt_activity_call *call)
{
	struct kt_requests *r = context;
	struct kt_request_life *life = life_of(r, moment);
	struct open_calls *thread;
	size_t at;
	int code = thread_of(life, moment->tid, &thread);

	if (!code && !call->outer) {
		thread->done = false;
		code = kt_completions_enter(life->completions, moment->tid,
					    waits_for_all(call));
	}
	if (!code && call->function && kt_api_kind_is_work(call->function->kind)) {
		code = kt_request_calls_keep(&r->calls, &at, call);
		if (!code) {
			r->calls.calls[at].captured = life->captures > 0;
		}
	}
	return code;
}

/* Streams that are being captured, events that were recorded. */
static int note_call(struct kt_request_life *life, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	const struct kt_api_function *f = call->function;

	if (!f || !call->returned || (call->known && call->result != 0)) {
		return KT_OK;
	}
	/* A call of the runtime makes one of the driver, which counts. */
	if (strcmp(f->name, "cuStreamBeginCapture") == 0) {
		life->captures++;
	} else if (strcmp(f->name, "cuStreamEndCapture") == 0 && life->captures) {
		life->captures--;
	} else if (f->kind == KT_API_KIND_EVENT_RECORD && call->n_arguments &&
		   moment->seq < KT_NOWHERE) {
		return kt_number_map_set(&life->events, call->arguments[0],
					 (size_t)moment->seq);
	}
	return KT_OK;
}

static int call_exit(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	struct kt_requests *r = context;
	struct kt_request_life *life = life_of(r, moment);
	struct open_calls *thread;
	size_t looked;
	int code = thread_of(life, call->tid, &thread);

	code = code ? code : note_call(life, moment, call);
	if (code) {
		return code;
	}
	kt_request_calls_end(&r->calls, call);
	thread->done = thread->done || says_done(call);
	if (call->outer) {
		return KT_OK;
	}
	code = kt_completions_return(life->completions, call->tid,
				     kt_request_calls_find(&r->calls, call->id) + 1,
				     call->end, thread->done, &looked);
	if (!code && waits_for_all(call) && says_done(call)) {
		r->waits.calls++;
		r->waits.blind += looked == 0;
	}
	return code;
}

/* --- a trace --- */

static int begin(void *context, const char *path)
{
	struct kt_requests *r = context;

	(void)path;
	kt_request_calls_trace(&r->calls, r->n_traces++);
	r->n_reading = 0;
	return KT_OK;
}

static void settle_life(struct kt_requests *r, const struct kt_request_life *life)
{
	uint64_t unmatched;

	kt_completions_settle(life->completions);
	r->waits.sleeps += kt_completions_sleeps(life->completions, &unmatched);
	r->waits.unmatched += unmatched;
}

static const char *sign_call(const struct kt_requests *r, const struct kt_request *request)
{
	const struct kt_look *look;
	const struct kt_request_call *call =
		kt_request_sign(request, &look) ? kt_requests_call(r, look->call) : NULL;

	return call ? call->name : "";
}

static int end(void *context)
{
	struct kt_requests *r = context;

	for (size_t i = 0; i < r->n_reading; i++) {
		if (r->reading[i]) {
			settle_life(r, r->reading[i]);
		}
	}
	for (size_t i = r->n; i > 0 && r->requests[i - 1].trace == r->n_traces - 1; i--) {
		struct kt_request *request = &r->requests[i - 1];
		const struct kt_request_life *life = r->reading[request->life];

		request->completion = *kt_completions_at(life->completions, request->index);
		request->sign_call = sign_call(r, request);
		request->lossy = life->gaps && life->last_gap > request->seq;
	}
	for (size_t i = 0; i < r->n_reading; i++) {
		free_life(r->reading[i]);
	}
	r->n_reading = 0;
	return KT_OK;
}

const struct kt_activity_visitor kt_requests_visitor = {
	.begin = begin,
	.end = end,
	.process_begin = process_begin,
	.gap = gap,
	.call_enter = call_enter,
	.call_exit = call_exit,
	.ioctl = ioctl_,
	.map = map,
	.unmap = unmap,
	.access = access_,
	.wait = wait_,
	.doorbell = doorbell,
	.method = method,
	.submission = submission,
	.doorbell_end = doorbell_end,
};

void kt_requests_init(struct kt_requests *requests)
{
	*requests = (struct kt_requests){.n = 0};
	requests->calls.pool = &requests->pool;
}

const struct kt_request_call *kt_requests_call(const struct kt_requests *requests,
					       uint64_t index)
{
	return index ? &requests->calls.calls[index - 1] : NULL;
}

void kt_requests_free(struct kt_requests *r)
{
	for (size_t i = 0; i < r->n_reading; i++) {
		free_life(r->reading[i]);
	}
	free(r->reading);
	free(r->requests);
	kt_request_calls_free(&r->calls);
	kt_texts_free(&r->pool);
	memset(r, 0, sizeof(*r));
}
