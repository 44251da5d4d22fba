/* SPDX-License-Identifier: MIT */
/*
 * Input format of fuzz-rm.c: the driver's release in 4 bytes, then calls. Each call is a
 * struct rm_call, the bytes of its argument, and the bytes to which the argument points.
 */
#ifndef KTAIL_TESTS_RM_INPUT_H
#define KTAIL_TESTS_RM_INPUT_H

#include <stddef.h>
#include <stdint.h>

enum rm_flags {
	RM_UVM = 1,     /* a request of the unified-memory driver */
	RM_POINTED = 2, /* the argument's pointer is set to the bytes after the argument */
	RM_BEFORE = 4,  /* the argument begins in a closed page */
	RM_FAILED = 8,  /* the driver returns an error */
};

struct rm_call {
	uint32_t request; /* request number of ioctl(2) */
	uint16_t argument;
	uint16_t params;
	uint8_t flags;
	uint8_t unused[3];
};

/* Counters and last values of one input. */
struct rm_seen {
	unsigned allocs; /* object events; likewise the next three */
	unsigned frees;
	unsigned pins;
	unsigned unpins;
	unsigned channels; /* added channels whose GP_PUT can be read */
	uint32_t release;
	uint32_t class_; /* class of the last object */
};
extern struct rm_seen kt_rm_seen;

/*
 * Returns the address of the memory to which arguments point. The page before it is closed.
 */
uint64_t kt_rm_pointed(void);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
