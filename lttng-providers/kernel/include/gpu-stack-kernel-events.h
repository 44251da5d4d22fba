/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Events that only the kernel's provider has, as C structs. Events of both providers are in
 * lttng-providers/ust/gpu-stack-events.h. ktail-events(7) documents the fields for readers
 * of traces.
 */
#ifndef KTAIL_GPU_STACK_KERNEL_EVENTS_H
#define KTAIL_GPU_STACK_KERNEL_EVENTS_H

#include <stdint.h>

#include "lttng-providers/ust/gpu-stack-events.h"

#define KT_FIRST_BYTES 64 /* limit of the bytes of an ioctl's argument in an event */

/* First bytes of an ioctl's argument, as far as they could be read. */
struct kt_first_bytes {
	uint32_t count;
	const uint8_t *bytes; /* Weak: valid during the call only */
};

/* An ioctl begins; kt_event_ioctl is emitted when it has returned. */
struct kt_event_ioctl_entry {
	const char *device;
	int32_t fd;
	uint64_t request;
	struct kt_first_bytes first;
};

/* The driver's mmap has returned. This is the raw call; kt_event_map is the decoded one. */
struct kt_event_mmap {
	const char *device;
	int32_t fd;    /* lowest descriptor of the file; -1: none */
	int32_t error; /* errno, 0 on success */
	uint64_t address;
	uint64_t length;
	uint64_t offset;
	uint32_t protection; /* PROT_* */
	uint32_t flags;      /* MAP_SHARED or MAP_PRIVATE */
};

/* Part of a device mapping was unmapped. */
struct kt_event_munmap {
	uint32_t mapping;
	uint64_t address;
	uint64_t length;
};

/* During a traced ioctl, the driver asked the kernel to pin pages of the process. */
struct kt_event_pin {
	uint64_t address;
	uint64_t pages; /* number requested */
	int64_t result; /* number of pages pinned, or a negative errno */
};

/*
 * A handler of an interrupt line that the parameter `irq` names has returned. The event
 * belongs to no process: pid and tid are 0, and seq counts the events of the line.
 */
struct kt_event_irq {
	uint32_t line;
	uint32_t cpu;
	uint32_t handled; /* 1 if the handler accepted the interrupt, else 0 */
};

#endif
