/* SPDX-License-Identifier: MIT */
#include "annotate/requests/requests.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/macro-copies.h"
#include "base/array.h"
#include "base/try.h"

/* --- process instances --- */

/* Process instance, while its trace is read. */
struct kt_request_instance {
	kt_completions *completions; /* Owned by this */
	struct kt_number_map events; /* CUevent -> seq of the last time it was recorded */
	/* Owned by this: semaphore acquires of the submission that is being read. */
	struct kt_semaphore_value *acquires;
	size_t n_acquires;
	size_t acquires_capacity;
	struct kt_macro_copies macros; /* macro copies of that submission */
	uint64_t captures;             /* number of streams that are being captured */
	uint32_t run_mapping;          /* mapping of the last access */
	uint32_t run_transition;       /* transition of the run of the last access */
	bool unwatched;                /* accesses were not recorded */
	uint64_t requests;             /* number of requests so far */
	uint64_t last_gap;             /* seq of the first event after the last gap */
	bool gaps;                     /* there was a gap */
};

/* Returns the process instance of a moment, which process_begin() has created. */
static struct kt_request_instance *instance_of(const struct kt_requests *requests,
					       const struct kt_moment *moment)
{
	return requests->reading[moment->instance];
}

static void free_instance(struct kt_request_instance *instance)
{
	if (instance) {
		kt_completions_free(instance->completions);
		kt_number_map_free(&instance->events);
		free(instance->acquires);
		free(instance);
	}
}

static int process_begin(void *context, const struct kt_moment *moment,
			 const struct kt_process_begin_fields *fields)
{
	struct kt_requests *r = context;
	struct kt_request_instance *instance;
	int code;

	KT_TRY(kt_array_reserve(&r->reading, &r->reading_capacity,
				(size_t)moment->instance + 1));
	while (r->n_reading <= moment->instance) {
		r->reading[r->n_reading++] = NULL;
	}
	if (instance_of(r, moment)) {
		return KT_OK;
	}
	instance = calloc(1, sizeof(*instance));
	if (!instance) {
		return kt_no_memory("read requests");
	}
	instance->run_transition = KT_UNPLACED;
	instance->unwatched = fields && strcmp(fields->access, "off") == 0;
	code = kt_completions_new(&instance->completions,
				  fields && strcmp(fields->access, "exact") == 0);
	if (code) {
		free(instance);
		return code;
	}
	r->reading[moment->instance] = instance;
	return KT_OK;
}

static int gap(void *context, const struct kt_moment *moment, uint64_t n)
{
	struct kt_request_instance *instance = instance_of(context, moment);

	(void)n;
	kt_completions_gap(instance->completions);
	instance->gaps = true;
	instance->last_gap = moment->seq;
	return KT_OK;
}

/* --- submissions --- */

static int method(void *context, const struct kt_moment *moment,
		  const struct kt_submission *submission,
		  const struct kt_submitted_entry *entry, const struct kt_decoded *decoded)
{
	struct kt_requests *r = context;
	struct kt_request_instance *instance = instance_of(context, moment);
	const struct kt_command *command = &decoded->command;

	(void)entry;
	KT_TRY(kt_kernel_finder_command(r->kernels, moment, submission, command));
	KT_TRY(kt_device_times_method(&((struct kt_requests *)context)->times, submission,
				      command));
	kt_macro_copies_add(&instance->macros, decoded);
	if (command->kind != KT_COMMAND_ACQUIRE) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&instance->acquires, &instance->acquires_capacity,
				instance->n_acquires + 1));
	instance->acquires[instance->n_acquires++] =
		(struct kt_semaphore_value){command->address, command->payload};
	return KT_OK;
}

