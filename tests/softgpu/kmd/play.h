/* SPDX-License-Identifier: MIT */
/*
 * Acts as a user-mode driver of the KMD that uses only open, ioctl and mmap, in the order
 * of corpus/softgpu/truth/driver.points. A function named after a request returns the
 * request's status, or PLAY_FAILED with errno if the call itself failed.
 */
#ifndef KTAIL_TESTS_SOFTGPU_PLAY_H
#define KTAIL_TESTS_SOFTGPU_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/abi.h"

#define PLAY_MEMORY_BLOCK 0x8000000u /* size of a memory block, of all plays */
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
	uint64_t next_address; /* next free address, for the GPU and for CPU mappings */
	uint8_t uuid[KT_ABI_UUID_SIZE];
	volatile uint8_t *registers;
	volatile uint8_t *doorbell;
};

struct play_memory {
	uint32_t handle;
	uint32_t class_number;
	uint64_t address;
	uint64_t bytes;
	volatile uint8_t *cpu; /* CPU mapping; NULL: none */
};

struct play_channel {
	struct play_memory error;
	uint32_t handle;
	uint32_t copy;
	uint32_t compute;
	uint32_t token;
	struct play_memory *ring; /* not owned: entries at `ring_at`, USERD at `userd_at` */
	uint64_t ring_at;
	uint64_t userd_at;
	struct play_memory *push; /* not owned: dwords from byte `push_at` on */
	uint64_t push_at;
	uint32_t put;
};

#define PLAY_ENTRIES 64u

/* --- single requests --- */

/*
 * Makes an ioctl of nvidiactl or nvidia0, with `size` in the request number. Returns
 * ioctl's result.
 */
int play_rm(int fd, unsigned nr, void *data, size_t size);
uint32_t play_alloc(const struct play *p, uint32_t parent, uint32_t object,
		    uint32_t class_number, void *params, uint32_t size);
uint32_t play_free(const struct play *p, uint32_t object);
/* Returns whether the client has no object with this handle. */
bool play_is_absent(const struct play *p, uint32_t object);
uint32_t play_control(const struct play *p, uint32_t object, uint32_t command, void *params,
		      uint32_t size);
/*
 * Requests a mapping (0x4e) with a new descriptor of `file`. The caller maps memory from
 * *fd and closes it.
 */
uint32_t play_map(const struct play *p, const char *file, uint32_t device, uint32_t memory,
		  uint64_t offset, uint64_t length, int *fd);
uint32_t play_unmap(const struct play *p, uint32_t memory, volatile void *cpu);
uint32_t play_register(const struct play *p, uint32_t object, void *user, uint64_t bytes);
uint32_t play_create_external(const struct play *p, uint64_t base, uint64_t length);
uint32_t play_map_external(const struct play *p, uint64_t base, uint64_t length,
			   uint32_t memory, uint64_t offset);
uint32_t play_free_external(const struct play *p, uint64_t base, uint64_t length);

/*
 * --- steps of a driver; on failure they print a line on standard error and return false
 * ---
 */

bool play_open(struct play *p);
void play_close(struct play *p);

bool play_memory_create(struct play *p, struct play_memory *m, uint32_t class_number,
			uint64_t bytes, bool mapped);
bool play_memory_destroy(struct play *p, struct play_memory *m);

/* Creates a channel group and its context share, and stores their handles. */
bool play_group_create(struct play *p, uint32_t *group, uint32_t *share);
/* Creates a channel in part i of `ring` and `push`, which several channels share. */
bool play_channel_create(struct play *p, struct play_channel *c, uint32_t group,
			 uint32_t share, struct play_memory *ring, struct play_memory *push,
			 unsigned i);
bool play_channel_destroy(struct play *p, struct play_channel *c);
bool play_schedule(struct play *p, uint32_t group);

/*
 * Submits n dwords to the channel: writes the pushbuffer, an entry, GP_PUT and the
 * doorbell.
 */
void play_submit(struct play *p, struct play_channel *c, const uint32_t *words, size_t n);
/*
 * Encodes a write of `value` to `address` by inline data, and a release of the semaphore at
 * `semaphore` with `payload`. Returns the number of dwords, at most 32.
 */
size_t play_words(uint32_t *words, uint64_t address, uint32_t value, uint64_t semaphore,
		  uint32_t payload);
/*
 * Polls until the dword equals `value`. Returns false if the channel reports an error
 * first.
 */
bool play_wait(struct play_channel *c, const volatile uint32_t *word, uint32_t value);

/*
 * Runs all steps from the first open to the last close, with 50 submissions. Returns
 * whether all succeeded.
 */
bool play_whole_way(void);

#endif
