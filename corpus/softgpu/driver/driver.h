/* SPDX-License-Identifier: MIT */
/*
 * The parts of the software GPU's libcuda.so.1 and what each gives to those above it:
 *
 *   api-*.c       the exported functions: arguments, current context, results
 *   copies.c launch.c stream.c graph.c                    what a call means
 *   submit.c                                              commands out, completion back
 *   context.c channel.c heap.c memory.c host.c            what a context is made of
 *   device.c rm.c                                         the kernel's driver
 *
 * At its lower interface the driver does what corpus/softgpu/truth/driver.points says,
 * letter by letter: a change in the order of requests or of accesses to mapped memory
 * is made in that file too, and a test compares the two.
 *
 * Results are CUDA's (enum kt_cu_error). Whatever maps or reaches memory of the device does
 * so through struct kt_memory; every access to `cpu` of one is an event for a recorder
 * it, so it is made on purpose: no memset, no reading back of what was written.
 */
#ifndef KTAIL_SOFTGPU_DRIVER_H
#define KTAIL_SOFTGPU_DRIVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/abi.h"
#include "corpus/softgpu/driver/labels.h"
#include "corpus/workloads/cuda-driver.h"
#include "decode/gpfifo.h"

enum kt_cu_error {
	KT_CU_OK = 0,
	KT_CU_INVALID_VALUE = 1,
	KT_CU_OUT_OF_MEMORY = 2,
	KT_CU_NOT_INITIALIZED = 3,
	KT_CU_NO_DEVICE_HERE = 100,
	KT_CU_INVALID_DEVICE = 101,
	KT_CU_INVALID_IMAGE = 200,
	KT_CU_INVALID_CONTEXT = 201,
	KT_CU_NO_BINARY_FOR_GPU = 209,
	KT_CU_OPERATING_SYSTEM = 304,
	KT_CU_INVALID_HANDLE = 400,
	KT_CU_ILLEGAL_STATE = 401,
	KT_CU_NOT_FOUND = 500,
	KT_CU_NOT_READY = 600,
	KT_CU_ILLEGAL_ADDRESS = 700,
	KT_CU_CONTEXT_IS_DESTROYED = 709,
	KT_CU_HOST_ALREADY_REGISTERED = 712,
	KT_CU_HOST_NOT_REGISTERED = 713,
	KT_CU_ILLEGAL_INSTRUCTION = 715,
	KT_CU_LAUNCH_FAILED = 719,
	KT_CU_NOT_SUPPORTED = 801,
	KT_CU_CAPTURE_UNSUPPORTED = 900,
	KT_CU_CAPTURE_INVALIDATED = 901,
	KT_CU_CAPTURE_IMPLICIT = 906,
	KT_CU_CAPTURE_WRONG_THREAD = 908,
	KT_CU_UNKNOWN = 999,
};

/* --- device.c: one for the process, opened by cuInit --- */

enum kt_transfer {
	KT_TRANSFER_DMA =
		0, /* inline up to KT_INLINE_BYTES to the device, the copy engine else */
	KT_TRANSFER_MAPPED, /* load and store through the device-memory aperture */
	KT_TRANSFER_WINDOW, /* through the movable window */
	KT_TRANSFER_CHUNK1, /* 256 bytes at a time, one mailbox */
	KT_TRANSFER_CHUNK4, /* the same, four */
};

#define KT_INLINE_BYTES     24576u   /* the largest copy inside the command stream */
#define KT_STAGING_BYTES    1048576u /* a piece of a copy from or to pageable memory */
#define KT_CHANNELS         4        /* of a context; streams share them in turn */
#define KT_RING_ENTRIES     1024u
#define KT_PUSHBUFFER_BYTES 1048576u /* of a channel */
#define KT_SEMAPHORES       4096u    /* of a context, 16 bytes each */
#define KT_LAUNCHES_BYTES   8388608u /* of a context's `launches` */

struct kt_driver {
	int control; /* descriptors */
	int gpu;
	int uvm;
	int uvm_mm;
	uint32_t client; /* handles */
	uint32_t device;
	uint32_t subdevice;
	uint32_t space;
	uint32_t next_handle;
	uint8_t uuid[KT_ABI_UUID_SIZE];
	char name[64];
	uint64_t memory_bytes;
	volatile uint8_t *registers; /* a usermode mapping: its timer */
	volatile uint8_t *doorbell;  /* the other one: its doorbell */
	int version;                 /* KTAIL_SOFTGPU_DRIVER: 1 or 2 (default) */
	enum kt_transfer transfer;   /* KTAIL_SOFTGPU_TRANSFER: dma, mapped, window, ... */
	int pid;                     /* who opened it: a forked child has no driver */
};

