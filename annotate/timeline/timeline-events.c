/* SPDX-License-Identifier: MIT */
#include "annotate/timeline/timeline-events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/names.h"
#include "base/array.h"
#include "base/try.h"

/* --- threads, channels, rows --- */

static uint32_t hash_thread(uint64_t instance, uint32_t tid)
{
	return kt_hash_number(instance << 32 ^ tid);
}

uint32_t kt_timeline_events_thread(const struct kt_timeline_events *e, uint64_t instance,
				   uint32_t tid)
{
	struct kt_hash_probe probe =
		kt_hash_probe(&e->by_thread, hash_thread(instance, tid));
	uint32_t at;

	while (kt_hash_next(&e->by_thread, &probe, &at)) {
		if (e->threads[at].instance == instance && e->threads[at].tid == tid) {
			return at;
		}
	}
	return KT_TIMELINE_NONE;
}

static int find_thread(struct kt_timeline_events *e, const struct kt_moment *moment,
		       uint32_t *out)
{
	struct kt_timeline_thread *thread;

	*out = kt_timeline_events_thread(e, moment->instance, moment->tid);
	if (*out != KT_TIMELINE_NONE) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&e->threads, &e->threads_capacity, e->n_threads + 1));
	thread = &e->threads[e->n_threads];
	*thread = (struct kt_timeline_thread){.trace = e->trace,
					      .instance = moment->instance,
					      .pid = moment->pid,
					      .tid = moment->tid};
	KT_TRY(kt_texts_add(&e->names, moment->process ? moment->process : "",
			    &thread->process));
	KT_TRY(kt_hash_add(&e->by_thread, hash_thread(moment->instance, moment->tid),
			   e->n_threads));
	*out = (uint32_t)e->n_threads++;
	return KT_OK;
}

int kt_timeline_events_channel(struct kt_timeline_events *e, uint32_t *out,
			       uint64_t instance, uint32_t client, uint32_t channel,
			       uint32_t class_number)
{
	const uint32_t hash = kt_hash_number(((uint64_t)client << 32 ^ channel) + instance);
	struct kt_hash_probe probe = kt_hash_probe(&e->by_channel, hash);
	struct kt_timeline_channel *c;
	char buffer[16];

	while (kt_hash_next(&e->by_channel, &probe, out)) {
		c = &e->channels[*out];
		if (c->instance == instance && c->client == client &&
		    c->channel == channel) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&e->channels, &e->channels_capacity, e->n_channels + 1));
	c = &e->channels[e->n_channels];
	*c = (struct kt_timeline_channel){.trace = e->trace,
					  .instance = instance,
					  .client = client,
					  .channel = channel};
	KT_TRY(kt_texts_add(&e->names, kt_class_label(class_number, buffer),
			    &c->class_name));
	KT_TRY(kt_hash_add(&e->by_channel, hash, e->n_channels));
	*out = (uint32_t)e->n_channels++;
	return KT_OK;
}

static int instance_of(struct kt_timeline_events *e, uint64_t number,
		       struct kt_timeline_instance **out)
{
	const size_t need = (size_t)number + 1;

	KT_TRY(kt_array_reserve(&e->instances, &e->instances_capacity, need));
	while (e->n_instances < need) {
		e->instances[e->n_instances++] = (struct kt_timeline_instance){.n = 0};
	}
	*out = &e->instances[number];
	return KT_OK;
}

/* What add() adds, besides the moment. `detail` may be NULL. */
struct added {
	enum kt_timeline_kind kind;
	const char *name;
	const char *detail;
	uint64_t duration; /* of an event that is recorded when it ends; else 0 */
};

/*
 * Adds a row for an event at `moment`. *out is valid until the next row is added. `out` may
 * be NULL; *out is NULL if the trace already has the maximum number of rows.
 */
