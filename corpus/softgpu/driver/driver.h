/* SPDX-License-Identifier: MIT */
/*
 * The layers of the software GPU's libcuda.so.1, from top to bottom:
 *
 *   api-*.c       the exported functions: arguments, current context, results
 *   copies.c launch.c stream.c graph.c                    the work that a call asks for
 *   submit.c                                              submission and completion
 *   context.c channel.c heap.c memory.c host.c stack.c    the parts of a context
 *   device.c rm.c                                         requests to the KMD
 *
 * At its lower interface the driver follows corpus/softgpu/truth/driver.points letter by
 * letter: a change in the order of requests or of accesses to mapped memory must also be
 * made in that file, and a test compares the two.
 *
 * Results are CUDA's (enum kt_cu_error). All device memory is mapped and accessed through
 * struct kt_memory. A recorder sees every access through the member `cpu` as an event, so
 * the driver makes no access that it does not need: no memset, no reading back.
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
	KT_CU_OUT_OF_RESOURCES = 701,
	KT_CU_CONTEXT_IS_DESTROYED = 709,
	KT_CU_HOST_ALREADY_REGISTERED = 712,
	KT_CU_HOST_NOT_REGISTERED = 713,
	KT_CU_ILLEGAL_INSTRUCTION = 715,
	KT_CU_LAUNCH_FAILED = 719,
	KT_CU_NOT_SUPPORTED = 801,
	KT_CU_DRIVER_MISMATCH = 803,
	KT_CU_CAPTURE_UNSUPPORTED = 900,
	KT_CU_CAPTURE_INVALIDATED = 901,
	KT_CU_CAPTURE_IMPLICIT = 906,
	KT_CU_CAPTURE_WRONG_THREAD = 908,
	KT_CU_UNKNOWN = 999,
};

/* --- device.c: the process's driver, opened by cuInit --- */

enum kt_transfer {
	KT_TRANSFER_DMA =
		/* inline data or the copy engine (work/copies.h) */
	0,
	KT_TRANSFER_MAPPED, /* CPU loads and stores in the device-memory aperture */
	KT_TRANSFER_WINDOW, /* CPU loads and stores in the movable window */
	KT_TRANSFER_CHUNK1, /* 256 bytes at a time, through one mailbox */
	KT_TRANSFER_CHUNK4, /* 256 bytes at a time, through four mailboxes */
};

#define KT_INLINE_BYTES     24576u   /* largest copy inside the command stream */
#define KT_STAGING_BYTES    1048576u /* largest piece of a copy of pageable memory */
#define KT_CHANNELS         4 /* per context; non-blocking streams share all but the first */
#define KT_RING_ENTRIES     1024u
#define KT_PUSHBUFFER_BYTES 1048576u /* per channel */
#define KT_SEMAPHORES       4096u    /* per context, 16 bytes each */
#define KT_LAUNCHES_BYTES   8388608u /* size of a context's `launches` */