/* The open driver, or NULL: also in a forked child. */
struct kt_driver *kt_driver_get(void);
/* Whether this is a forked child of who opened it: then nothing here is to be waited for.
 */
bool kt_driver_is_parents(void);
/* Once is enough. KT_CU_INVALID_VALUE: a variable of the environment says nothing known. */
int kt_driver_open(void);

/* --- memory.c: objects and their mappings --- */

enum kt_memory_kind {
	KT_MEMORY_DEVICE = 0,    /* a GPU address alone; `cpu` is NULL */
	KT_MEMORY_DEVICE_MAPPED, /* and a CPU mapping at the same address, below 2^40 */
	KT_MEMORY_SYSTEM,        /* the same in system memory */
	KT_MEMORY_USER,          /* registered memory of the user, at its own address */
	KT_MEMORY_DEVICE_LOW,    /* as DEVICE, below 2^40: where descriptors must lie */
};

struct kt_memory {
	enum kt_memory_kind kind;
	uint32_t handle;
	uint64_t address; /* GPU */
	uint64_t bytes;   /* rounded up to pages */
	volatile uint8_t *cpu;
};

int kt_memory_create(struct kt_memory *out, enum kt_memory_kind kind, uint64_t bytes);
int kt_memory_register(struct kt_memory *out, void *user, uint64_t bytes);
/* Unmaps, unregisters, frees; nothing is left of it. */
void kt_memory_destroy(struct kt_memory *memory);

/* --- heap.c: device memory in small pieces, from slabs of KT_ABI_BIG_PAGE --- */

struct kt_heap;
int kt_heap_create(struct kt_heap **out);
void kt_heap_destroy(struct kt_heap *heap);
/* 256-byte aligned; from 1 MiB on an object of its own. Thread-safe. */
int kt_heap_allocate(struct kt_heap *heap, uint64_t bytes, uint64_t *address);
/* KT_CU_INVALID_VALUE: no such piece. */
int kt_heap_free(struct kt_heap *heap, uint64_t address);
/* The piece that holds the address: its object, for apertures; false: none. */
bool kt_heap_find(struct kt_heap *heap, uint64_t address, struct kt_memory *object,
		  uint64_t *piece_address, uint64_t *piece_bytes);
/* Bytes in pieces of all heaps of the process, with what they were rounded up by. */
uint64_t kt_heap_used(void);

/* --- context.c, channel.c --- */

/*
 * A semaphore of 16 bytes (payload, unused, time) that only grows. The payload has the low
 * 32 bits of a value; values compare as if they wrapped around.
 */
struct kt_semaphore {
	uint32_t index; /* in the context's `semaphores` */
	uint64_t value; /* that its last release will have written */
};

struct kt_channel {
	struct kt_context *context; /* Weak */
	uint32_t index;             /* in the context */
	uint32_t error_memory;      /* handles */
	uint32_t handle;
	uint32_t compute;
	uint32_t copy;
	uint32_t token;
	volatile struct kt_abi_notification *notifier;
	uint64_t notifier_bytes;
	pthread_mutex_t lock;         /* one submission at a time */
	struct kt_semaphore progress; /* released at the end of each submission */
	/* see submit.c: numbers of entries and of bytes that only grow */
	uint32_t put;
	uint64_t pushbuffer_at;
	struct {
		uint64_t value; /* of progress, when the entry is done */
		uint64_t end;   /* pushbuffer_at after it */
	} entries[KT_RING_ENTRIES];
	uint32_t oldest;
	unsigned polls;   /* of kt_wait_poll: whose notifier has its turn */
	uint64_t done_at; /* `end` of the last entry that is known to be done */
};