static int add(struct kt_timeline_events *e, const struct kt_moment *moment,
	       const struct added *what, struct kt_timeline_event **out)
{
	struct kt_timeline_instance *instance;
	struct kt_timeline_event *event;

	KT_TRY(instance_of(e, moment->instance, &instance));
	if (out) {
		*out = NULL;
	}
	if (e->n >= e->most) {
		e->left_out++;
		instance->cut_from = instance->cut ? instance->cut_from : moment->seq;
		instance->cut = true;
		return KT_OK;
	}
	if (e->n >= KT_TIMELINE_NONE) {
		return kt_error(KT_E_MEMORY, "collect events: too many");
	}
	KT_TRY(kt_array_reserve(&e->events, &e->capacity, e->n + 1));
	KT_TRY(kt_array_reserve(&instance->seqs, &instance->capacity, instance->n + 1));
	event = &e->events[e->n];
	*event = (struct kt_timeline_event){
		.time = e->shift + kt_timeline_limited(moment->time),
		.duration = (uint64_t)kt_timeline_limited(what->duration),
		.kind = what->kind,
		.call = KT_TIMELINE_NONE,
		.detail = KT_TIMELINE_NONE,
		.channel = KT_TIMELINE_NONE,
		.label = KT_TIMELINE_NONE,
	};
	event->time -= (int64_t)event->duration;
	KT_TRY(find_thread(e, moment, &event->thread));
	KT_TRY(kt_texts_add(&e->names, what->name, &event->name));
	if (what->detail && *what->detail) {
		KT_TRY(kt_texts_add(&e->names, what->detail, &event->detail));
	}
	if (moment->call) {
		event->call = kt_timeline_events_call(e, moment->call->id);
	}
	/*
	 * A damaged trace can repeat a sequence number, which then belongs to the first row
	 * with it.
	 */
	if (instance->n == 0 || instance->seqs[instance->n - 1].seq < moment->seq) {
		instance->seqs[instance->n++] =
			(struct kt_timeline_seq){moment->seq, (uint32_t)e->n};
	}
	e->n++;
	if (out) {
		*out = event;
	}
	return KT_OK;
}

bool kt_timeline_events_cut(const struct kt_timeline_events *e, uint64_t instance,
			    uint64_t seq)
{
	return instance < e->n_instances && e->instances[instance].cut &&
	       seq >= e->instances[instance].cut_from;
}

/* Returns the last row whose number is at most `seq`; NULL if there is none. */
static const struct kt_timeline_seq *last_row(const struct kt_timeline_events *e,
					      uint64_t instance, uint64_t seq)
{
	const struct kt_timeline_instance *of =
		instance < e->n_instances ? &e->instances[instance] : NULL;
	size_t low = 0;
	size_t high = of ? of->n : 0;

	if (kt_timeline_events_cut(e, instance, seq)) {
		return NULL;
	}
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (of->seqs[middle].seq <= seq) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low > 0 ? &of->seqs[low - 1] : NULL;
}

uint32_t kt_timeline_events_find(const struct kt_timeline_events *e, uint64_t instance,
				 uint64_t seq)
{
	const struct kt_timeline_seq *row = last_row(e, instance, seq);

	return row ? row->event : KT_TIMELINE_NONE;
}

uint32_t kt_timeline_events_doorbell(const struct kt_timeline_events *e, uint64_t instance,
				     uint64_t seq)
{
	const struct kt_timeline_seq *row = last_row(e, instance, seq);

	return row && row->seq == seq && e->events[row->event].kind == KT_TIMELINE_DOORBELL
		       ? row->event
		       : KT_TIMELINE_NONE;
}

uint32_t kt_timeline_events_call(const struct kt_timeline_events *e, uint64_t id)
{
	const size_t at = kt_number_map_get(&e->calls, id);

	return at == KT_NOWHERE ? KT_TIMELINE_NONE : (uint32_t)at;
}

/* --- events --- */

static int on_process_begin(void *context, const struct kt_moment *moment,
			    const struct kt_process_begin_fields *fields)
{
	const struct added what = {KT_TIMELINE_OTHER, .name = "process begins"};

	/*
	 * Without a process_begin, the instance begins with another event, which has its
	 * own row.
	 */
	return fields ? add(context, moment, &what, NULL) : KT_OK;
}

static int on_process_end(void *context, const struct kt_moment *moment,
			  const struct kt_process_end_fields *fields)
{
	struct kt_timeline_events *e = context;
	struct added what = {KT_TIMELINE_OTHER, .name = "process ends"};

	KT_TRY(kt_texts_printable(&e->names, fields->reason, &what.detail));
	return add(e, moment, &what, NULL);
}

