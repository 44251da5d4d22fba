/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a trace into structs, with the fields of ktail-events(7). A missing
 * field is 0, false or ""; texts are valid as long as the event. The tables in
 * event-fields.c say which field each member stores.
 */
#ifndef KTAIL_ANNOTATE_EVENT_FIELDS_H
#define KTAIL_ANNOTATE_EVENT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/commands/channels.h"
#include "infer/words/read/events.h"

/*
 * The events that annotate/ reads: the values of kt_event.shape in a trace that was opened
 * with kt_annotate_events.
 */
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
	KT_ON_REPORT,
	KT_ON_WAIT,
	KT_ON_DOORBELL,
	KT_ON_ENTRY, /* gpfifo_entry */
	KT_ON_WORDS, /* pushbuffer */
	KT_ON_API_ENTER,
	KT_ON_API_EXIT,
	KT_ON_KERNEL,   /* api_kernel */
	KT_ON_COVERAGE, /* api_coverage */
	KT_ON_VERSION,
	KT_ON_DETAIL,
	KT_ON_EVENTS,
};

extern const struct kt_events_options kt_annotate_events;

/* --- reading --- */

/* Takes an event; an error stops the reading. */
typedef int kt_event_fn(void *context, const struct kt_event *event);

/* Input and results of reading a trace. */
struct kt_reading {
	/* Input: source to use for processes that both sources recorded; 0: user space. */
	enum kt_source source;
	/*
	 * Input, weak: a trace that keeps the events of kt_annotate_events. It is read
	 * instead of the trace at `path`; NULL: the trace at `path` is read.
	 */
	const kt_trace *trace;
	/*
	 * Input, weak: part of the trace that visitors with `of_part` get (activity.h);
	 * NULL: all.
	 */
	const struct kt_trace_filter *part;
	/*
	 * Input: the members of struct kt_events_options that are called so. `pass` is not
	 * called before the first event.
	 */
	const struct bt_interrupter *stop;
	int (*pass)(void *context, int64_t now);
	void *context;
	bool begun;    /* there was an event */
	int64_t begin; /* time of the first gpu_stack event, ns since the epoch */
	struct kt_trace_report report;
};

/*
 * Calls `take` for each event of the trace in a folder, opened with kt_annotate_events;
 * processes recorded by both sources are read from reading->source only. reading->begin is
 * set before the first event, reading->report after the last, also on failure. KT_E_EMPTY
 * if there is no event; otherwise fails as kt_events_open() and kt_events_next() do.
 */
int kt_read_events(const char *path, kt_event_fn *take, void *context,
		   struct kt_reading *reading);

/* Returns the time of an event in ns since the first event of the trace. */
static inline uint64_t kt_reading_time(const struct kt_reading *reading,
				       const struct kt_event *event)
{
	return event->time > reading->begin ? (uint64_t)(event->time - reading->begin) : 0;
}

/* --- fields --- */

struct kt_process_begin_fields {
	const char *name; /* base name of the executable */
	uint32_t ppid;
	const char *recorder;
	const char *driver;   /* driver release */
	const char *access;   /* how accesses are recorded */
	const char *doorbell; /* how doorbells are recorded */
	const char *api;      /* how API calls are recorded */
};

struct kt_process_end_fields {
	const char *reason; /* "exit", "exec", "filter" */
	uint64_t doorbells;
	uint64_t idle_doorbells;
	uint32_t channels;
	uint32_t lagging;
};

struct kt_device_fields {
	const char *device; /* base name of the device file */
	int32_t fd;
	int32_t error; /* errno, 0 if it worked; always 0 for device_close */
};

