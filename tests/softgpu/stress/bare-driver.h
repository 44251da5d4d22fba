/* SPDX-License-Identifier: MIT */
/*
 * A minimal user-mode driver for the software GPU: a client, an address space, mapped
 * memory and channels. It uses corpus/softgpu/abi.h independently of the user-mode driver
 * under test, and thus tests the interface separately. A failure ends the program with a
 * message.
 */
#ifndef KTAIL_TESTS_BARE_DRIVER_H
#define KTAIL_TESTS_BARE_DRIVER_H

#include <stdint.h>

#include "corpus/softgpu/abi.h"

#define KT_BARE_ENTRIES    64u /* of each ring; few, so that it wraps often */
#define KT_BARE_SLOT_WORDS 16u /* dwords of the pushbuffer for each entry */

struct kt_bare_driver {
	int control; /* descriptors: control, gpu, uvm */
	int gpu;
	int uvm;
	uint32_t client; /* handles: client, device, subdevice, space */
	uint32_t device;
	uint32_t subdevice;
	uint32_t space;
	uint32_t group;
	uint32_t share;
	uint32_t next_handle;
	uint64_t next_address;
	uint8_t uuid[KT_ABI_UUID_SIZE];
	volatile uint32_t *doorbell;
};

struct kt_bare_memory {
	uint32_t handle;
	uint64_t address; /* address on both the GPU and the CPU */
	volatile uint32_t *words;
};

struct kt_bare_channel {
	uint32_t handle;
	uint32_t token;
	volatile uint32_t *ring;
	volatile uint32_t *userd;
	volatile uint32_t *pushbuffer;
	volatile uint32_t *semaphore; /* number of executed entries, modulo 2^32 */
	volatile struct kt_abi_notification *notifier;
	uint64_t submitted;
	uint64_t done; /* number of submissions known to be complete */
};

void kt_bare_open(struct kt_bare_driver *driver);

/* Creates n channels in one group and schedules the group. */
void kt_bare_channels(struct kt_bare_driver *driver, struct kt_bare_channel *channels,
		      unsigned n);

/*
 * Submits one entry with one doorbell. The entry waits for exactly the semaphore value of
 * the previous entry and increments it, so a lost, repeated or reordered entry stops the
 * channel for ever.
 */
void kt_bare_submit(struct kt_bare_driver *driver, struct kt_bare_channel *channel);

/* Waits until all submissions are complete. */
void kt_bare_wait(struct kt_bare_channel *channel);

/* Frees the client with all its objects. */
void kt_bare_close(struct kt_bare_driver *driver);

#endif