/* Returns the transition of the event's first letter; KT_UNPLACED if there is none. */
static uint32_t transition_at(const struct kt_requests *r, const struct kt_moment *moment)
{
	const kt_placement *placement = r->input ? r->input->placement : NULL;
	const struct kt_placed *placed = NULL;
	size_t n = 0;

	if (placement) {
		placed = kt_placement_find(placement, moment->instance, moment->seq, &n);
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
		.instance = moment->instance,
		.index = instance_of(r, moment)->requests,
		.seq = submission->seq,
		.time = submission->time,
		.pid = moment->pid,
		.tid = submission->tid,
		.client = submission->client,
		.channel = submission->channel,
		.class_number = submission->class_number,
		.call_name = "",
		.sign_call = "",
		.doorbell_written = submission->doorbell_written,
		.found = work->found,
		.token_known = submission->value_known,
		.token = submission->value,
		.inline_bytes = work->inline_bytes,
		.macro_bytes = instance_of(r, moment)->macros.bytes,
		.direct_bytes = work->direct_bytes,
		.launches = work->launches,
		.empty_grids = work->empty_grids,
		.entries = submission->entries,
		.words = submission->words,
		.releases = work->all_releases,
		.transition = submission->doorbell_written ? transition_at(r, moment)
							   : KT_UNPLACED,
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
	struct kt_request_instance *instance = instance_of(r, moment);
	struct kt_request request = describe(r, moment, submitted, work);
	struct kt_semaphore_value releases[KT_WORK_RELEASES];
	const struct kt_submitted_request watched = {
		.seq = request.seq,
		.channel = (uint64_t)request.client << 32 | request.channel,
		.releases = releases,
		.n_releases = work->n_releases,
		.acquires = instance->acquires,
		.n_acquires = instance->n_acquires,
	};
	char buffer[KT_SUBMITTED_NAME];
	char list[KT_WORK_LIST];

	request.kernel = "";
	request.what = kt_texts_keep(&r->pool, kt_work_name(work, buffer));
	request.process = kt_texts_keep(&r->pool, moment->process);
	request.commands = kt_texts_keep(&r->pool, kt_work_list(work, list));
	if (!request.what || !request.process || !request.commands) {
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
	r->instances += instance->requests == 0;
	r->unwatched_instances += instance->requests++ == 0 && instance->unwatched;
	for (size_t i = 0; i < work->n_releases; i++) {
		releases[i] = (struct kt_semaphore_value){work->releases[i].address,
							  work->releases[i].payload};
	}
	instance->n_acquires = 0;
	instance->macros = (struct kt_macro_copies){.bytes = 0};
	return kt_completions_submit(instance->completions, &watched);
}

/* --- events of threads --- */

static int act(struct kt_requests *r, const struct kt_moment *moment)
{
	return kt_completions_act(instance_of(r, moment)->completions, moment->tid);
}

static int on_kernel(void *context, const struct kt_moment *moment,
		     const struct kt_kernel_fields *fields)
{
	return kt_kernel_finder_kernel(((struct kt_requests *)context)->kernels, moment,
				       fields);
}

static int on_ioctl(void *context, const struct kt_moment *moment,
		    const struct kt_call *call)
{
	(void)call;
	return act(context, moment);
}

static int on_map(void *context, const struct kt_moment *moment,
		  const struct kt_map_fields *fields)
{
	struct kt_requests *r = context;

	KT_TRY(act(r, moment));
	KT_TRY(kt_device_times_map(&r->times, moment->instance, fields));
	if (fields->error || !fields->mapping) {
		return KT_OK;
	}
	return kt_completions_map(instance_of(r, moment)->completions, fields->mapping,
				  fields->address, fields->length);
}

static int on_unmap(void *context, const struct kt_moment *moment,
		    const struct kt_unmap_fields *fields)
{
	(void)fields;
	return act(context, moment);
}

static int on_access(void *context, const struct kt_moment *moment,
		     const struct kt_access_fields *fields)
{
	struct kt_requests *r = context;
	struct kt_request_instance *instance = instance_of(r, moment);
	struct kt_watched_read read = {
		.mapping = fields->mapping,
		.offset = fields->offset,
		.size = fields->size,
		.limit = UINT64_MAX,
		.poll = {.seq = moment->seq, .time = moment->time, .tid = moment->tid},
	};
	uint32_t transition = transition_at(r, moment);
	size_t call;

	/*
	 * An access without a letter belongs to the run of the previous access, if both
	 * access the same mapping.
	 */
	if (transition != KT_UNPLACED || fields->mapping != instance->run_mapping) {
		instance->run_transition = transition;
	}
	instance->run_mapping = fields->mapping;
	if (fields->write) {
		return act(r, moment);
	}
	if (instance->requests == 0) {
		return KT_OK;
	}
	/*
	 * A wait for a CUevent covers only what was submitted before the CUevent was
	 * recorded.
	 */
	for (const struct kt_activity_call *c = moment->call; c; c = c->outer) {
		const struct kt_api_function *f = c->function;
		bool waits = f && (f->kind == KT_API_KIND_SYNCHRONIZE ||
				   f->kind == KT_API_KIND_PROGRESS);

		if (waits && c->n_arguments && strstr(f->name, "Event")) {
			size_t seq = kt_number_map_get(&instance->events, c->arguments[0]);

			read.limit = seq == KT_NOWHERE ? UINT64_MAX : seq;
			break;
		}
	}
	read.poll.transition = instance->run_transition;
	if (moment->call) {
		KT_TRY(kt_request_calls_keep(&r->calls, &call, moment->call));
		read.poll.call = call + 1;
	}
	return kt_completions_read(instance->completions, &read);
}

static int on_report(void *context, const struct kt_moment *moment,
		     const struct kt_report_fields *fields)
{
	struct kt_requests *r = context;

	return kt_device_times_report(&r->times, moment->instance, moment->time, fields);
}

static int on_wait(void *context, const struct kt_moment *moment,
		   const struct kt_wait_fields *fields)
{
	return kt_completions_sleep(instance_of(context, moment)->completions, moment->tid,
				    fields->duration);
}

/* --- calls --- */

static bool waits_for_all(const struct kt_activity_call *call)
{
	return call->function && call->function->kind == KT_API_KIND_SYNCHRONIZE;
}

/*
 * Returns whether a copy is complete when its call returns. For calls of OpenCL, an
 * argument says so; for calls of OpenGL, this depends on state that is not recorded.
 */
static bool waits_for_copy(const struct kt_activity_call *call)
{
	const char *name = call->function->name;
	size_t blocking = strncmp(name, "clEnqueueSVM", 12) == 0 ? 1 : 2;

	if (strncmp(name, "cu", 2) == 0) {
		return true;
	}
	return strncmp(name, "clEnqueue", 9) == 0 && call->n_arguments > blocking &&
	       (uint32_t)call->arguments[blocking] != 0;
}

/*
 * Returns whether the return of the call reports completion of the requests that the call
 * polled.
 */
static bool says_done(const struct kt_activity_call *call)
{
	if (!call->function || !kt_activity_done(call)) {
		return false;
	}
	switch (call->function->kind) {
	case KT_API_KIND_SYNCHRONIZE: return true;
	case KT_API_KIND_COPY:
	case KT_API_KIND_COPY_TO_DEVICE:
	case KT_API_KIND_COPY_FROM_DEVICE: return waits_for_copy(call);
	case KT_API_KIND_PROGRESS: return call->known;
	default: return false;
	}
}

static int on_call_enter(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call)
{
	struct kt_requests *r = context;
	struct kt_request_instance *instance = instance_of(r, moment);
	size_t at;

	if (!call->outer) {
		KT_TRY(kt_completions_enter(instance->completions, moment->tid,
					    waits_for_all(call)));
	}
	if (call->function && kt_api_kind_is_work(call->function->kind)) {
		KT_TRY(kt_request_calls_keep(&r->calls, &at, call));
		r->calls.calls[at].captured = instance->captures > 0;
	}
	return KT_OK;
}

static int on_call_exit(void *context, const struct kt_moment *moment,
			const struct kt_activity_call *call)
{
	struct kt_requests *r = context;
	struct kt_request_instance *instance = instance_of(r, moment);
	const struct kt_api_function *f = call->function;
	size_t looked;

	/* Count the streams that are being captured, and note when a CUevent was recorded.
	 */
	if (f && kt_activity_done(call)) {
		/*
		 * Count captures only by calls of the driver API. The functions of the
		 * runtime call the driver API, so their captures would otherwise count
		 * twice.
		 */
		if (strcmp(f->name, "cuStreamBeginCapture") == 0) {
			instance->captures++;
		} else if (strcmp(f->name, "cuStreamEndCapture") == 0 &&
			   instance->captures) {
			instance->captures--;
		} else if (f->kind == KT_API_KIND_EVENT_RECORD && call->n_arguments &&
			   moment->seq < KT_NOWHERE) {
			KT_TRY(kt_number_map_set(&instance->events, call->arguments[0],
						 (size_t)moment->seq));
		}
	}
	kt_request_calls_end(&r->calls, call, moment->given_up);
	if (says_done(call)) {
		KT_TRY(kt_completions_done(instance->completions, call->tid));
	}
	if (call->outer) {
		return KT_OK;
	}
	KT_TRY(kt_completions_return(instance->completions, call->tid,
				     kt_request_calls_find(&r->calls, call->id) + 1,
				     call->end, &looked));
	if (waits_for_all(call) && says_done(call)) {
		r->waits.calls++;
		r->waits.blind += looked == 0;
	}
	return KT_OK;
}

static int doorbell(void *context, const struct kt_moment *moment,
		    const struct kt_doorbell_fields *fields)
{
	struct kt_requests *r = context;

	(void)fields;
	r->doorbells++;
	return kt_completions_act(instance_of(r, moment)->completions, moment->tid);
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
	return kt_kernel_finder_new(&r->kernels);
}

static int name_kernel(struct kt_requests *r, struct kt_request *request, const char *name)
{
	if (request->kernel[0]) {
		request->kernels_differ =
			request->kernels_differ || strcmp(request->kernel, name) != 0;
		return KT_OK;
	}
	return kt_texts_printable(&r->pool, name, &request->kernel);
}

/* Gives the trace's requests the names of their kernels. */
static int name_kernels(struct kt_requests *r)
{
	struct kt_kernels kernels = {.n = 0};
	size_t first = r->n;
	size_t at = 0;
	int code;

	while (first > 0 && r->requests[first - 1].trace == r->n_traces - 1) {
		first--;
	}
	KT_TRY_END(kt_kernel_finder_join(r->kernels, &kernels));
	for (size_t i = 0; i < kernels.n; i++) {
		const struct kt_kernel_note *note = &kernels.notes[i];
		const size_t n = r->n - first;
		size_t tried = 0;

		/*
		 * Requests and notes are in nearly the same order, so search from the last
		 * match on.
		 */
		while (tried < n && r->requests[first + at].number != note->submission) {
			at = at + 1 < n ? at + 1 : 0;
			tried++;
		}
		if (tried < n && note->name) {
			KT_TRY_END(name_kernel(r, &r->requests[first + at], note->name));
		}
	}
end:
	kt_kernels_free(&kernels);
	kt_kernel_finder_free(r->kernels);
	r->kernels = NULL;
	return code;
}

static int end(void *context)
{
	struct kt_requests *r = context;
	int code = kt_device_times_settle(&r->times);

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
		const struct kt_request_instance *instance = r->reading[request->instance];
		const struct kt_poll *poll;
		const struct kt_request_call *call = NULL;

		request->completion =
			*kt_completions_at(instance->completions, request->index);
		if (kt_request_sign(request, &poll)) {
			call = kt_requests_call(r, poll->call);
		}
		request->device = kt_device_times_at(&r->times, request->number);
		request->sign_call = call ? call->name : "";
		request->lossy = instance->gaps && instance->last_gap > request->seq;
	}
	for (size_t i = 0; i < r->n_reading; i++) {
		free_instance(r->reading[i]);
	}
	r->n_reading = 0;
	kt_device_times_free(&r->times);
	KT_TRY(code);
	return r->kernels ? name_kernels(r) : KT_OK;
}

const struct kt_activity_visitor kt_requests_visitor = {
	.begin = begin,
	.end = end,
	.process_begin = process_begin,
	.gap = gap,
	.kernel = on_kernel,
	.call_enter = on_call_enter,
	.call_exit = on_call_exit,
	.ioctl = on_ioctl,
	.map = on_map,
	.unmap = on_unmap,
	.access = on_access,
	.report = on_report,
	.wait = on_wait,
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
		free_instance(r->reading[i]);
	}
	free(r->reading);
	kt_kernel_finder_free(r->kernels);
	kt_device_times_free(&r->times);
	free(r->requests);
	kt_request_calls_free(&r->calls);
	kt_texts_free(&r->pool);
	memset(r, 0, sizeof(*r));
}