struct kt_driver {
	int control; /* descriptors: this and the next three */
	int gpu;
	int uvm;
	int uvm_mm;
	uint32_t client; /* handles: this and the next three */
	uint32_t device;
	uint32_t subdevice;
	uint32_t space;
	uint32_t next_handle;
	uint32_t gpu_id;
	uint32_t instance; /* of the device */
	char gpu_file[24]; /* /dev/nvidia0, unless the first GPU here has another number */
	uint8_t uuid[KT_ABI_UUID_SIZE];
	char name[64];
	uint64_t memory_bytes;
	uint64_t memory_free; /* of it, when the driver was opened */
	uint32_t pci_domain;  /* this and the next two: where the GPU is */
	uint8_t pci_bus;
	uint8_t pci_slot;
	uint32_t copy_engine;   /* its number: it shares the runlist of compute */
	bool runs_machine_code; /* of sm_90; false: the model's own code */
	/*
	 * Address at which threads see their block's shared memory, and so much below it,
	 * their local memory; no memory is mapped there. 0: the device has no such window.
	 * The distance is that of NVIDIA's driver: SET_SHADER_SHARED_MEMORY_WINDOW and
	 * SET_SHADER_LOCAL_MEMORY_WINDOW in corpus/traces/vadd-4k.
	 */
	uint64_t shared_window;
#define KT_LOCAL_WINDOW_BELOW UINT64_C(0xf8000000)
	volatile uint8_t *registers; /* the usermode mapping with the timer */
	volatile uint8_t *doorbell;  /* the usermode mapping with the doorbell */
	int version;                 /* KTAIL_SOFTGPU_DRIVER: 1 or 2 (default) */
	enum kt_transfer transfer;   /* KTAIL_SOFTGPU_TRANSFER: dma, mapped, window, ... */
	/*
	 * KTAIL_SOFTGPU_SEED plants a change for tests to find: in the call of
	 * kt_submit_parts() whose number, from 1, is `seed_at`, the driver writes the first
	 * doorbell twice, or makes all submissions twice.
	 */
	enum kt_seed { KT_SEED_NONE, KT_SEED_DOORBELL, KT_SEED_SUBMISSION } seed;
	unsigned long seed_at;
	unsigned long submissions; /* calls of kt_submit_parts() so far; atomic */
	int pid; /* process that opened the driver: a forked child has no driver */
};

/* Returns the open driver; NULL if it is not open, or in a forked child. */
struct kt_driver *kt_driver_get(void);
/*
 * Returns whether this is a forked child of the process that opened the driver. Such a
 * child must not wait for locks, because the threads that hold them do not exist in it.
 */
bool kt_driver_is_parents(void);
/*
 * Opens the driver once per process. Returns KT_CU_INVALID_VALUE if an environment
 * variable has an unknown value, KT_CU_DRIVER_MISMATCH if the kernel module is not of a
 * 580 release.
 */
int kt_driver_open(void);

/* --- memory.c: objects and their mappings --- */

enum kt_memory_kind {
	KT_MEMORY_DEVICE = 0,    /* with a GPU address only; `cpu` is NULL */
	KT_MEMORY_DEVICE_MAPPED, /* with a CPU mapping at the same address, below 2^40 */
	KT_MEMORY_SYSTEM,        /* like DEVICE_MAPPED, but system memory */
	KT_MEMORY_USER,          /* registered user memory, at the program's address */
	KT_MEMORY_DEVICE_LOW,    /* like DEVICE, below 2^40 as QMDs require */
};

struct kt_memory {
	enum kt_memory_kind kind;
	uint32_t handle;
	uint64_t address; /* GPU address */
	uint64_t bytes;   /* rounded up to pages; device memory: to big pages */
	volatile uint8_t *cpu;
	uint64_t mapping; /* kt_rm_mapping.name of the CPU mapping */
};

int kt_memory_create(struct kt_memory *out, enum kt_memory_kind kind, uint64_t bytes);
int kt_memory_register(struct kt_memory *out, void *user, uint64_t bytes);
/* Unmaps, unregisters and frees the memory. */
void kt_memory_destroy(struct kt_memory *memory);

/*
 * Reserves whole pages of addresses below 2^40, aligned to a big page, in the process and
 * so on the GPU. Returns 0 if none are left.
 */
uint64_t kt_addresses_take_low(uint64_t bytes);
/* Like kt_addresses_take_low, at any address. */
uint64_t kt_addresses_take(uint64_t bytes);
/* Releases a reserved range with anything that was mapped over it. */
void kt_addresses_give(uint64_t address, uint64_t bytes);

/* --- heap.c: small pieces of device memory, from slabs of KT_ABI_BIG_PAGE --- */

struct kt_heap;
int kt_heap_create(struct kt_heap **out);
void kt_heap_destroy(struct kt_heap *heap);
/*
 * Allocates a piece at a multiple of 256 bytes. A piece of 1 MiB or more has a memory
 * object of its own. Thread-safe.
 */
