/* SPDX-License-Identifier: MIT */
/*
 * The smallest user-mode driver that can hand commands to the software GPU: a client, an
 * address space, mapped memory, channels. It speaks corpus/softgpu/abi.h by itself, so it
 * says something about the interface that the driver under test does not say. Whatever goes
 * wrong ends the program with a message.
 */
#ifndef KTAIL_TESTS_BARE_DRIVER_H
#define KTAIL_TESTS_BARE_DRIVER_H

#include <stdint.h>

#include "corpus/softgpu/abi.h"

#define KT_BARE_ENTRIES    64u /* of a ring: it wraps often */
#define KT_BARE_SLOT_WORDS 16u /* of pushbuffer for an entry */

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
	uint64_t address; /* GPU and CPU */
	volatile uint32_t *words;
};

struct kt_bare_channel {
	uint32_t handle;
	uint32_t token;
	volatile uint32_t *ring;
	volatile uint32_t *userd;
	volatile uint32_t *pushbuffer;
	volatile uint32_t *semaphore; /* counts what the device has done */
	volatile struct kt_abi_notification *notifier;
	uint64_t submitted;
	uint64_t done; /* of these, known to be */
};

void kt_bare_open(struct kt_bare_driver *driver);

/* Channels of one group, which then runs. */
void kt_bare_channels(struct kt_bare_driver *driver, struct kt_bare_channel *channels,
		      unsigned n);

/*
 * One entry, one doorbell: the channel's semaphore must be exactly what the entry before
 * left there, and becomes one more. An entry that is lost, doubled or out of order stops
 * the channel for good.
 */
void kt_bare_submit(struct kt_bare_driver *driver, struct kt_bare_channel *channel);

/* Until all that was submitted has been done. */
void kt_bare_wait(struct kt_bare_channel *channel);

/* Ends the client, and with it all that is its. */
void kt_bare_close(struct kt_bare_driver *driver);

#endif
