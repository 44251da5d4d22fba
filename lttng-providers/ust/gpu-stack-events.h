/* SPDX-License-Identifier: MIT */
/*
 * Events of the provider `gpu_stack` as C structs, which are the arguments of tracepoints.
 * ktail-events(7) documents the fields for readers of traces. Integers are in native byte
 * order. Strings are NUL-terminated and never NULL; they need to be valid only until the
 * tracepoint returns.
 */
#ifndef KTAIL_GPU_STACK_EVENTS_H
#define KTAIL_GPU_STACK_EVENTS_H

#include <stdint.h>

/* Precedes the fields of every event. */
struct kt_event_head {
	uint32_t pid;
	uint32_t tid;
	uint64_t seq; /* per process, from 0, without gaps */
};

struct kt_event_process_begin {
	const char *name; /* base name of the executable */
	uint32_t ppid;
	const char *recorder; /* name and version of the recorder */
	const char *driver;   /* release of the kernel driver, "" if there is none */
	const char *access;   /* how accesses are traced */
	const char *doorbell; /* how doorbell stores are traced */
	const char *api;      /* how API calls are traced */
};

struct kt_event_process_end {
	/*
	 * "exit", "exec", or "filter" (the program installs a seccomp filter, see
	 * collect/preload/interpose/filter.h)
	 */
	const char *reason;
	uint64_t doorbells;
	/* Doorbells at which no known channel's GP_PUT had moved */
	uint64_t idle_doorbells;
	uint32_t channels; /* channels whose GP_PUT can be read */
	uint32_t behind;   /* channels whose GP_PUT moved after their last doorbell */
};

/*
 * The version of one component that takes part when a program uses the GPU. The recorder
 * emits one event for each component before the program first uses a device, and later one
 * for each library that the program has loaded in the meantime.
 */
struct kt_event_version {
	/*
	 * The component: "recorder", "kernel", "module" (the GPU's kernel module), "gpu",
	 * "gsp" (the GPU's firmware), "libcuda" or another library, "command",
	 * "environment"
	 */
	const char *what;
	const char *version; /* "" if there is none; for "gpu": the model */
	const char *id;      /* build id or commit, hex; for "gpu": PCI vendor and device */
	/*
	 * Depends on `what`: a library's path, a GPU's PCI address, the recorder's modes,
	 * the command line, VARIABLE=value, ...
	 */
	const char *detail;
};

struct kt_event_device_open {
	const char *device; /* base name of the path, "nvidiactl" */
	int32_t fd;         /* -1 if the open failed */
	int32_t error;      /* errno, 0 on success */
};

struct kt_event_device_close {
	const char *device;
	int32_t fd;
};

struct kt_event_ioctl {
	const char *device;
	int32_t fd;
	int32_t error;    /* errno, 0 on success */
	uint64_t request; /* as passed */
	/*
	 * _IOC_NR of `request`, or of the request inside NV_ESC_IOCTL_XFER_CMD; for UVM:
	 * the whole request
	 */
	uint32_t nr;
	uint32_t size; /* bytes of that request's argument (_IOC_SIZE); UVM: 0 */
	int64_t result;
	uint64_t duration; /* ns */
	/* Fields of resource-manager calls; a field is 0 if the call does not have it */
	uint32_t client;
	uint32_t parent;
	uint32_t object;  /* handle that the call allocates, frees, controls or maps */
	uint32_t class_;  /* class of `object` */
	uint32_t command; /* control command */
	uint32_t status;  /* NV_STATUS */
};

struct kt_event_object {
	const char *action; /* "alloc", "dup" or "free" */
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t class_;
	/* Of a channel that was allocated, else 0; only user-space events have them */
	uint64_t ring;    /* GPU address of the ring (GP_BASE) */
	uint32_t entries; /* number of ring entries */
};

struct kt_event_map {
	const char *device;
	const char *space;
	uint32_t mapping; /* ordinal within the process, from 1; 0 if mapping failed */
	int32_t error;    /* errno, 0 on success */
	uint64_t address;
	uint64_t length;
	uint32_t client;
	uint32_t object; /* handle of the memory, 0 if unknown */
	uint32_t class_;
};

struct kt_event_unmap {
	const char *space;
	uint32_t mapping;
	uint64_t address; /* address of the part that was unmapped */
	uint64_t length;
	uint32_t client;
	uint32_t object;
};

struct kt_event_access {
	const char *op; /* "R" or "W" */
	const char *space;
	uint32_t mapping;
	uint64_t offset; /* from the start of the mapping */
	uint64_t size;   /* bytes that the instruction accessed at `offset`; 0: unknown */
	uint64_t ip;
	/* Use of the memory: "ring", "GP_PUT", ..., "other"; only in user-space events */
	const char *role;
};

/*
 * What the device wrote when it released a semaphore with a timestamp: the recorder reads
 * the 16 bytes that the program polled. These bytes may also be other memory that the
 * program reads.
 */