int kt_heap_allocate(struct kt_heap *heap, uint64_t bytes, uint64_t *address);
/* Returns KT_CU_INVALID_VALUE if no piece begins at `address`. */
int kt_heap_free(struct kt_heap *heap, uint64_t address);
/*
 * Finds the piece that contains `address`, and the memory object that the piece is part of,
 * for mappings through the aperture. Returns false if no piece contains the address.
 */
bool kt_heap_find(struct kt_heap *heap, uint64_t address, struct kt_memory *object,
		  uint64_t *piece_address, uint64_t *piece_bytes);
/* Returns the bytes in allocated pieces of all heaps of the process, rounding included. */
uint64_t kt_heap_used(void);

/* --- context.c, channel.c --- */

/*
 * A semaphore of 16 bytes (payload, unused, time) whose value only grows. The payload
 * holds the low 32 bits of the value; values compare modulo 2^32.
 */
struct kt_semaphore {
	uint32_t index; /* in the semaphores of the context */
	uint64_t value; /* value of the last submitted release */
};

struct kt_channel {
	struct kt_context *context; /* Weak */
	uint32_t index;             /* in the context */
	uint32_t error_memory;      /* handles: this and the next three */
	uint32_t handle;
	uint32_t compute;
	uint32_t copy;
	uint32_t token;
	volatile struct kt_abi_notification *notifier;
	uint64_t notifier_bytes;
	uint64_t notifier_mapping;    /* kt_rm_mapping.name */
	pthread_mutex_t lock;         /* serialises submissions */
	struct kt_semaphore progress; /* released at the end of each submission */
	/*
	 * Next positions in the ring (entries) and the pushbuffer (bytes), not reduced
	 * modulo their sizes; see submit.c.
	 */
	uint32_t put;
	uint64_t pushbuffer_at;
	struct {
		uint64_t value; /* value of `progress` when the entry is done */
		uint64_t end;   /* pushbuffer_at after the entry */
	} entries[KT_RING_ENTRIES];
	uint32_t oldest;
	unsigned polls;   /* polls by kt_wait_poll; selects the next notifier to check */
	uint64_t done_at; /* `end` of the last entry known to be done */
};

struct kt_context {
	struct kt_context *next; /* in the driver's list */
	uint64_t serial;         /* unique within the process */
	unsigned references;     /* counted for the primary context only */
	bool primary;
	bool blocking; /* whether waits sleep between polls; atomic */
	uint32_t group;
	uint32_t share;
	uint64_t engine_state; /* GPU addresses for the state of the channels' engines */
	uint64_t engine_state_bytes;
	struct kt_memory ring; /* rings, then USERDs, of all channels */
	struct kt_memory pushbuffer;
	struct kt_memory semaphores;
	struct kt_memory staging;  /* not allocated yet if `bytes` is 0 */
	pthread_mutex_t local_lock; /* protects the next two fields, during waits, too */
	struct kt_memory local;     /* threads' local memory; likewise */
	uint32_t local_bytes;       /* of it, for each thread */
	struct kt_memory launches; /* see launch.h */
	struct kt_channel channels[KT_CHANNELS];
	struct kt_heap *heap;
	pthread_mutex_t lock; /* protects the following fields and `staging` */
	uint64_t semaphores_used[KT_SEMAPHORES / 64];
	/* last value of each semaphore that was given back */
	uint64_t semaphore_values[KT_SEMAPHORES];
	/* 1 + index of the last channel that released the semaphore; 0: none */
	uint8_t semaphore_channels[KT_SEMAPHORES];
	unsigned next_channel;
	int error; /* sticky: result of every later call */
};

/*
 * Layout of a context's memory: `ring` holds the rings of all channels, then their
 * USERDs; `pushbuffer` holds one part per channel.
 */
#define KT_RING_BYTES (KT_RING_ENTRIES * KT_GPFIFO_ENTRY_BYTES)

/* Rounds up to a big page, the smallest mapping size of NVIDIA's driver. */
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

