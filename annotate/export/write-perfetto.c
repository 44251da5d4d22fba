/* SPDX-License-Identifier: MIT */
/*
 * Track events for Perfetto (https://perfetto.dev/docs/reference/synthetic-track-event): a
 * track for each process, thread and channel, one more for each channel's queue depth, and
 * a flow for each request.
 */
#include "annotate/export/export.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/export/dwords.h"
#include "annotate/export/perfetto-fields.h"
#include "annotate/export/protobuf.h"
#include "base/try.h"

/* Packets of one sequence share interned strings. */
#define SEQUENCE 1

/*
 * Names of events that are not in the timeline's names. Their numbers follow the numbers of
 * the timeline's names.
 */
enum extra_name { SUBMISSION, COMPLETED, EXTRA_NAMES };
static const char *const extra_names[EXTRA_NAMES] = {"submission", "completed"};

/* Categories besides the kinds of events. */
#define CATEGORY_REQUEST KT_TIMELINE_KINDS

/* Names of arguments. */
enum argument {
	DETAIL,
	WORK,
	BYTES,
	COPIED,
	LAUNCHES,
	KERNEL,
	EVIDENCE,
	COMMANDS,
	ARGUMENTS
};
static const char *const arguments[ARGUMENTS] = {
	"detail", "work", "bytes", "copied", "launches", "kernel", "evidence", "commands"};

struct perfetto {
	struct kt_protobuf p;
	const struct kt_export *export;
	FILE *out;
	uint64_t *depth; /* Owned by this: number of unfinished requests of each channel */
	/*
	 * Owned by this: first[event] is the first request of a call or doorbell,
	 * next_of_call[request] the next request of the same call, and
	 * next_of_doorbell[request] the next request of the same doorbell. Requests are
	 * numbered from 1 here.
	 */
	uint32_t *first;
	uint32_t *next_of_call;
	uint32_t *next_of_doorbell;
};

/* --- tracks: processes, then threads, channels and counters, from 1 --- */

static uint64_t process_track(uint32_t process)
{
	return 1 + (uint64_t)process;
}

static uint64_t thread_track(const struct perfetto *to, uint32_t thread)
{
	return 1 + to->export->tracks.n_processes + thread;
}

static uint64_t channel_track(const struct perfetto *to, uint32_t channel)
{
	const struct kt_tracks *t = &to->export->tracks;

	return 1 + t->n_processes + t->n_threads + channel;
}

static uint64_t depth_track(const struct perfetto *to, uint32_t channel)
{
	return channel_track(to, channel) + to->export->tracks.n_channels;
}

/* --- packets --- */

/* Begins a packet, which end_packet() writes. */
static void begin_packet(struct perfetto *to, unsigned flags)
{
	to->p.n = 0;
	kt_protobuf_begin(&to->p, KT_Trace_packet);
	kt_protobuf_number(&to->p, KT_TracePacket_trusted_packet_sequence_id, SEQUENCE);
	kt_protobuf_number(&to->p, KT_TracePacket_sequence_flags, flags);
}

static void end_packet(struct perfetto *to)
{
	kt_protobuf_end(&to->p);
	if (!to->p.failed) {
		fwrite(to->p.bytes, 1, to->p.n, to->out);
	}
}

/*
 * Writes an interned string. The three kinds of strings are different messages, but their
 * two fields have the same numbers.
 */
static void put_interned(struct perfetto *to, unsigned field, uint64_t iid,
			 const char *text)
{
	kt_protobuf_begin(&to->p, field);
	kt_protobuf_number(&to->p, KT_EventName_iid, iid);
	kt_protobuf_text(&to->p, KT_EventName_name, text);
	kt_protobuf_end(&to->p);
}

/* Writes the names of events, whose numbers begin at 1: 0 means that there is no name. */
static void put_event_names(struct perfetto *to)
{
	const struct kt_export *x = to->export;
	const struct kt_texts *names = &x->timeline.events.names;
	bool *used = calloc(names->n + 1, sizeof(*used));

	to->p.failed = to->p.failed || !used;
	for (size_t i = 0; used && i < x->timeline.events.n; i++) {
		used[x->timeline.events.events[i].name] = true;
	}
	for (size_t i = 0; used && i < names->n; i++) {
		if (used[i]) {
			put_interned(to, KT_InternedData_event_names, 1 + i,
				     names->items[i]);
		}
	}
	for (size_t i = 0; i < EXTRA_NAMES; i++) {
		put_interned(to, KT_InternedData_event_names, 1 + names->n + i,
			     extra_names[i]);
	}
	free(used);
}