struct kt_context {
	struct kt_context *next; /* of the driver's list */
	uint64_t serial;         /* no other one of the process had it */
	unsigned references;     /* of the primary one */
	bool primary;
	bool blocking; /* sleep between looks in a wait. Atomic */
	uint32_t group;
	uint32_t share;
	struct kt_memory ring; /* rings, then USERDs, of all channels */
	struct kt_memory pushbuffer;
	struct kt_memory semaphores;
	struct kt_memory staging;  /* bytes 0: not needed yet */
	struct kt_memory launches; /* see launch.c */
	struct kt_channel channels[KT_CHANNELS];
	struct kt_heap *heap;
	pthread_mutex_t lock; /* of what follows, and of staging */
	uint64_t semaphores_used[KT_SEMAPHORES / 64];
	uint64_t semaphore_values[KT_SEMAPHORES];  /* the last value of those given back */
	uint8_t semaphore_channels[KT_SEMAPHORES]; /* 1 + who released it last; 0: nobody */
	unsigned next_channel;
	int error; /* sticky: what every later call gives */
};

/*
 * Where things lie in the memory of a context: in `ring` the rings of its channels one
 * after the other, then their USERDs; in `pushbuffer` a part a channel.
 */
#define KT_RING_BYTES (KT_RING_ENTRIES * KT_GPFIFO_ENTRY_BYTES)

/* NVIDIA's driver has mappings of at least this size: a big page. */
static inline uint64_t kt_big_pages(uint64_t bytes)
{
	return (bytes + KT_ABI_BIG_PAGE - 1) & ~(uint64_t)(KT_ABI_BIG_PAGE - 1);
}

static inline uint64_t kt_ring_offset(uint32_t channel)
{
	return (uint64_t)channel * KT_RING_BYTES;
}

static inline uint64_t kt_userd_offset(uint32_t channel)
{
	return (uint64_t)KT_CHANNELS * KT_RING_BYTES + (uint64_t)channel * KT_USERD_BYTES;
}

static inline uint64_t kt_ring_address(const struct kt_channel *channel)
{
	return channel->context->ring.address + kt_ring_offset(channel->index);
}

/* An offset in the channel's part of the pushbuffer, for the CPU and the GPU. */
static inline volatile uint8_t *kt_pushbuffer_at(const struct kt_channel *channel,
						 uint64_t offset)
{
	return channel->context->pushbuffer.cpu +
	       (uint64_t)channel->index * KT_PUSHBUFFER_BYTES + offset;
}

static inline uint64_t kt_pushbuffer_address(const struct kt_channel *channel,
					     uint64_t offset)
{
	return channel->context->pushbuffer.address +
	       (uint64_t)channel->index * KT_PUSHBUFFER_BYTES + offset;
}

int kt_context_create(struct kt_context **out, bool primary, bool blocking);
/* With all that its program made in it. */
void kt_context_destroy(struct kt_context *context);
/* The first part of that (api-context.c): streams, events, modules, graphs, locked memory.
 */
void kt_context_clear(struct kt_context *context);
/* What a thread has as its context: another one may have come to the address since. */
struct kt_current {
	struct kt_context *context; /* Weak. NULL: none */
	uint64_t serial;
};
/* The calling thread's. */
struct kt_current kt_context_current(void);
void kt_context_set_current(struct kt_current next);
/* The same with a context that lives. */
void kt_context_make_current(struct kt_context *context);
/* Whether it lives still. */
bool kt_current_is_alive(struct kt_current current);
/* Whether it is one of the process's living ones. */
bool kt_context_is_alive(struct kt_context *context);
/* The primary one, made if nobody has it yet: one reference more. */
int kt_context_retain_primary(struct kt_context **out);
/* With the last reference it is destroyed. KT_CU_INVALID_CONTEXT: nobody has it. */
int kt_context_release_primary(void);
/* Whether waits of the primary context sleep, now and when it is made later. */
void kt_context_set_primary_blocking(bool blocking);
/* The error that every later call gives; KT_CU_OK: none. Any thread. */
int kt_context_error(const struct kt_context *context);
/* The first one stays. */
void kt_context_fail(struct kt_context *context, int error);

/* A semaphore of the context; no access to memory. KT_CU_OUT_OF_MEMORY: all are in use. */
int kt_semaphore_take(struct kt_context *context, struct kt_semaphore *out);
void kt_semaphore_give(struct kt_context *context, const struct kt_semaphore *semaphore);
uint64_t kt_semaphore_address(const struct kt_context *context, uint32_t index); /* GPU */

