/* SPDX-License-Identifier: MIT */
/*
 * What fuzz-rm.c takes for input: the driver's release in 4 bytes, then calls, each a
 * struct rm_call, the bytes of its argument and the bytes that this points to.
 */
#ifndef KTAIL_TESTS_RM_INPUT_H
#define KTAIL_TESTS_RM_INPUT_H

#include <stddef.h>
#include <stdint.h>

enum rm_flags {
	RM_UVM = 1,     /* of the unified-memory driver */
	RM_POINTED = 2, /* the argument's pointer names the bytes after the argument */
	RM_BEFORE = 4,  /* the argument's first byte is of a closed page */
	RM_FAILED = 8,  /* the driver says no */
};

struct rm_call {
	uint32_t request; /* as ioctl(2) takes it */
	uint16_t argument;
	uint16_t params;
	uint8_t flags;
	uint8_t unused[3];
};

/* What came of an input. */
struct rm_seen {
	unsigned allocs; /* object events */
	unsigned frees;
	unsigned pins;
	unsigned unpins;
	unsigned channels; /* that were added and have a readable GP_PUT */
	uint32_t release;
	uint32_t class_; /* of the last object */
};
extern struct rm_seen kt_rm_seen;

/* Where the room for what arguments point to begins; the page before it is closed. */
uint64_t kt_rm_pointed(void);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