struct kt_event_report {
	uint32_t mapping;
	uint64_t offset;  /* from the start of the mapping; a multiple of 16 */
	uint64_t payload; /* the low half, if the payload has 32 bits */
	uint64_t time;    /* ns, of the device's timer */
};

/* From this event on, the process is recorded in less detail. */
struct kt_event_detail {
	const char *what; /* mode that changes: "access" or "submissions" */
	const char *from; /* "exact", "coalesced" or "words" */
	const char *to;   /* "coalesced" or "off" */
	/* "limit": --access-limit was reached; "overhead": --overhead was exceeded */
	const char *why;
	uint32_t mapping; /* the only mapping to which it applies; 0: all */
};

struct kt_event_doorbell {
	/* How it was observed: "watchpoint", "shadow", "protect" or "patch" */
	const char *by;
	const char *space;
	uint32_t mapping;
	uint64_t offset; /* from the start of the mapping */
	uint64_t ip;
	/* 1 if `value` was stored, 0 if the stored value could not be decoded */
	uint32_t known;
	uint32_t value;
	uint32_t
		moved; /* known channels whose GP_PUT has moved since their last doorbell */
	uint32_t channel; /* handle of the first such channel, 0 if none */
	uint32_t gp_put;  /* GP_PUT of that channel */
	/*
	 * 1 if GP_PUT was read from memory, and GP_GET with it; only in user-space events,
	 * like `gp_get`
	 */
	uint32_t get_known;
	uint32_t gp_get; /* GP_GET of that channel, which the device may update late */
};

/*
 * A doorbell with the ring entries and dwords that it submitted, if all of them could be
 * read and fit in one event. This event replaces a doorbell event and, for each entry in
 * ring order, a gpfifo_entry event and (if the entry has dwords) a pushbuffer event. It
 * takes as many sequence numbers as the replaced events would.
 */
struct kt_event_submission {
	const struct kt_event_doorbell *doorbell; /* Weak */
	uint32_t client;
	uint32_t class_; /* of the channel */
	uint32_t n;      /* number of entries */
	/*
	 * Weak: n elements each, with the meaning of the fields index, entry, address and
	 * words of gpfifo_entry
	 */
	const uint32_t *indexes;
	const uint64_t *entries;
	const uint64_t *addresses;
	const uint32_t *lengths; /* dwords of each segment; 0: a control entry */
	uint32_t count;
	const uint32_t *words; /* Weak: dwords of all segments, in order */
};

/*
 * A ring entry. The entries that a doorbell submitted follow the event of the doorbell, in
 * ring order.
 */
struct kt_event_gpfifo_entry {
	uint32_t client;
	uint32_t channel; /* handle */
	uint32_t class_;  /* of the channel */
	uint32_t index;   /* index in the ring */
	uint64_t entry;   /* the entry itself, its first 32 bits in the low half */
	/* Address of the segment, including the extended base; 0: a control entry */
	uint64_t address;
	uint32_t words; /* dwords of the segment; 0: a control entry */
	/*
	 * "submitted"; or "found": the entry was found when the channel became readable,
	 * or when its ring was read for the last time, so its doorbell is not known
	 */
	const char *state;
	/* Why all or the last dwords of the segment are missing; "" if all are recorded */
	const char *unread;
};

/*
 * Dwords of the segment of the preceding ring entry, in order. A long segment is divided
 * into parts, with an event for each part.
 */
struct kt_event_pushbuffer {
	uint32_t client;
	uint32_t channel;
	uint32_t index;   /* of the ring entry */
	uint64_t address; /* of words[0] */
	uint32_t offset;  /* of words[0] in the segment, in dwords */
	uint32_t count;
	const uint32_t *words; /* Weak: valid during the call only */
};

/* A call of an API begins, on the thread `tid` of the event's head. */
struct kt_event_api_enter {
	const char *
		api; /* "driver" or "runtime" (CUDA), "opencl", "egl", "opengl", "vulkan" */
	/* name of the function as the library exports it: "cuMemAlloc_v2" */
	const char *name;
	const char *by;       /* how it was observed: "wrap" or "cupti" */
	uint64_t correlation; /* unique in the process; equal in the call's api_exit */
	/*
	 * Weak: the first `count` integer and pointer arguments, in order, as 64-bit
	 * values. The call may have more arguments, which the recorder cannot read; of an
	 * unknown function, all argument registers are recorded.
	 */
	uint32_t count;
	const uint64_t *arguments;
};

/* A call of an API has returned. */
struct kt_event_api_exit {
	const char *api;
	const char *name;
	const char *by;
	uint64_t correlation;
	uint32_t known;    /* 1 if `result` is what the call returned */
	int32_t result;    /* CUresult or cudaError_t */
	uint64_t duration; /* ns */
};

/* A call that returned with success has given the program a handle of a kernel. */
struct kt_event_api_kernel {
	const char *api;
	uint64_t correlation; /* of the call; 0: the call itself is only counted */
	uint64_t handle;
	uint64_t of;      /* another handle of the same kernel; 0: see `name` */
	const char *name; /* the kernel's name, cut to 511 bytes; may be "" */
};