struct kt_ioctl_fields {
	const char *device;
	int32_t fd;
	int32_t error;    /* errno, 0 if it worked */
	uint64_t request; /* as the program passed it */
	uint32_t nr;      /* number of the request, or of the request wrapped in it */
	uint32_t size;    /* of the argument, if the request's number encodes it */
	int64_t result;
	uint64_t duration; /* ns */
	/*
	 * The following members are only for the resource manager; a member is 0 if the
	 * request has no such field.
	 */
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
	uint32_t mapping; /* number within the process, from 1; 0 if mapping failed */
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
	uint64_t address; /* address of the unmapped part */
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

struct kt_report_fields {
	uint32_t mapping;
	uint64_t offset; /* from the start of the mapping */
	uint64_t payload;
	uint64_t time; /* ns, of the device's timer */
};

struct kt_wait_fields {
	const char *device; /* device of the first file descriptor of a device */
	int32_t fd;
	const char *call; /* "poll", ... */
	int32_t result;
	int32_t error;
	uint64_t duration; /* ns; the event is recorded at the return */
};

struct kt_coverage_fields {
	const char *api;
	const char *name;  /* entry point; "" for "unseen" */
	const char *state; /* "wrapped", "past", "unseen" */
	const char *how;
	uint64_t calls;
};

/* What the trace was recorded with. */
struct kt_version_fields {
	const char *what; /* "libcuda", "module", "gpu", ... */
	const char *version;
	const char *detail; /* of "recorder": its modes, such as "access=exact api=wrap" */
};

/* From here on the process is recorded in less detail. */
struct kt_detail_fields {
	const char *what; /* "access", "submissions" */
	const char *to;   /* "coalesced"; "off": given up */
};

/* Largest number of arguments that are kept for each call. */
#define KT_KEPT_ARGUMENTS KT_EVENT_NUMBERS

struct kt_api_enter_fields {
	const char *api;  /* "driver", "runtime", "vulkan", ... */
	const char *name; /* exported name: "cuMemAlloc_v2" */
	const char *by;   /* "wrap", "cupti" */
	uint64_t correlation;
	struct kt_event_numbers arguments;
};

struct kt_api_exit_fields {
	const char *api;
	const char *name;
	uint64_t correlation;
	bool known;        /* `result` is known */
	int32_t result;    /* CUresult or cudaError_t */
	uint64_t duration; /* ns */
};

/* A call gave the program a handle of a kernel. */
struct kt_kernel_fields {
	uint64_t correlation; /* of the call */
	uint64_t handle;
	uint64_t of;      /* another handle of the kernel; 0: none */
	const char *name; /* of the kernel; "": unknown */
};

struct kt_doorbell_fields {
	bool known;
	uint32_t value;
	uint32_t moved;
	uint32_t channel;
	uint32_t gp_put;
	bool get_known;
	uint32_t gp_get;
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
	bool duplicated; /* `action` is "dup" */
	struct kt_engine_object object;
	uint64_t ring; /* of a channel that is allocated; 0: unknown */
};

/*
 * Each function reads the fields of one kind of event. The trace must have been opened with
 * kt_annotate_events. O(1).
 */
struct kt_process_begin_fields kt_process_begin_fields(const struct kt_event *event);
struct kt_process_end_fields kt_process_end_fields(const struct kt_event *event);
struct kt_device_fields kt_device_open_fields(const struct kt_event *event);
struct kt_device_fields kt_device_close_fields(const struct kt_event *event);
struct kt_ioctl_fields kt_ioctl_fields(const struct kt_event *event);
struct kt_map_fields kt_map_fields(const struct kt_event *event);
struct kt_unmap_fields kt_unmap_fields(const struct kt_event *event);
struct kt_access_fields kt_access_fields(const struct kt_event *event);
struct kt_report_fields kt_report_fields(const struct kt_event *event);
struct kt_wait_fields kt_wait_fields(const struct kt_event *event);
struct kt_coverage_fields kt_coverage_fields(const struct kt_event *event);
struct kt_version_fields kt_version_fields(const struct kt_event *event);
struct kt_detail_fields kt_detail_fields(const struct kt_event *event);
struct kt_api_enter_fields kt_api_enter_fields(const struct kt_event *event);
struct kt_api_exit_fields kt_api_exit_fields(const struct kt_event *event);
struct kt_kernel_fields kt_kernel_fields(const struct kt_event *event);
struct kt_doorbell_fields kt_doorbell_fields(const struct kt_event *event);
struct kt_entry_fields kt_entry_fields(const struct kt_event *event);
/* KT_E_MALFORMED if the field with the dwords is missing; an empty field is valid. */
int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event);
struct kt_object_fields kt_object_fields(const struct kt_event *event);

#endif