int kt_channel_create(struct kt_context *context, uint32_t index);
void kt_channel_destroy(struct kt_channel *channel);
/* SET_OBJECT of its two engine classes, the first submission. */
int kt_channel_bind(struct kt_channel *channel);
/* A look at the notifier: the error of a dead channel, which is the context's then. */
int kt_channel_check(struct kt_channel *channel);

/*
 * --- host.c: locked host memory, allocated by the driver or the program's own ---
 *
 * The device reaches it at the program's addresses, and all contexts share one address
 * space, so a range is locked for all of them while it belongs to the context that locked
 * it.
 */

int kt_host_allocate(struct kt_context *context, void **memory, size_t bytes);
int kt_host_register(struct kt_context *context, void *memory, size_t bytes);
/* INVALID_VALUE: never allocated; HOST_NOT_REGISTERED: never registered. */
int kt_host_free(void *memory);
int kt_host_unregister(void *memory);
/* Whether all of it is locked. O(ranges). */
bool kt_host_holds(const void *memory, size_t bytes);
/* All of a context, which has nothing under way any more. */
void kt_host_clear(struct kt_context *context);

/* --- push.c: commands as words, in ordinary memory --- */

enum { KT_SUBCHANNEL_COMPUTE = 1, KT_SUBCHANNEL_COPY = 4, KT_SUBCHANNEL_HOST = 0 };

struct kt_push {
	uint32_t *words; /* Owned by this */
	size_t n;
	size_t capacity;
	bool failed; /* out of memory: nothing was added since */
};

void kt_push_free(struct kt_push *push);
/* A header for n words that follow by kt_push_word(s), each to the next method. */
void kt_push_methods(struct kt_push *push, unsigned subchannel, unsigned offset,
		     unsigned n);
/* The same with all words to one method. */
void kt_push_data(struct kt_push *push, unsigned subchannel, unsigned offset, unsigned n);
void kt_push_word(struct kt_push *push, uint32_t word);
void kt_push_words(struct kt_push *push, const void *data, size_t n);
/* One method with one word; up to 13 bits go into the header. */
void kt_push_method(struct kt_push *push, unsigned subchannel, unsigned offset,
		    uint32_t value);
/* Host: waits until the semaphore is at least `value`; releases it with a timestamp. */
#define KT_RELEASE_WORDS 6
void kt_push_acquire(struct kt_push *push, uint64_t address, uint64_t value);
void kt_push_release(struct kt_push *push, uint64_t address, uint64_t value);
/* The words of a release. */
void kt_release_encode(uint32_t words[static KT_RELEASE_WORDS], uint64_t address,
		       uint64_t value);

/* --- submit.c --- */

/*
 * Hands the words to the channel, followed by a release of its progress semaphore: reserve
 * and ring_once of driver.points. *value (may be NULL) is what that semaphore will have.
 * KT_CU_INVALID_VALUE: more than the channel's pushbuffer holds; nothing was submitted.
 */
int kt_submit(struct kt_channel *channel, const struct kt_push *push, uint64_t *value);

/*
 * The same as several submissions, each with a doorbell of its own, for which room is made
 * once, before the first: parts[i] is where the words of part i end. All together have to
 * fit into the ring (fewer than KT_RING_ENTRIES) and the pushbuffer, each part with the
 * KT_RELEASE_WORDS of its release.
 */
int kt_submit_parts(struct kt_channel *channel, const struct kt_push *push,
		    const size_t *parts, size_t n, uint64_t *value);

/*
 * One look: KT_CU_OK, KT_CU_NOT_READY, or the context's error. What is not done may wait
 * for a channel that is dead: looks in a row see all of the context's notifiers in turn.
 */
int kt_wait_poll(struct kt_channel *channel, const struct kt_semaphore *semaphore,
		 uint64_t value);
/* Until the semaphore, which `channel` releases, is at least `value`. */
int kt_wait(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	    uint64_t value);
/* Whether all that was submitted to the channel is done: one look. */
bool kt_wait_is_idle(struct kt_channel *channel);
/* `sleep`: between looks, also in a context whose waits do not. */
int kt_wait_so(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	       uint64_t value, bool sleep);
/* For all that was submitted to the channel, to each of the context's channels in turn. */
int kt_wait_channel(struct kt_channel *channel);
int kt_wait_all(struct kt_context *context);

#endif