/* Writes the first packet: all strings to which other packets refer by number. */
static void put_strings(struct perfetto *to)
{
	begin_packet(to, KT_SEQ_INCREMENTAL_STATE_CLEARED);
	kt_protobuf_number(&to->p, KT_TracePacket_first_packet_on_sequence, 1);
	kt_protobuf_begin(&to->p, KT_TracePacket_interned_data);
	for (unsigned i = 0; i < KT_TIMELINE_KINDS; i++) {
		put_interned(to, KT_InternedData_event_categories, 1 + i,
			     kt_export_kind_name(i));
	}
	put_interned(to, KT_InternedData_event_categories, 1 + CATEGORY_REQUEST, "request");
	for (unsigned i = 0; i < ARGUMENTS; i++) {
		put_interned(to, KT_InternedData_debug_annotation_names, 1 + i,
			     arguments[i]);
	}
	put_event_names(to);
	kt_protobuf_end(&to->p);
	end_packet(to);
}

static void put_clock(struct perfetto *to, unsigned id, int64_t time)
{
	kt_protobuf_begin(&to->p, KT_ClockSnapshot_clocks);
	kt_protobuf_number(&to->p, KT_Clock_clock_id, id);
	kt_protobuf_number(&to->p, KT_Clock_timestamp, (uint64_t)time);
	kt_protobuf_end(&to->p);
}

/* Writes the time of day of the first event, to which all times are relative. */
static void put_clocks(struct perfetto *to)
{
	begin_packet(to, KT_SEQ_NEEDS_INCREMENTAL_STATE);
	kt_protobuf_begin(&to->p, KT_TracePacket_clock_snapshot);
	put_clock(to, KT_CLOCK_BOOTTIME, 0);
	put_clock(to, KT_CLOCK_REALTIME, to->export->timeline.begin);
	kt_protobuf_number(&to->p, KT_ClockSnapshot_primary_trace_clock, KT_CLOCK_BOOTTIME);
	kt_protobuf_end(&to->p);
	end_packet(to);
}

/* --- track descriptors --- */

static void begin_track(struct perfetto *to, uint64_t uuid)
{
	begin_packet(to, KT_SEQ_NEEDS_INCREMENTAL_STATE);
	kt_protobuf_begin(&to->p, KT_TracePacket_track_descriptor);
	kt_protobuf_number(&to->p, KT_TrackDescriptor_uuid, uuid);
}

static void end_track(struct perfetto *to)
{
	kt_protobuf_end(&to->p);
	end_packet(to);
}

static void put_process(struct perfetto *to, uint32_t process)
{
	const struct kt_track_process *p = &to->export->tracks.processes[process];

	begin_track(to, process_track(process));
	kt_protobuf_begin(&to->p, KT_TrackDescriptor_process);
	kt_protobuf_number(&to->p, KT_ProcessDescriptor_pid, p->number);
	kt_protobuf_text(&to->p, KT_ProcessDescriptor_process_name, p->name);
	kt_protobuf_end(&to->p);
	end_track(to);
}

static void put_thread(struct perfetto *to, uint32_t thread)
{
	const struct kt_tracks *t = &to->export->tracks;
	const struct kt_track *track = &t->threads[thread];

	begin_track(to, thread_track(to, thread));
	kt_protobuf_number(&to->p, KT_TrackDescriptor_parent_uuid,
			   process_track(track->process));
	kt_protobuf_begin(&to->p, KT_TrackDescriptor_thread);
	kt_protobuf_number(&to->p, KT_ThreadDescriptor_pid,
			   t->processes[track->process].number);
	kt_protobuf_number(&to->p, KT_ThreadDescriptor_tid, track->number);
	kt_protobuf_text(&to->p, KT_ThreadDescriptor_thread_name, track->name);
	kt_protobuf_end(&to->p);
	end_track(to);
}

/* Writes the track of a channel's doorbells, and the track of its queue depth. */
static void put_channel(struct perfetto *to, uint32_t channel)
{
	const struct kt_track *track = &to->export->tracks.channels[channel];

	begin_track(to, channel_track(to, channel));
	kt_protobuf_number(&to->p, KT_TrackDescriptor_parent_uuid,
			   process_track(track->process));
	kt_protobuf_text(&to->p, KT_TrackDescriptor_name, track->name);
	end_track(to);
	begin_track(to, depth_track(to, channel));
	kt_protobuf_number(&to->p, KT_TrackDescriptor_parent_uuid,
			   channel_track(to, channel));
	kt_protobuf_text(&to->p, KT_TrackDescriptor_name, "queue depth");
	kt_protobuf_begin(&to->p, KT_TrackDescriptor_counter);
	kt_protobuf_number(&to->p, KT_CounterDescriptor_unit, KT_UNIT_COUNT);
	kt_protobuf_end(&to->p);
	end_track(to);
}