static int on_call_enter(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call)
{
	struct kt_timeline_events *e = context;
	const struct added what = {KT_TIMELINE_CALL, .name = call->name};
	struct kt_moment outside = *moment;
	struct kt_timeline_event *event;

	outside.call = call->outer;
	KT_TRY(add(e, &outside, &what, &event));
	return event ? kt_number_map_set(&e->calls, call->id, e->n - 1) : KT_OK;
}

static int on_call_exit(void *context, const struct kt_moment *moment,
			const struct kt_activity_call *call)
{
	struct kt_timeline_events *e = context;
	const uint32_t at = kt_timeline_events_call(e, call->id);
	const uint64_t duration = call->returned            ? call->duration
				  : call->end > call->begin ? call->end - call->begin
							    : 0;
	char text[48] = "";

	(void)moment;
	if (at == KT_TIMELINE_NONE) {
		return KT_OK;
	}
	e->events[at].duration = (uint64_t)kt_timeline_limited(duration);
	if (!call->returned) {
		snprintf(text, sizeof(text), "did not return");
	} else if (call->known && call->result != 0) {
		snprintf(text, sizeof(text), "returned %" PRId32, call->result);
	}
	return text[0] ? kt_texts_add(&e->names, text, &e->events[at].detail) : KT_OK;
}

static int on_ioctl(void *context, const struct kt_moment *moment,
		    const struct kt_call *call)
{
	char request[24];
	char subject[24];
	char text[256];
	const struct added what = {KT_TIMELINE_IOCTL,
				   .name = kt_call_request_label(&call->what, request),
				   .detail = text, .duration = call->duration};

	snprintf(text, sizeof(text), "%s", kt_call_subject_label(&call->what, subject));
	if (kt_call_failed(call)) {
		const size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%sfailed: %s", n ? " " : "",
			 call->error         ? strerror(call->error)
			 : call->status_name ? call->status_name
					     : "status unknown");
	}
	return add(context, moment, &what, NULL);
}

static int on_doorbell(void *context, const struct kt_moment *moment,
		       const struct kt_doorbell_fields *fields)
{
	const struct added what = {KT_TIMELINE_DOORBELL, .name = "doorbell"};

	(void)fields;
	return add(context, moment, &what, NULL);
}

static int on_submission(void *context, const struct kt_moment *moment,
			 const struct kt_submission *submission, const struct kt_work *work)
{
	struct kt_timeline_events *e = context;
	const uint32_t at = kt_timeline_events_doorbell(e, moment->instance, moment->seq);
	char name[KT_SUBMITTED_NAME];
	uint32_t channel;

	KT_TRY(kt_timeline_events_channel(e, &channel, moment->instance, submission->client,
					  submission->channel, submission->class_number));
	if (at == KT_TIMELINE_NONE || e->events[at].channel != KT_TIMELINE_NONE) {
		return KT_OK;
	}
	e->events[at].channel = channel;
	return kt_texts_add(&e->names, kt_work_name(work, name), &e->events[at].detail);
}

static int on_entry(void *context, const struct kt_moment *moment,
		    const struct kt_submission *submission,
		    const struct kt_submitted_entry *entry)
{
	struct kt_timeline_events *e = context;
	struct kt_timeline_dwords *dwords;

	if (!e->with_data || entry->n_dwords == 0) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&e->dwords, &e->dwords_capacity, e->n_dwords + 1));
	dwords = &e->dwords[e->n_dwords];
	*dwords = (struct kt_timeline_dwords){
		.event = kt_timeline_events_doorbell(e, moment->instance, moment->seq),
		.trace = e->trace,
		.submission = submission->number,
		.found = entry->found,
		.order = e->n_dwords,
		.n = entry->n_dwords,
	};
	dwords->dwords = malloc(dwords->n * sizeof(*dwords->dwords));
	if (!dwords->dwords) {
		return kt_no_memory("keep commands");
	}
	memcpy(dwords->dwords, entry->dwords, dwords->n * sizeof(*dwords->dwords));
	e->n_dwords++;
	return KT_OK;
}