/*
 * Return the CPU address and the GPU address of an offset in the channel's part of the
 * pushbuffer.
 */
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
/* Destroys the context with all objects that the program created in it. */
void kt_context_destroy(struct kt_context *context);
/*
 * First step of kt_context_destroy, defined in api-context.c: frees streams, events,
 * modules, executable graphs and page-locked memory.
 */
void kt_context_clear(struct kt_context *context);
/*
 * A thread's current context. `serial` distinguishes the context from a later one at the
 * same address.
 */
struct kt_current {
	struct kt_context *context; /* Weak. NULL: none */
	uint64_t serial;
};
/* Returns the current context of the calling thread. */
struct kt_current kt_context_current(void);
void kt_context_set_current(struct kt_current next);
/* Makes an existing context current for the calling thread. */
void kt_context_make_current(struct kt_context *context);
/* Returns whether `current` still refers to an existing context. */
bool kt_current_is_alive(struct kt_current current);
/* Returns whether the pointer is an existing context of the process. */
bool kt_context_is_alive(struct kt_context *context);
/* Adds a reference to the primary context and creates it if it does not exist. */
int kt_context_retain_primary(struct kt_context **out);
/*
 * Drops a reference; without references the primary context is destroyed. Returns
 * KT_CU_INVALID_CONTEXT if there is no primary context.
 */
int kt_context_release_primary(void);
/* Sets whether waits of the existing or next primary context sleep. */
void kt_context_set_primary_blocking(bool blocking);
/* Returns the context's sticky error, KT_CU_OK if there is none. Thread-safe. */
int kt_context_error(const struct kt_context *context);
/* Sets the sticky error, unless one is set already. */
void kt_context_fail(struct kt_context *context, int error);

/*
 * Assigns a semaphore of the context, without access to the semaphore's memory. Returns
 * KT_CU_OUT_OF_MEMORY if all semaphores are in use.
 */
int kt_semaphore_take(struct kt_context *context, struct kt_semaphore *out);
void kt_semaphore_give(struct kt_context *context, const struct kt_semaphore *semaphore);
uint64_t kt_semaphore_address(const struct kt_context *context, uint32_t index); /* GPU */

int kt_channel_create(struct kt_context *context, uint32_t index);
void kt_channel_destroy(struct kt_channel *channel);
/* Makes the channel's first submission: SET_OBJECT for its two engine classes. */
int kt_channel_bind(struct kt_channel *channel);
/*
 * Reads the notifier once. If the channel is dead, makes the channel's error the context's
 * sticky error, unless one is set already, and returns the sticky error.
 */
int kt_channel_check(struct kt_channel *channel);

/* --- stack.c: the stack of each thread, in local memory; for machine code only --- */

/*
 * A thread sees 16 MiB of local memory. Its stack ends where NVIDIA's driver lets it end on
 * Hopper, below a part for the system.
 */
#define KT_STACK_END    0xfffdc0u
#define KT_STACK_SYSTEM (0x1000000u - KT_STACK_END)

/* Returns the bytes of local memory for a stack. */
static inline uint32_t kt_stack_bytes(uint32_t stack)
{
	return KT_STACK_SYSTEM + ((stack + 15) & ~15u);
}

/*
 * Makes sure that launches can have a stack of this size. If it is larger than any so far,
 * waits for the context's work, allocates memory for all threads that the device runs at a
 * time, and submits its address to the channels. 0: does nothing.
 */
int kt_stack_provide(struct kt_context *context, uint32_t stack);

/*
 * --- host.c: page-locked host memory, allocated or registered ---
 *
 * The device accesses this memory at the program's addresses. All contexts share one
 * address space, so a range is locked for all contexts, but owned by the context that
 * locked it.
 */

int kt_host_allocate(struct kt_context *context, void **memory, size_t bytes);
int kt_host_register(struct kt_context *context, void *memory, size_t bytes);
/*
 * Wait for the pending work of the range's owner and release the range that begins at
 * `memory`. If no range begins there, kt_host_free returns KT_CU_INVALID_VALUE and
 * kt_host_unregister returns KT_CU_HOST_NOT_REGISTERED.
 */
