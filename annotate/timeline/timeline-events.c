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

static int find_thread(struct kt_timeline_events *e, const struct kt_moment *moment,
		       uint32_t *out)
{
	const uint32_t hash = kt_hash_number(moment->instance << 32 ^ moment->tid);
	struct kt_hash_probe probe = kt_hash_probe(&e->by_thread, hash);
	struct kt_timeline_thread *thread;

	while (kt_hash_next(&e->by_thread, &probe, out)) {
		thread = &e->threads[*out];
		if (thread->instance == moment->instance && thread->tid == moment->tid) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&e->threads, &e->threads_capacity, e->n_threads + 1));
	thread = &e->threads[e->n_threads];
	*thread = (struct kt_timeline_thread){.trace = e->trace,
					      .instance = moment->instance,
					      .pid = moment->pid,
					      .tid = moment->tid};
	KT_TRY(kt_texts_add(&e->names, moment->process ? moment->process : "",
			    &thread->process));
	KT_TRY(kt_hash_add(&e->by_thread, hash, e->n_threads));
	*out = (uint32_t)e->n_threads++;
	return KT_OK;
}

int kt_timeline_events_channel(struct kt_timeline_events *e, uint32_t *out,
			       uint64_t instance, uint32_t client, uint32_t channel,
			       uint32_t class_number)
{
	struct kt_timeline_channel *c;
	char buffer[16];

	for (size_t i = e->n_channels; i > 0 && e->channels[i - 1].trace == e->trace; i--) {
		c = &e->channels[i - 1];
		if (c->instance == instance && c->client == client &&
		    c->channel == channel) {
			*out = (uint32_t)(i - 1);
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
	*out = (uint32_t)e->n_channels++;
	return KT_OK;
}

/* Adds a row for an event at `moment`; *out is valid until the next row is added. */
static int add(struct kt_timeline_events *e, const struct kt_moment *moment,
	       enum kt_timeline_kind kind, const char *name, struct kt_timeline_event **out)
{
	const size_t need = (size_t)moment->instance + 1;
	struct kt_timeline_instance *instance;
	struct kt_timeline_event *event;

	if (e->n >= KT_TIMELINE_NONE) {
		return kt_error(KT_E_MEMORY, "collect events: too many");
	}
	KT_TRY(kt_array_reserve(&e->events, &e->capacity, e->n + 1));
	KT_TRY(kt_array_reserve(&e->instances, &e->instances_capacity, need));
	while (e->n_instances < need) {
		e->instances[e->n_instances++] = (struct kt_timeline_instance){.n = 0};
	}
	instance = &e->instances[moment->instance];
	KT_TRY(kt_array_reserve(&instance->seqs, &instance->capacity, instance->n + 1));
	event = &e->events[e->n];
	*event = (struct kt_timeline_event){
		.time = e->shift + (moment->time <= KT_TIMELINE_LATEST
					    ? (int64_t)moment->time
					    : KT_TIMELINE_LATEST),
		.kind = kind,
		.call = KT_TIMELINE_NONE,
		.detail = KT_TIMELINE_NONE,
		.channel = KT_TIMELINE_NONE,
		.label = KT_TIMELINE_NONE,
	};
	KT_TRY(find_thread(e, moment, &event->thread));
	KT_TRY(kt_texts_add(&e->names, name, &event->name));
	if (moment->call) {
		event->call = kt_timeline_events_call(e, moment->call->id);
	}
	/* A damaged trace can repeat a number; then the first row keeps it. */
	if (instance->n == 0 || instance->seqs[instance->n - 1].seq < moment->seq) {
		instance->seqs[instance->n++] =
			(struct kt_timeline_seq){moment->seq, (uint32_t)e->n};
	}
	e->n++;
	*out = event;
	return KT_OK;
}

/* An event that is recorded when it ends began earlier. */
static void lasted(struct kt_timeline_event *event, uint64_t duration)
{
	event->duration = duration <= KT_TIMELINE_LATEST ? duration : KT_TIMELINE_LATEST;
	event->time -= (int64_t)event->duration;
}

uint32_t kt_timeline_events_find(const struct kt_timeline_events *e, uint64_t instance,
				 uint64_t seq)
{
	const struct kt_timeline_instance *of =
		instance < e->n_instances ? &e->instances[instance] : NULL;
	size_t low = 0;
	size_t high = of ? of->n : 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (of->seqs[middle].seq <= seq) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low > 0 ? of->seqs[low - 1].event : KT_TIMELINE_NONE;
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
	struct kt_timeline_event *event;

	/* Without the event, the instance is known by another event, which has its own row.
	 */
	return fields ? add(context, moment, KT_TIMELINE_OTHER, "process begins", &event)
		      : KT_OK;
}

static int on_process_end(void *context, const struct kt_moment *moment,
			  const struct kt_process_end_fields *fields)
{
	struct kt_timeline_events *e = context;
	struct kt_timeline_event *event;
	const char *reason;

	KT_TRY(kt_texts_printable(&e->names, fields->reason, &reason));
	KT_TRY(add(e, moment, KT_TIMELINE_OTHER, "process ends", &event));
	return kt_texts_add(&e->names, reason, &event->detail);
}

static int on_call_enter(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call)
{
	struct kt_timeline_events *e = context;
	struct kt_moment outside = *moment;
	struct kt_timeline_event *event;

	outside.call = call->outer;
	KT_TRY(add(e, &outside, KT_TIMELINE_CALL, call->name, &event));
	return kt_number_map_set(&e->calls, call->id, e->n - 1);
}

static int on_call_exit(void *context, const struct kt_moment *moment,
			const struct kt_activity_call *call)
{
	struct kt_timeline_events *e = context;
	const uint32_t at = kt_timeline_events_call(e, call->id);
	char text[48] = "";

	(void)moment;
	if (at == KT_TIMELINE_NONE) {
		return KT_OK;
	}
	e->events[at].duration = call->returned            ? call->duration
				 : call->end > call->begin ? call->end - call->begin
							   : 0;
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
	struct kt_timeline_events *e = context;
	struct kt_timeline_event *event;
	char request[24];
	char subject[24];
	char text[256];

	KT_TRY(add(e, moment, KT_TIMELINE_IOCTL,
		   kt_call_request_label(&call->what, request), &event));
	lasted(event, call->duration);
	snprintf(text, sizeof(text), "%s", kt_call_subject_label(&call->what, subject));
	if (kt_call_failed(call)) {
		const size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%sfailed: %s", n ? " " : "",
			 call->error         ? strerror(call->error)
			 : call->status_name ? call->status_name
					     : "status unknown");
	}
	return text[0] ? kt_texts_add(&e->names, text, &event->detail) : KT_OK;
}

static int on_doorbell(void *context, const struct kt_moment *moment,
		       const struct kt_doorbell_fields *fields)
{
	struct kt_timeline_event *event;

	(void)fields;
	return add(context, moment, KT_TIMELINE_DOORBELL, "doorbell", &event);
}

static int on_submission(void *context, const struct kt_moment *moment,
			 const struct kt_submission *submission, const struct kt_work *work)
{
	struct kt_timeline_events *e = context;
	const uint32_t at = kt_timeline_events_find(e, moment->instance, moment->seq);
	char name[KT_SUBMITTED_NAME];
	uint32_t channel;

	KT_TRY(kt_timeline_events_channel(e, &channel, moment->instance, submission->client,
					  submission->channel, submission->class_number));
	if (at == KT_TIMELINE_NONE || e->events[at].kind != KT_TIMELINE_DOORBELL ||
	    e->events[at].channel != KT_TIMELINE_NONE) {
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

	(void)submission;
	if (!e->with_data || entry->n_dwords == 0) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&e->dwords, &e->dwords_capacity, e->n_dwords + 1));
	dwords = &e->dwords[e->n_dwords];
	dwords->event = kt_timeline_events_find(e, moment->instance, moment->seq);
	dwords->n = entry->n_dwords;
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
	struct kt_timeline_event *event;
	const char *name;
	char text[64];

	snprintf(text, sizeof(text), "%s:%s", fields->op, fields->space);
	KT_TRY(kt_texts_printable(&e->names, text, &name));
	KT_TRY(add(e, moment, KT_TIMELINE_ACCESS, name, &event));
	snprintf(text, sizeof(text), "mapping %" PRIu32, fields->mapping);
	return kt_texts_add(&e->names, text, &event->detail);
}