static int on_access(void *context, const struct kt_moment *moment,
		     const struct kt_access_fields *fields)
{
	struct kt_timeline_events *e = context;
	char name[64];
	char detail[24];
	struct added what = {KT_TIMELINE_ACCESS, .detail = detail};

	snprintf(name, sizeof(name), "%s:%s", fields->op, fields->space);
	snprintf(detail, sizeof(detail), "mapping %" PRIu32, fields->mapping);
	KT_TRY(kt_texts_printable(&e->names, name, &what.name));
	return add(e, moment, &what, NULL);
}

/* Adds the row of a mapping or unmapping of `length` bytes. */
static int add_map(struct kt_timeline_events *e, const struct kt_moment *moment,
		   const char *verb, const char *space, uint32_t mapping, uint64_t length)
{
	char name[64];
	char detail[64];
	struct added what = {KT_TIMELINE_MAP, .detail = detail};

	snprintf(name, sizeof(name), "%s:%s", verb, space);
	snprintf(detail, sizeof(detail), "mapping %" PRIu32 ", %" PRIu64 " bytes", mapping,
		 length);
	KT_TRY(kt_texts_printable(&e->names, name, &what.name));
	return add(e, moment, &what, NULL);
}

static int on_map(void *context, const struct kt_moment *moment,
		  const struct kt_map_fields *fields)
{
	return add_map(context, moment, "map", fields->space, fields->mapping,
		       fields->length);
}

static int on_unmap(void *context, const struct kt_moment *moment,
		    const struct kt_unmap_fields *fields)
{
	return add_map(context, moment, "unmap", fields->space, fields->mapping,
		       fields->length);
}

static int on_wait(void *context, const struct kt_moment *moment,
		   const struct kt_wait_fields *fields)
{
	struct kt_timeline_events *e = context;
	struct added what = {KT_TIMELINE_WAIT, .duration = fields->duration};

	KT_TRY(kt_texts_printable(&e->names, fields->call, &what.name));
	KT_TRY(kt_texts_printable(&e->names, fields->device, &what.detail));
	return add(e, moment, &what, NULL);
}

static int add_device(struct kt_timeline_events *e, const struct kt_moment *moment,
		      const char *verb, const char *device)
{
	struct added what = {KT_TIMELINE_OTHER, .name = verb};

	KT_TRY(kt_texts_printable(&e->names, device, &what.detail));
	return add(e, moment, &what, NULL);
}

static int on_open(void *context, const struct kt_moment *moment,
		   const struct kt_device_fields *fields)
{
	return add_device(context, moment, "open", fields->device);
}

static int on_close(void *context, const struct kt_moment *moment,
		    const struct kt_device_fields *fields)
{
	return add_device(context, moment, "close", fields->device);
}

const struct kt_activity_visitor kt_timeline_events_visitor = {
	.of_part = true,
	.process_begin = on_process_begin,
	.process_end = on_process_end,
	.call_enter = on_call_enter,
	.call_exit = on_call_exit,
	.ioctl = on_ioctl,
	.device_open = on_open,
	.device_close = on_close,
	.map = on_map,
	.unmap = on_unmap,
	.access = on_access,
	.wait = on_wait,
	.doorbell = on_doorbell,
	.entry = on_entry,
	.submission = on_submission,
};

/* --- traces --- */

static void forget_trace(struct kt_timeline_events *e)
{
	for (size_t i = 0; i < e->n_instances; i++) {
		free(e->instances[i].seqs);
	}
	e->n_instances = 0;
	kt_hash_clear(&e->by_thread);
	kt_hash_clear(&e->by_channel);
	kt_number_map_free(&e->calls);
}

void kt_timeline_events_begin(struct kt_timeline_events *e, size_t trace, int64_t shift,
			      uint64_t most)
{
	forget_trace(e);
	e->most = most < UINT64_MAX - e->n ? e->n + most : UINT64_MAX;
	e->trace = trace;
	e->shift = shift;
}

void kt_timeline_events_free(struct kt_timeline_events *e)
{
	forget_trace(e);
	for (size_t i = 0; i < e->n_dwords; i++) {
		free(e->dwords[i].dwords);
	}
	kt_texts_free(&e->names);
	kt_hash_free(&e->by_thread);
	kt_hash_free(&e->by_channel);
	free(e->instances);
	free(e->events);
	free(e->threads);
	free(e->channels);
	free(e->dwords);
	*e = (struct kt_timeline_events){.n = 0};
}