/* --- events --- */

static void begin_event(struct perfetto *to, int64_t time, unsigned type, uint64_t track)
{
	begin_packet(to, KT_SEQ_NEEDS_INCREMENTAL_STATE);
	kt_protobuf_number(&to->p, KT_TracePacket_timestamp, (uint64_t)time);
	kt_protobuf_begin(&to->p, KT_TracePacket_track_event);
	kt_protobuf_number(&to->p, KT_TrackEvent_type, type);
	kt_protobuf_number(&to->p, KT_TrackEvent_track_uuid, track);
}

static void end_event(struct perfetto *to)
{
	kt_protobuf_end(&to->p);
	end_packet(to);
}

static void put_names(struct perfetto *to, unsigned category, size_t name)
{
	kt_protobuf_number(&to->p, KT_TrackEvent_category_iids, 1 + category);
	kt_protobuf_number(&to->p, KT_TrackEvent_name_iid, 1 + name);
}

static void put_text(struct perfetto *to, enum argument argument, const char *text)
{
	if (text[0]) {
		kt_protobuf_begin(&to->p, KT_TrackEvent_debug_annotations);
		kt_protobuf_number(&to->p, KT_DebugAnnotation_name_iid, 1 + argument);
		kt_protobuf_text(&to->p, KT_DebugAnnotation_string_value, text);
		kt_protobuf_end(&to->p);
	}
}

static void put_count(struct perfetto *to, enum argument argument, uint64_t count)
{
	kt_protobuf_begin(&to->p, KT_TrackEvent_debug_annotations);
	kt_protobuf_number(&to->p, KT_DebugAnnotation_name_iid, 1 + argument);
	kt_protobuf_number(&to->p, KT_DebugAnnotation_uint_value, count);
	kt_protobuf_end(&to->p);
}

/* Flows have the numbers of their requests, from 1. */
static void put_flow(struct perfetto *to, uint32_t request)
{
	kt_protobuf_fixed64(&to->p, KT_TrackEvent_flow_ids, 1 + (uint64_t)request);
}

static void put_request_arguments(struct perfetto *to, const struct kt_timeline_request *r)
{
	put_text(to, WORK, kt_export_name(to->export, r->name));
	put_count(to, BYTES, r->bytes);
	put_count(to, COPIED, r->copied);
	put_count(to, LAUNCHES, r->launches);
	put_text(to, KERNEL, kt_export_name(to->export, r->kernel));
}

static void put_edge(struct perfetto *to, const struct kt_mark *mark)
{
	const struct kt_timeline_event *event =
		&to->export->timeline.events.events[mark->index];

	if (mark->kind == KT_MARK_END) {
		begin_event(to, mark->time, KT_TYPE_SLICE_END,
			    thread_track(to, event->thread));
		end_event(to);
		return;
	}
	begin_event(to, mark->time, KT_TYPE_SLICE_BEGIN, thread_track(to, event->thread));
	put_names(to, event->kind, event->name);
	put_text(to, DETAIL, kt_export_name(to->export, event->detail));
	if (event->kind == KT_TIMELINE_CALL) {
		for (uint32_t r = to->first[mark->index]; r; r = to->next_of_call[r - 1]) {
			put_flow(to, r - 1);
		}
	}
	end_event(to);
}

/*
 * Returns whether the request is on the track of its doorbell, and is therefore shown with
 * the doorbell.
 */
static bool is_with_doorbell(const struct perfetto *to, const struct kt_timeline_request *r)
{
	return r->doorbell != KT_TIMELINE_NONE &&
	       to->export->timeline.events.events[r->doorbell].channel == r->channel;
}

/*
 * Writes an event that takes no time: a doorbell on the track of its channel, any other
 * event on the track of its thread.
 */
static int put_instant(struct perfetto *to, const struct kt_mark *mark)
{
	const struct kt_export *x = to->export;
	const struct kt_timeline_event *event = &x->timeline.events.events[mark->index];
	char *commands;

	KT_TRY(kt_export_dwords(&commands, x, mark->index));
	begin_event(to, mark->time, KT_TYPE_INSTANT,
		    event->channel == KT_TIMELINE_NONE ? thread_track(to, event->thread)
						       : channel_track(to, event->channel));
	put_names(to, event->kind, event->name);
	if (event->kind == KT_TIMELINE_DOORBELL) {
		for (uint32_t r = to->first[mark->index]; r;
		     r = to->next_of_doorbell[r - 1]) {
			if (is_with_doorbell(to, &x->requests[r - 1])) {
				put_request_arguments(to, &x->requests[r - 1]);
				put_flow(to, r - 1);
			}
		}
		put_text(to, COMMANDS, commands ? commands : "");
	} else {
		put_text(to, DETAIL, kt_export_name(x, event->detail));
	}
	end_event(to);
	free(commands);
	return KT_OK;
}

