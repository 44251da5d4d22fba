/* SPDX-License-Identifier: MIT */
/*
 * What the events of a trace say, as structs: their fields as ktail-events(7) has them.
 * Fields that an event lacks are 0, false or ""; texts are the event's, valid as long as
 * that. Of `ioctl` see calls.h.
 */
#ifndef KTAIL_ANNOTATE_EVENT_FIELDS_H
#define KTAIL_ANNOTATE_EVENT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/commands/channels.h"
#include "infer/words/read/events.h"

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
	uint32_t behind;
};

struct kt_device_fields {
	const char *device; /* base name of its path */
	int32_t fd;
	int32_t error; /* errno, 0 if it worked; 0 of device_close */
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
#define KT_KEPT_ARGUMENTS 8

struct kt_api_enter_fields {
	const char *api;  /* "driver", "runtime" */
	const char *name; /* as its library exports it: "cuMemAlloc_v2" */
	const char *by;   /* "wrap", "cupti" */
	uint64_t correlation;
	uint64_t arguments[KT_KEPT_ARGUMENTS]; /* the first ones */
	size_t n_arguments;
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
	bool found;
	const char *unread;
};

struct kt_words_fields {
	uint32_t client;
	uint32_t channel;
	uint32_t index;
	uint64_t offset;
	const uint32_t *words; /* Weak: the event's */
	size_t n;
};

struct kt_object_fields {
	bool freed;
	bool duplicated; /* "dup" */
	struct kt_engine_object object;
};

/* The trace must be open with kt_annotate_events (event-slots.h). O(1). */
struct kt_process_begin_fields kt_process_begin_fields(const struct kt_event *event);
struct kt_process_end_fields kt_process_end_fields(const struct kt_event *event);
struct kt_device_fields kt_device_open_fields(const struct kt_event *event);
struct kt_device_fields kt_device_close_fields(const struct kt_event *event);
struct kt_map_fields kt_map_fields(const struct kt_event *event);
struct kt_unmap_fields kt_unmap_fields(const struct kt_event *event);
struct kt_access_fields kt_access_fields(const struct kt_event *event);
struct kt_wait_fields kt_wait_fields(const struct kt_event *event);
struct kt_coverage_fields kt_coverage_fields(const struct kt_event *event);
/* Whether an api_enter, or an api_exit, has what makes it the beginning or end of a call.
 */
bool kt_api_enter_is_whole(const struct kt_event *event);
bool kt_api_exit_is_whole(const struct kt_event *event);
struct kt_api_enter_fields kt_api_enter_fields(const struct kt_event *event);
struct kt_api_exit_fields kt_api_exit_fields(const struct kt_event *event);
struct kt_doorbell_fields kt_doorbell_fields(const struct kt_event *event);
struct kt_entry_fields kt_entry_fields(const struct kt_event *event);
/* KT_E_MALFORMED if the event has no words at all, which is not the same as none. */
int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event);
struct kt_object_fields kt_object_fields(const struct kt_event *event);

#endif
