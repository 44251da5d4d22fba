/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Events that only the kernel's provider has, as C structs; the others are those of the
 * user-space provider (lttng-providers/ust/gpu-stack-events.h). ktail-events(7) says what
 * each field means to a reader of the trace.
 */
#ifndef KTAIL_GPU_STACK_KERNEL_EVENTS_H
#define KTAIL_GPU_STACK_KERNEL_EVENTS_H

#include <stdint.h>

#include "lttng-providers/ust/gpu-stack-events.h"

#define KT_FIRST_BYTES 64 /* of an ioctl's argument that travel with its events */

/* The first bytes of an ioctl's argument, as far as they could be read. */
struct kt_first_bytes {
	uint32_t count;
	const uint8_t *bytes; /* need to live only during the call */
};

/* An ioctl begins; `gpu_stack_ioctl` stands where it has returned. */
struct kt_event_ioctl_entry {
	const char *device;
	int32_t fd;
	uint64_t request;
	struct kt_first_bytes first;
};

/* The driver's mmap has returned: the raw call. What it means is in `map`. */
struct kt_event_mmap {
	const char *device;
	int32_t fd;    /* the lowest descriptor of that file, -1: none */
	int32_t error; /* errno, 0 if it worked */
	uint64_t address;
	uint64_t length;
	uint64_t offset;
	uint32_t protection; /* PROT_* */
	uint32_t flags;      /* MAP_SHARED or MAP_PRIVATE */
};

/* A part of a device mapping is gone. */
struct kt_event_munmap {
	uint32_t mapping;
	uint64_t address;
	uint64_t length;
};

/* Pages of the process were pinned in the course of a traced ioctl. */
struct kt_event_pin {
	uint64_t address;
	uint64_t pages; /* that were asked for */
	int64_t result; /* how many were pinned, or a negative errno */
};

/* An interrupt of the device; belongs to no process: pid and tid are 0. */
struct kt_event_irq {
	uint32_t line;
	uint32_t cpu;
	uint32_t handled; /* 1 if a handler took it */
};

#endif