static void put_depth(struct perfetto *to, int64_t time, uint32_t channel, uint64_t step)
{
	to->depth[channel] += step;
	begin_event(to, time, KT_TYPE_COUNTER, depth_track(to, channel));
	kt_protobuf_number(&to->p, KT_TrackEvent_counter_value, to->depth[channel]);
	end_event(to);
}

static void put_submission(struct perfetto *to, const struct kt_mark *mark)
{
	const struct kt_timeline_request *request = &to->export->requests[mark->index];

	if (!is_with_doorbell(to, request)) {
		begin_event(to, mark->time, KT_TYPE_INSTANT,
			    channel_track(to, request->channel));
		put_names(to, CATEGORY_REQUEST,
			  to->export->timeline.events.names.n + SUBMISSION);
		put_request_arguments(to, request);
		put_flow(to, mark->index);
		end_event(to);
	}
	if (request->completed >= 0) {
		put_depth(to, mark->time, request->channel, 1);
	}
}

static void put_completion(struct perfetto *to, const struct kt_mark *mark)
{
	const struct kt_timeline_request *request = &to->export->requests[mark->index];

	begin_event(to, mark->time, KT_TYPE_INSTANT,
		    request->noticed == KT_TIMELINE_NONE
			    ? channel_track(to, request->channel)
			    : thread_track(to, request->noticed));
	put_names(to, CATEGORY_REQUEST, to->export->timeline.events.names.n + COMPLETED);
	put_text(to, WORK, kt_export_name(to->export, request->name));
	put_text(to, EVIDENCE, kt_export_name(to->export, request->sign));
	kt_protobuf_fixed64(&to->p, KT_TrackEvent_terminating_flow_ids,
			    1 + (uint64_t)mark->index);
	end_event(to);
	put_depth(to, mark->time, request->channel, (uint64_t)-1);
}

/* --- all --- */

/* Links the requests of each call and of each doorbell, in order. */
static int link_requests(struct perfetto *to)
{
	const struct kt_export *x = to->export;

	to->depth = calloc(x->tracks.n_channels + 1, sizeof(*to->depth));
	to->first = calloc(x->timeline.events.n + 1, sizeof(*to->first));
	to->next_of_call = calloc(x->n_requests + 1, sizeof(*to->next_of_call));
	to->next_of_doorbell = calloc(x->n_requests + 1, sizeof(*to->next_of_doorbell));
	if (!to->depth || !to->first || !to->next_of_call || !to->next_of_doorbell) {
		return kt_no_memory("write track events");
	}
	for (size_t i = x->n_requests; i > 0; i--) {
		const struct kt_timeline_request *request = &x->requests[i - 1];

		if (request->doorbell != KT_TIMELINE_NONE) {
			to->next_of_doorbell[i - 1] = to->first[request->doorbell];
			to->first[request->doorbell] = (uint32_t)i;
		}
		if (request->call != KT_TIMELINE_NONE) {
			to->next_of_call[i - 1] = to->first[request->call];
			to->first[request->call] = (uint32_t)i;
		}
	}
	return KT_OK;
}

static int put_all(struct perfetto *to)
{
	const struct kt_export *x = to->export;

	KT_TRY(link_requests(to));
	put_strings(to);
	put_clocks(to);
	for (uint32_t i = 0; i < x->tracks.n_processes; i++) {
		put_process(to, i);
	}
	for (uint32_t i = 0; i < x->tracks.n_threads; i++) {
		put_thread(to, i);
	}
	for (uint32_t i = 0; i < x->tracks.n_channels; i++) {
		put_channel(to, i);
	}
	for (size_t i = 0; i < x->marks.n; i++) {
		const struct kt_mark *mark = &x->marks.marks[i];

		switch (mark->kind) {
		case KT_MARK_BEGIN:
		case KT_MARK_END: put_edge(to, mark); break;
		case KT_MARK_EVENT: KT_TRY(put_instant(to, mark)); break;
		case KT_MARK_SUBMIT: put_submission(to, mark); break;
		case KT_MARK_COMPLETE: put_completion(to, mark); break;
		}
	}
	if (to->p.failed) {
		return kt_no_memory("write track events");
	}
	return ferror(to->out) ? kt_error_errno(KT_E_IO, "write track events") : KT_OK;
}

int kt_export_write_perfetto(FILE *out, const void *export)
{
	struct perfetto to = {.export = export, .out = out};
	const int code = put_all(&to);

	kt_protobuf_free(&to.p);
	free(to.depth);
	free(to.first);
	free(to.next_of_call);
	free(to.next_of_doorbell);
	return code;
}
