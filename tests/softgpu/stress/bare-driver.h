/* SPDX-License-Identifier: MIT */
/*
 * A minimal user-mode driver for the software GPU: a client, an address space, mapped
 * memory, channels. It uses corpus/softgpu/abi.h independently of the user-mode driver
 * under test, and so verifies the interface separately. A failure ends the program with a
 * message.
 */
#ifndef KTAIL_TESTS_BARE_DRIVER_H
#define KTAIL_TESTS_BARE_DRIVER_H

#include <stdint.h>

#include "corpus/softgpu/abi.h"

#define KT_BARE_ENTRIES    64u /* per ring: it wraps often */
#define KT_BARE_SLOT_WORDS 16u /* pushbuffer dwords per entry */

struct kt_bare_driver {
	int control; /* descriptors */
	int gpu;
	int uvm;
	uint32_t client; /* handles */
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
	uint64_t address; /* GPU and CPU address */
	volatile uint32_t *words;
};

struct kt_bare_channel {
	uint32_t handle;
	uint32_t token;
	volatile uint32_t *ring;
	volatile uint32_t *userd;
	volatile uint32_t *pushbuffer;
	volatile uint32_t *semaphore; /* counts the executed entries */
	volatile struct kt_abi_notification *notifier;
	uint64_t submitted;
	uint64_t done; /* the number of submissions known to be done */
};

void kt_bare_open(struct kt_bare_driver *driver);

/* Creates the channels of one group and schedules it. */
void kt_bare_channels(struct kt_bare_driver *driver, struct kt_bare_channel *channels,
		      unsigned n);

/*
 * Submits one entry with one doorbell: it acquires exactly the semaphore value of the
 * previous entry and increments it. A lost, doubled or reordered entry stops the channel
 * forever.
 */
void kt_bare_submit(struct kt_bare_driver *driver, struct kt_bare_channel *channel);

/* Waits until all submissions are done. */
void kt_bare_wait(struct kt_bare_channel *channel);

/* Frees the client with all its objects. */
void kt_bare_close(struct kt_bare_driver *driver);

#endif