/* Adds the row of a mapping or unmapping of `length` bytes. */
static int add_map(struct kt_timeline_events *e, const struct kt_moment *moment,
		   const char *verb, const char *space, uint32_t mapping, uint64_t length)
{
	struct kt_timeline_event *event;
	const char *name;
	char text[64];

	snprintf(text, sizeof(text), "%s:%s", verb, space);
	KT_TRY(kt_texts_printable(&e->names, text, &name));
	KT_TRY(add(e, moment, KT_TIMELINE_MAP, name, &event));
	snprintf(text, sizeof(text), "mapping %" PRIu32 ", %" PRIu64 " bytes", mapping,
		 length);
	return kt_texts_add(&e->names, text, &event->detail);
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
	struct kt_timeline_event *event;
	const char *name;

	KT_TRY(kt_texts_printable(&e->names, fields->call, &name));
	KT_TRY(add(e, moment, KT_TIMELINE_WAIT, name, &event));
	lasted(event, fields->duration);
	KT_TRY(kt_texts_printable(&e->names, fields->device, &name));
	return kt_texts_add(&e->names, name, &event->detail);
}

static int add_device(struct kt_timeline_events *e, const struct kt_moment *moment,
		      const char *verb, const char *device)
{
	struct kt_timeline_event *event;
	const char *name;

	KT_TRY(kt_texts_printable(&e->names, device, &name));
	KT_TRY(add(e, moment, KT_TIMELINE_OTHER, verb, &event));
	return kt_texts_add(&e->names, name, &event->detail);
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
	kt_number_map_free(&e->calls);
}

void kt_timeline_events_begin(struct kt_timeline_events *e, size_t trace, int64_t shift)
{
	forget_trace(e);
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
	free(e->instances);
	free(e->events);
	free(e->threads);
	free(e->channels);
	free(e->dwords);
	*e = (struct kt_timeline_events){.n = 0};
}