/* State of one entry point of the API at the end of the process. */
struct kt_event_api_coverage {
	const char *api;
	/*
	 * `name` and `how` are "-" if `state` is "unseen", and not "", because readers of
	 * traces drop empty strings
	 */
	const char *name;
	/*
	 * "wrapped": calls are traced; "counted": calls are counted and not traced
	 * (ktail record --api-calls); "past": bypassed, that is, the program got a
	 * pointer to the entry point past the recorder, so calls are not observed;
	 * "unseen": exported but never looked up (one event for all these entry points of
	 * a library)
	 */
	const char *state;
	/* How the program got the address: "dlsym", "cuGetProcAddress", "import", ... */
	const char *how;
	uint64_t calls; /* traced or counted calls; for "unseen": number of entry points */
};

/* A system call has returned in which a thread may have waited for a device file. */
struct kt_event_wait {
	const char *device; /* device of `fd` */
	int32_t fd;         /* first descriptor of a device among those passed */
	const char *call;   /* "poll", "ppoll", "select", "epoll_wait", ... */
	int32_t result;
	int32_t error;     /* errno, 0 on success */
	uint64_t duration; /* ns */
};

/*
 * Fields of the events that both providers (user space and kernel) have, in the order in
 * which they are recorded. Each provider defines the following macros and then includes
 * this file: KT_TEXT(field), KT_NUMBER(type, field) and KT_HEX(type, field), by the field
 * macros of lttng-ust or LTTng-modules; and KT_CLASS, which records class_ as `class`.
 */
/* clang-format off */
#define KT_FIELDS_OF_process_begin \
	KT_TEXT(name) \
	KT_NUMBER(uint32_t, ppid) \
	KT_TEXT(recorder) \
	KT_TEXT(driver) \
	KT_TEXT(access) \
	KT_TEXT(doorbell) \
	KT_TEXT(api)

#define KT_FIELDS_OF_process_end \
	KT_TEXT(reason) \
	KT_NUMBER(uint64_t, doorbells) \
	KT_NUMBER(uint64_t, idle_doorbells) \
	KT_NUMBER(uint32_t, channels) \
	KT_NUMBER(uint32_t, behind)

#define KT_FIELDS_OF_device_open \
	KT_TEXT(device) \
	KT_NUMBER(int32_t, fd) \
	KT_NUMBER(int32_t, error)

#define KT_FIELDS_OF_ioctl \
	KT_TEXT(device) \
	KT_NUMBER(int32_t, fd) \
	KT_HEX(uint64_t, request) \
	KT_HEX(uint32_t, nr) \
	KT_NUMBER(uint32_t, size) \
	KT_NUMBER(int64_t, result) \
	KT_NUMBER(int32_t, error) \
	KT_NUMBER(uint64_t, duration) \
	KT_HEX(uint32_t, client) \
	KT_HEX(uint32_t, parent) \
	KT_HEX(uint32_t, object) \
	KT_CLASS \
	KT_HEX(uint32_t, command) \
	KT_HEX(uint32_t, status)

#define KT_FIELDS_OF_object \
	KT_TEXT(action) \
	KT_HEX(uint32_t, client) \
	KT_HEX(uint32_t, parent) \
	KT_HEX(uint32_t, object) \
	KT_CLASS

#define KT_FIELDS_OF_map \
	KT_TEXT(device) \
	KT_TEXT(space) \
	KT_NUMBER(uint32_t, mapping) \
	KT_NUMBER(int32_t, error) \
	KT_HEX(uint64_t, address) \
	KT_NUMBER(uint64_t, length) \
	KT_HEX(uint32_t, client) \
	KT_HEX(uint32_t, object) \
	KT_CLASS

#define KT_FIELDS_OF_unmap \
	KT_TEXT(space) \
	KT_NUMBER(uint32_t, mapping) \
	KT_HEX(uint64_t, address) \
	KT_NUMBER(uint64_t, length) \
	KT_HEX(uint32_t, client) \
	KT_HEX(uint32_t, object)

#define KT_FIELDS_OF_access \
	KT_TEXT(op) \
	KT_TEXT(space) \
	KT_NUMBER(uint32_t, mapping) \
	KT_HEX(uint64_t, offset) \
	KT_NUMBER(uint64_t, size) \
	KT_HEX(uint64_t, ip)

#define KT_FIELDS_OF_doorbell \
	KT_TEXT(by) \
	KT_TEXT(space) \
	KT_NUMBER(uint32_t, mapping) \
	KT_HEX(uint64_t, offset) \
	KT_HEX(uint64_t, ip) \
	KT_NUMBER(uint32_t, known) \
	KT_HEX(uint32_t, value) \
	KT_NUMBER(uint32_t, moved) \
	KT_HEX(uint32_t, channel) \
	KT_NUMBER(uint32_t, gp_put)
/* clang-format on */

#endif
