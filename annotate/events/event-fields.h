/* SPDX-License-Identifier: MIT */
/*
 * What the events of a trace say, as structs: their fields as ktail-events(7) has them.
 * Fields that an event lacks are 0, false or ""; texts are the event's, valid as long as
 * that. One table (event-fields.c) says which field each member keeps; one loop reads the
 * events of a trace.
 */
#ifndef KTAIL_ANNOTATE_EVENT_FIELDS_H
#define KTAIL_ANNOTATE_EVENT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/commands/channels.h"
#include "infer/words/read/events.h"

/* The events that annotate/ reads: kt_event.shape, if the trace is open with
 * kt_annotate_events. */
enum kt_annotate_event {
	KT_ON_PROCESS_BEGIN,
	KT_ON_PROCESS_END,
	KT_ON_DEVICE_OPEN,
	KT_ON_DEVICE_CLOSE,
	KT_ON_IOCTL,
	KT_ON_OBJECT,
	KT_ON_MAP,
	KT_ON_UNMAP,
	KT_ON_ACCESS,
	KT_ON_WAIT,
	KT_ON_DOORBELL,
	KT_ON_ENTRY, /* gpfifo_entry */
	KT_ON_WORDS, /* pushbuffer */
	KT_ON_API_ENTER,
	KT_ON_API_EXIT,
	KT_ON_COVERAGE, /* api_coverage */
	KT_ON_EVENTS,
};

extern const struct kt_events_options kt_annotate_events;

/* --- the loop over them --- */

/* An error stops the reading. */
typedef int kt_event_fn(void *context, const struct kt_event *event);

/* What is known of a trace that is being read. */
struct kt_reading {
	/* Set by who reads: of processes that both sides tell of. 0: from user space. */
	enum kt_source source;
	/* Weak: that was opened to keep kt_annotate_events, which are read in place of what
	 * lies at the path; NULL: none was. */
	const kt_trace *trace;
	/* Weak: the part for visitors that ask for one (activity.h); NULL: everything. */
	const struct kt_trace_filter *part;
	int64_t begin; /* of the first event of ours, ns since the epoch */
	struct kt_trace_report report;
};

/*
 * Tells of all events of the trace in a folder, opened with kt_annotate_events, but for
 * those of processes that are taken from the other side than reading->source.
 * reading->begin is set before the first, reading->report after the last, also on failure.
 * KT_E_EMPTY if there is none; fails else as kt_events_open() and kt_events_next() do.
 */
int kt_read_events(const char *path, kt_event_fn *take, void *context,
		   struct kt_reading *reading);

/* When an event was: ns since the first one of the trace. */
static inline uint64_t kt_reading_time(const struct kt_reading *reading,
				       const struct kt_event *event)
{
	return event->time > reading->begin ? (uint64_t)(event->time - reading->begin) : 0;
}

/* --- their fields --- */

struct kt_process_begin_fields {
	const char *name; /* base name of the executable */
	uint32_t ppid;
	const char *recorder;
	const char *driver; /* its release */
	const char *access; /* how accesses, doorbells and API calls are traced */
	const char *doorbell;
	const char *api;
};

struct kt_process_end_fields {
	const char *reason; /* "exit", "exec", "filter" */
	uint64_t doorbells;
	uint64_t idle_doorbells;
	uint32_t channels;
	uint32_t lagging;
};

struct kt_device_fields {
	const char *device; /* base name of its path */
	int32_t fd;
	int32_t error; /* errno, 0 if it worked; 0 of device_close */
};

struct kt_ioctl_fields {
	const char *device;
	int32_t fd;
	int32_t error;    /* errno, 0 if it worked */
	uint64_t request; /* as it was passed */
	uint32_t nr;      /* that of what is wrapped in it, if something is */
	uint32_t size;    /* of its argument, where its number says it */
	int64_t result;
	uint64_t duration; /* ns */
	/* Of calls to the resource manager; 0 where a call has none */
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t class_number; /* of the object */
	uint32_t command;
	uint32_t status;
};

