/* SPDX-License-Identifier: MIT */
#include "annotate/requests/requests.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/request-life.h"
#include "base/array.h"
#include "base/try.h"

/* --- lives --- */

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

static int process_begin(void *context, const struct kt_moment *moment,
			 const struct kt_process_begin_fields *fields)
{
	struct kt_requests *r = context;
	struct kt_request_life *life;
	int code;

	KT_TRY(kt_array_reserve(&r->reading, &r->reading_capacity,
				(size_t)moment->life + 1));
	while (r->n_reading <= moment->life) {
		r->reading[r->n_reading++] = NULL;
	}
	if (kt_request_life_of(r, moment)) {
		return KT_OK;
	}
	life = calloc(1, sizeof(*life));
	if (!life) {
		return kt_no_memory("read requests");
	}
	life->run_transition = KT_UNPLACED;
	life->unwatched = fields && strcmp(fields->access, "off") == 0;
	code = kt_completions_new(&life->completions,
				  fields && strcmp(fields->access, "exact") == 0);
	if (code) {
		free(life);
		return code;
	}
	r->reading[moment->life] = life;
	return KT_OK;
}

static int gap(void *context, const struct kt_moment *moment, uint64_t n)
{
	struct kt_request_life *life = kt_request_life_of(context, moment);

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
	struct kt_request_life *life = kt_request_life_of(context, moment);
	const struct kt_command *command = &decoded->command;

	(void)submission;
	(void)entry;
	kt_macro_copies_add(&life->macros, decoded);
	if (command->kind != KT_COMMAND_ACQUIRE) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&life->acquires, &life->acquires_capacity,
				life->n_acquires + 1));
	life->acquires[life->n_acquires++] =
		(struct kt_semaphore_value){command->address, command->payload};
	return KT_OK;
}

uint32_t kt_request_transition(const struct kt_requests *r, const struct kt_moment *moment)
{
	const kt_placement *placement = r->placement ? *r->placement : NULL;
	const struct kt_placed *placed = NULL;
	size_t n = 0;

	if (placement) {
		placed = kt_placement_find(placement, moment->life, moment->seq, &n);
	}
	return n ? placed->transition : KT_UNPLACED;
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
		.index = kt_request_life_of(r, moment)->requests,
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
		.macro_bytes = kt_request_life_of(r, moment)->macros.bytes,
		.direct_bytes = work->direct_bytes,
		.launches = work->launches,
		.entries = submission->entries,
		.words = submission->words,
		.releases = work->all_releases,
		.transition =
			submission->rung ? kt_request_transition(r, moment) : KT_UNPLACED,
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
	struct kt_request_life *life = kt_request_life_of(r, moment);
	struct kt_request request = describe(r, moment, submitted, work);
	struct kt_semaphore_value releases[KT_WORK_RELEASES];
	const struct kt_submitted_request watched = {
		.seq = request.seq,
		.channel = (uint64_t)request.client << 32 | request.channel,
		.releases = releases,
		.n_releases = work->n_releases,
		.acquires = life->acquires,
		.n_acquires = life->n_acquires,
	};
	char buffer[KT_SUBMITTED_NAME];

	request.what = kt_texts_keep(&r->pool, kt_work_name(work, buffer));
	request.process = kt_texts_keep(&r->pool, moment->process);
	if (!request.what || !request.process) {
		return KT_E_MEMORY;
	}
	KT_TRY(kt_array_reserve(&r->requests, &r->capacity, r->n + 1));
	if (moment->call) {
		size_t call;

		KT_TRY(kt_request_calls_keep(&r->calls, &call, moment->call));
		request.call = call + 1;
		request.call_name = r->calls.calls[call].name;
		kt_request_calls_submit(&r->calls, call, r->n, work, request.macro_bytes);
	}
	r->requests[r->n++] = request;
	r->lives += life->requests == 0;
	r->lives_unwatched += life->requests++ == 0 && life->unwatched;
	for (size_t i = 0; i < work->n_releases; i++) {
		releases[i] = (struct kt_semaphore_value){work->releases[i].address,
							  work->releases[i].payload};
	}
	life->n_acquires = 0;
	life->macros = (struct kt_macro_copies){.bytes = 0};
	return kt_completions_submit(life->completions, &watched);
}

static int doorbell(void *context, const struct kt_moment *moment,
		    const struct kt_doorbell_fields *fields)
{
	struct kt_requests *r = context;

	(void)fields;
	r->doorbells++;
	return kt_completions_act(kt_request_life_of(r, moment)->completions, moment->tid);
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

/* --- a trace --- */

static int begin(void *context, const char *path)
{
	struct kt_requests *r = context;

	(void)path;
	kt_request_calls_trace(&r->calls, r->n_traces++);
	r->n_reading = 0;
	return KT_OK;
}

static int end(void *context)
{
	struct kt_requests *r = context;

	for (size_t i = 0; i < r->n_reading; i++) {
		uint64_t unmatched;

		if (r->reading[i]) {
			kt_completions *completions = r->reading[i]->completions;

			kt_completions_settle(completions);
			r->waits.sleeps += kt_completions_sleeps(completions, &unmatched);
			r->waits.unmatched += unmatched;
		}
	}
	for (size_t i = r->n; i > 0 && r->requests[i - 1].trace == r->n_traces - 1; i--) {
		struct kt_request *request = &r->requests[i - 1];
		const struct kt_request_life *life = r->reading[request->life];
		const struct kt_look *look;
		const struct kt_request_call *call = NULL;

		request->completion = *kt_completions_at(life->completions, request->index);
		if (kt_request_sign(request, &look)) {
			call = kt_requests_call(r, look->call);
		}
		request->sign_call = call ? call->name : "";
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
	.call_enter = kt_request_call_enter,
	.call_exit = kt_request_call_exit,
	.ioctl = kt_request_ioctl,
	.map = kt_request_map,
	.unmap = kt_request_unmap,
	.access = kt_request_access,
	.wait = kt_request_wait,
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
