/* SPDX-License-Identifier: MIT */
/*
 * Plays a user-mode driver in front of the KMD, by open, ioctl and mmap alone, in the
 * order that corpus/softgpu/truth/driver.points gives. Functions named for a request give
 * its status, or PLAY_FAILED where the call itself failed (errno tells why).
 */
#ifndef KTAIL_TESTS_SOFTGPU_PLAY_H
#define KTAIL_TESTS_SOFTGPU_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/abi.h"

#define PLAY_FAILED 0xffffffffu

struct play {
	int control;
	int gpu;
	int uvm;
	int uvm_mm;
	uint32_t client;
	uint32_t device;
	uint32_t subdevice;
	uint32_t space;
	uint32_t next_handle;
	uint64_t next_address; /* of the GPU's, and of mappings */
	uint8_t uuid[KT_ABI_UUID_SIZE];
	volatile uint8_t *registers;
	volatile uint8_t *doorbell;
};

struct play_memory {
	uint32_t handle;
	uint32_t class_number;
	uint64_t address;
	uint64_t bytes;
	volatile uint8_t *cpu; /* NULL: not mapped */
};

struct play_channel {
	struct play_memory error;
	uint32_t handle;
	uint32_t copy;
	uint32_t compute;
	uint32_t token;
	struct play_memory *ring; /* Weak: entries at `ring_at`, USERD at `userd_at` */
	uint64_t ring_at;
	uint64_t userd_at;
	struct play_memory *push; /* Weak: words go to `push_at` on */
	uint64_t push_at;
	uint32_t put;
};

#define PLAY_ENTRIES 64u

/* --- single requests --- */

/* ioctl of nvidiactl or nvidia0 with the struct's size in its number. */
int play_rm(int fd, unsigned nr, void *data, size_t size);
uint32_t play_alloc(const struct play *p, uint32_t parent, uint32_t object,
		    uint32_t class_number, void *params, uint32_t size);
uint32_t play_free(const struct play *p, uint32_t object);
uint32_t play_control(const struct play *p, uint32_t object, uint32_t command, void *params,
		      uint32_t size);
/* 0x4e with a fresh descriptor of `file`; *fd is it, for the caller to map and close. */
uint32_t play_map(const struct play *p, const char *file, uint32_t device, uint32_t memory,
		  uint64_t offset, uint64_t length, int *fd);
uint32_t play_unmap(const struct play *p, uint32_t memory, volatile void *cpu);
uint32_t play_register(const struct play *p, uint32_t object, void *user, uint64_t bytes);
uint32_t play_create_external(const struct play *p, uint64_t base, uint64_t length);
uint32_t play_map_external(const struct play *p, uint64_t base, uint64_t length,
			   uint32_t memory, uint64_t offset);
uint32_t play_free_external(const struct play *p, uint64_t base, uint64_t length);

/* --- what a driver does with them: false, with a line on standard error, if one fails ---
 */

bool play_open(struct play *p);
void play_close(struct play *p);

bool play_memory_create(struct play *p, struct play_memory *m, uint32_t class_number,
			uint64_t bytes, bool mapped);
bool play_memory_destroy(struct play *p, struct play_memory *m);

/* A channel group with its share; *group is given. */
bool play_group_create(struct play *p, uint32_t *group, uint32_t *share);
/* The i-th channel in `ring` and `push`, which hold those of several. */
bool play_channel_create(struct play *p, struct play_channel *c, uint32_t group,
			 uint32_t share, struct play_memory *ring, struct play_memory *push,
			 unsigned i);
bool play_channel_destroy(struct play *p, struct play_channel *c);
bool play_schedule(struct play *p, uint32_t group);

/* Hands words to the channel: pushbuffer, entry, GP_PUT, doorbell. */
void play_submit(struct play *p, struct play_channel *c, const uint32_t *words, size_t n);
/*
 * The words of: `value` to `address` by data in the command stream, then a release of the
 * semaphore at `semaphore`. At most 32; the number is given.
 */
size_t play_words(uint32_t *words, uint64_t address, uint32_t value, uint64_t semaphore,
		  uint32_t payload);
/* Polls until the 32-bit word is `value`; false: the channel's error came first. */
bool play_wait(struct play_channel *c, const volatile uint32_t *word, uint32_t value);

/* All of it: from the first open to the last close, with 50 submissions. */
bool play_whole_way(void);

#endif