int kt_host_free(void *memory);
int kt_host_unregister(void *memory);
/* Returns whether the bytes lie in one page-locked range. O(ranges). */
bool kt_host_holds(const void *memory, size_t bytes);
/* Waits for the context's pending work and releases all ranges that the context owns. */
void kt_host_clear(struct kt_context *context);

/* --- push.c: commands as dwords, in ordinary memory --- */

enum { KT_SUBCHANNEL_COMPUTE = 1, KT_SUBCHANNEL_COPY = 4, KT_SUBCHANNEL_HOST = 0 };

struct kt_push {
	uint32_t *words; /* Owned by this */
	size_t n;
	size_t capacity;
	bool failed; /* out of memory, or a count is too large: later dwords are dropped */
};

void kt_push_free(struct kt_push *push);
/*
 * Adds the header of n consecutive methods. The caller adds the n values next, by
 * kt_push_word or kt_push_words.
 */
void kt_push_methods(struct kt_push *push, unsigned subchannel, unsigned offset,
		     unsigned n);
/* Like kt_push_methods, but all n dwords go to one method. */
void kt_push_data(struct kt_push *push, unsigned subchannel, unsigned offset, unsigned n);
void kt_push_word(struct kt_push *push, uint32_t word);
void kt_push_words(struct kt_push *push, const void *data, size_t n);
/* Adds one method with its value; a value of up to 13 bits is encoded in the header. */
void kt_push_method(struct kt_push *push, unsigned subchannel, unsigned offset,
		    uint32_t value);
/*
 * Add host methods: kt_push_acquire waits until the semaphore is at least `value`,
 * kt_push_release releases it with `value` and a timestamp.
 */
#define KT_RELEASE_WORDS 6
void kt_push_acquire(struct kt_push *push, uint64_t address, uint64_t value);
void kt_push_release(struct kt_push *push, uint64_t address, uint64_t value);
/* Encodes the dwords of a release. */
void kt_release_encode(uint32_t words[static KT_RELEASE_WORDS], uint64_t address,
		       uint64_t value);

/* --- submit.c --- */

/*
 * Submits the dwords to the channel, followed by a release of its progress semaphore
 * (`reserve` and `ring_once` in driver.points). Sets *value to the value of that release;
 * `value` may be NULL. If the dwords and the release together exceed the channel's
 * pushbuffer, submits nothing and returns KT_CU_INVALID_VALUE.
 */
int kt_submit(struct kt_channel *channel, const struct kt_push *push, uint64_t *value);

/*
 * Makes n submissions, each with its own doorbell, after reserving space for all of them;
 * parts[i] is the index after the last dword of submission i. All submissions together must
 * fit into the ring (n < KT_RING_ENTRIES) and, with KT_RELEASE_WORDS more dwords per
 * submission, into the pushbuffer.
 */
int kt_submit_parts(struct kt_channel *channel, const struct kt_push *push,
		    const size_t *parts, size_t n, uint64_t *value);

/*
 * Polls the semaphore once. Returns KT_CU_OK, KT_CU_NOT_READY, or the context's error. The
 * work may be waiting for another channel that is dead, so consecutive polls check the
 * notifiers of all channels of the context in turn.
 */
int kt_wait_poll(struct kt_channel *channel, const struct kt_semaphore *semaphore,
		 uint64_t value);
/* Waits until the semaphore, which `channel` releases, is at least `value`. */
int kt_wait(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	    uint64_t value);
/* Polls once whether all submissions to the channel are done. */
bool kt_wait_is_idle(struct kt_channel *channel);
/* Like kt_wait; if `sleep`, sleeps between polls even if the context is not `blocking`. */
int kt_wait_so(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	       uint64_t value, bool sleep);
/*
 * kt_wait_channel waits for all submissions to the channel; kt_wait_all does so for each
 * channel of the context in turn.
 */
int kt_wait_channel(struct kt_channel *channel);
int kt_wait_all(struct kt_context *context);

#endif