struct kt_map_fields {
	const char *device;
	const char *space;
	uint32_t mapping; /* its number within the process, from 1; 0 if it failed */
	int32_t error;    /* errno, 0 if it worked */
	uint64_t address;
	uint64_t length;
	uint32_t client;
	uint32_t object; /* handle of the memory */
	uint32_t class_number;
};

struct kt_unmap_fields {
	const char *space;
	uint32_t mapping;
	uint64_t address; /* of the part that is gone */
	uint64_t length;
	uint32_t client;
	uint32_t object;
};

struct kt_access_fields {
	const char *op; /* "R", "W" */
	bool write;
	const char *space;
	uint32_t mapping;
	uint64_t offset; /* from the start of the mapping */
	uint64_t size;   /* bytes; 0: unknown */
	uint64_t ip;
};

struct kt_wait_fields {
	const char *device; /* of the first such descriptor */
	int32_t fd;
	const char *call; /* "poll", ... */
	int32_t result;
	int32_t error;
	uint64_t duration; /* ns; the event is that of the return */
};

struct kt_coverage_fields {
	const char *api;
	const char *name;  /* of the entry point; "" of "unseen" */
	const char *state; /* "wrapped", "past", "unseen" */
	const char *how;
	uint64_t calls;
};

/* Most arguments of a call that are kept. */
#define KT_KEPT_ARGUMENTS KT_EVENT_NUMBERS

struct kt_api_enter_fields {
	const char *api;  /* "driver", "runtime" */
	const char *name; /* as its library exports it: "cuMemAlloc_v2" */
	const char *by;   /* "wrap", "cupti" */
	uint64_t correlation;
	struct kt_event_numbers arguments;
};

struct kt_api_exit_fields {
	const char *api;
	const char *name;
	uint64_t correlation;
	bool known;        /* the result is */
	int32_t result;    /* CUresult or cudaError_t */
	uint64_t duration; /* ns */
};

struct kt_doorbell_fields {
	bool known;
	uint32_t value;
	uint32_t moved;
	uint32_t channel;
	uint32_t gp_put;
	const char *by;
	const char *space;
	uint32_t mapping;
	uint64_t offset; /* from the start of the mapping */
};

struct kt_entry_fields {
	uint32_t client;
	uint32_t channel;
	uint32_t class_number;
	uint32_t index;
	uint64_t entry;
	uint64_t address;
	uint32_t words;
	const char *state;
	bool found;
	const char *unread;
};

struct kt_words_fields {
	uint32_t client;
	uint32_t channel;
	uint32_t index;
	uint64_t offset;
	struct kt_event_words words;
};

struct kt_object_fields {
	const char *action;
	bool freed;
	bool duplicated; /* "dup" */
	struct kt_engine_object object;
};

/* The trace must be open with kt_annotate_events, the event must be of that shape. O(1). */
struct kt_process_begin_fields kt_process_begin_fields(const struct kt_event *event);
struct kt_process_end_fields kt_process_end_fields(const struct kt_event *event);
struct kt_device_fields kt_device_open_fields(const struct kt_event *event);
struct kt_device_fields kt_device_close_fields(const struct kt_event *event);
struct kt_ioctl_fields kt_ioctl_fields(const struct kt_event *event);
struct kt_map_fields kt_map_fields(const struct kt_event *event);
struct kt_unmap_fields kt_unmap_fields(const struct kt_event *event);
struct kt_access_fields kt_access_fields(const struct kt_event *event);
struct kt_wait_fields kt_wait_fields(const struct kt_event *event);
struct kt_coverage_fields kt_coverage_fields(const struct kt_event *event);
struct kt_api_enter_fields kt_api_enter_fields(const struct kt_event *event);
struct kt_api_exit_fields kt_api_exit_fields(const struct kt_event *event);
struct kt_doorbell_fields kt_doorbell_fields(const struct kt_event *event);
struct kt_entry_fields kt_entry_fields(const struct kt_event *event);
/* KT_E_MALFORMED if the event has no words at all, which is not the same as none. */
int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event);
struct kt_object_fields kt_object_fields(const struct kt_event *event);

#endif
