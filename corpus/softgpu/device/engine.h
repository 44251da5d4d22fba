/* SPDX-License-Identifier: MIT */
/*
 * Internals of the device. A turn is the time slice of a channel: the device executes the
 * channel's methods up to a budget. "The lock" is the lock of struct kt_gpu. It is held for
 * one turn at a time, so a thread that maps, unmaps or frees waits for at most one turn.
 * Between turns a channel keeps GPU addresses and numbers but no pointers into GPU memory,
 * because that memory may be unmapped before the next turn.
 */
#ifndef KTAIL_SOFTGPU_ENGINE_H
#define KTAIL_SOFTGPU_ENGINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/abi.h"
#include "corpus/softgpu/device/code.h"
#include "corpus/softgpu/device/gpu.h"
#include "corpus/softgpu/device/store.h"
#include "decode/gpfifo.h"
#include "decode/method-stream.h"

#define KT_GPU_USERMODE_AT (KT_GPU_DEVICE_BYTES + KT_GPU_SYSTEM_BYTES)
#define KT_GPU_TRANSFER_AT (KT_GPU_USERMODE_AT + KT_ABI_USERMODE_BYTES)
#define KT_GPU_ARENA_BYTES (KT_GPU_TRANSFER_AT + 2 * KT_ABI_WINDOW_BYTES)

#define KT_GPU_ADDRESS_END (UINT64_C(1) << 57) /* end of GPU addresses */

/* Budget of one turn, in bytes moved. A method costs KT_GPU_METHOD_COST bytes. */
#define KT_GPU_TURN_BYTES  (INT64_C(8) << 20)
#define KT_GPU_METHOD_COST 8

#define KT_GPU_BOUNCE 1024 /* size of each copy buffer for user memory, in dwords */

/* --- stepping the device by hand, for tests and fuzzers --- */

/*
 * Starts no thread for this device: only kt_gpu_step runs it. Call it before the first
 * channel is created.
 */
void kt_gpu_use_steps(struct kt_gpu *gpu);

/*
 * Serves the transfer page and runs one turn of each channel. Returns whether anything was
 * done. If nothing was done, every channel waits for a change outside the device or until
 * *wake, the earliest time (of kt_gpu_time) that any channel waits for; UINT64_MAX: none.
 * `wake` may be NULL.
 */
bool kt_gpu_step(struct kt_gpu *gpu, uint64_t *wake);

/* --- user-space.c: descriptors --- */

struct kt_gpu_descriptor {
	int fd; /* -1: not open */
	uint64_t device;
	uint64_t inode;
};

/*
 * Takes ownership of `fd`, and returns 0 or a negative errno. `fd` may be the negative
 * errno of a failed open, which is then returned.
 */
int kt_gpu_descriptor_open(struct kt_gpu_descriptor *descriptor, int fd);
/*
 * Returns whether the number `fd` still refers to the file that was opened. Costs one
 * system call.
 */
bool kt_gpu_descriptor_is_ours(const struct kt_gpu_descriptor *descriptor);
void kt_gpu_descriptor_close(struct kt_gpu_descriptor *descriptor);

/* --- user-space.c: storage of physical memory --- */

int kt_gpu_arena_create(struct kt_gpu *gpu);
void kt_gpu_arena_free(struct kt_gpu *gpu);
/*
 * kt_gpu_arena_take provides the storage of allocated pages; kt_gpu_arena_clear turns freed
 * pages back into zero pages.
 */
void kt_gpu_arena_take(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes);
void kt_gpu_arena_clear(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes);

/*
 * Returns where the device has mapped a physical address of the arena; NULL if no memory is
 * available. *bytes is the wanted length and is reduced to the length that is contiguous
 * in the mapping: at least the rest of the page, or the rest of a register region.
 */
uint8_t *kt_gpu_at(const struct kt_gpu *gpu, uint64_t physical, uint64_t *bytes);

/* Like kt_gpu_at, for a range within one page. */
static inline void *kt_gpu_in_page(const struct kt_gpu *gpu, uint64_t physical,
				   uint64_t bytes)
{
	return kt_gpu_at(gpu, physical, &bytes);
}

static inline bool kt_gpu_is_memory(uint64_t physical, uint64_t bytes)
{
	return bytes <= KT_GPU_ARENA_BYTES && physical <= KT_GPU_ARENA_BYTES - bytes;
}

/* --- memory.c --- */

struct kt_gpu_piece {
	uint64_t physical;
	uint64_t bytes;
};

struct kt_gpu_pool {
	uint64_t begin;
	uint64_t end;
	uint64_t used;
	uint64_t hint;               /* start of the next search */
	struct kt_gpu_piece *pieces; /* Owned by this; sorted, not overlapping */
	size_t n;
	size_t capacity;
};

/* --- gpu.c --- */

struct kt_gpu_window {
	uint64_t base; /* GPU address that the window shows */
	bool shown;
	uint8_t *copy; /* Owned by this: contents last shown, KT_ABI_WINDOW_BYTES */
	uint32_t done; /* last value of window_done in the registers */
	uint32_t mailboxes_done[KT_ABI_MAILBOXES];
};

struct kt_gpu {
	struct kt_store store; /* for all allocations of the device */
	struct kt_gpu_descriptor arena;
	uint8_t *memory;                      /* the arena, KT_GPU_ARENA_BYTES */
	struct kt_gpu_descriptor user_memory; /* /proc/self/mem */
	/* in the kernel module, replaces the three members above (abi-arena.c) */
	void *kernel;
	pthread_mutex_t lock;
	unsigned waiting; /* number of callers that wait for the lock; the device's thread
			   * lets them in */
	struct kt_gpu_pool pools[2];         /* indexed by enum kt_gpu_aperture */
	struct kt_gpu_space *spaces;         /* list, linked by `next` */
	struct kt_gpu_space *transfer_space; /* a reference, or NULL */
	struct kt_gpu_window window;
	struct kt_gpu_channel *channels[KT_GPU_MAX_CHANNELS];
	size_t channels_end; /* one past the index of the last channel */
	struct kt_gpu_counts counts;
	uint32_t bounce[3][KT_GPU_BOUNCE]; /* copy buffers, protected by the lock */
	bool steps;                        /* stepped by hand, without a thread */
	bool runs;                         /* the thread was started */
	bool stop;
	pthread_t thread;
};

/* memory.c: initialises both apertures as empty. */
void kt_gpu_memory_begin(struct kt_gpu *gpu);

void kt_gpu_lock(struct kt_gpu *gpu);
void kt_gpu_unlock(struct kt_gpu *gpu);

/* Main loop of the thread, until gpu->stop. */
void kt_gpu_run(struct kt_gpu *gpu);

/*
 * user-space.c: starts the thread, unless it runs or `steps` is set. Requires the lock.
 * Returns 0 or a negative errno.
 */
int kt_gpu_start(struct kt_gpu *gpu);
/* Waits until the thread has ended. */
void kt_gpu_join(struct kt_gpu *gpu);
/* Yields the CPU. */
void kt_gpu_yield(void);
/* Sleeps for at most a second. */
void kt_gpu_sleep(uint64_t nanoseconds);

/* Updates the time in the usermode page. */
void kt_gpu_show_time(struct kt_gpu *gpu);

/* --- user-space.c: user memory, read and written despite page protection --- */

void kt_gpu_user_open(struct kt_gpu *gpu);
void kt_gpu_user_close(struct kt_gpu *gpu);
/* Require the lock. Return false if a page is missing. */
bool kt_gpu_user_read(struct kt_gpu *gpu, uint64_t from, void *out, size_t bytes);
bool kt_gpu_user_write(struct kt_gpu *gpu, uint64_t to, const void *data, size_t bytes);

/* --- address-space.c; these functions require the lock --- */

struct kt_gpu_range {
	uint64_t address;
	uint64_t bytes;
	uint64_t target; /* physical address, or the name of registered user memory */
	bool user;
};

struct kt_gpu_space {
	struct kt_gpu *gpu;        /* Weak */
	struct kt_gpu_space *next; /* in gpu->spaces */
	unsigned references;
	struct kt_gpu_range *ranges; /* Owned by this; sorted, not overlapping */
	size_t n;
	size_t capacity;
};

/* A stretch of GPU addresses that is contiguous in the CPU's memory as well. */
struct kt_gpu_span {
	uint8_t *at;   /* NULL: user memory */
	uint64_t user; /* address of user memory */
	uint64_t bytes;
};

/*
 * Sets *span to the stretch from `address` on, which is valid until the lock is released.
 * Returns false if no memory is mapped at the address.
 */
bool kt_gpu_translate(const struct kt_gpu_space *space, uint64_t address,
		      struct kt_gpu_span *span);
/*
 * Return false if a page is unmapped, or missing in user memory; *bad is then the start of
 * the part that was not copied. `bad` may be NULL.
 */
bool kt_gpu_read(const struct kt_gpu_space *space, uint64_t address, void *out,
		 uint64_t bytes, uint64_t *bad);
bool kt_gpu_write(const struct kt_gpu_space *space, uint64_t address, const void *data,
		  uint64_t bytes, uint64_t *bad);
/*
 * Copies between two ranges of a space. The ranges may overlap only if both lie in one
 * page.
 */
bool kt_gpu_move(const struct kt_gpu_space *space, uint64_t to, uint64_t from,
		 uint64_t bytes);
void kt_gpu_space_put(struct kt_gpu_space *space);

/* --- channel.c --- */

enum kt_gpu_engine {
	KT_GPU_COPY = 0,
	KT_GPU_COMPUTE,
	KT_GPU_ENGINES,
};

#define KT_GPU_REGISTERS 4096 /* methods that a method header can address */

/* State of a copy or kernel that was not finished within one turn. */
struct kt_gpu_progress {
	bool begun;
	uint64_t at;       /* position in bytes (copy) or elements (kernel) */
	uint64_t line;     /* line of a copy */
	uint64_t deadline; /* time when a waiting kernel ends */
	uint32_t sum;      /* partial sum of a reduction */
};

struct kt_gpu_inline {
	bool active;
	uint64_t line;
	uint64_t at; /* position in the line, in bytes */
};

struct kt_gpu_channel {
	struct kt_gpu *gpu;         /* Weak */
	struct kt_gpu_space *space; /* a reference */
	uint32_t index;
	uint64_t gpfifo_address;
	uint32_t gpfifo_entries;
	uint64_t userd;    /* physical address */
	uint64_t notifier; /* physical address; UINT64_MAX: none */
	bool enabled;
	bool dead;
	uint32_t get; /* index of the entry that is executed, or comes next */
	uint64_t extended_base;
	bool allowed[KT_GPU_ENGINES];
	uint16_t bound[8]; /* class by subchannel, 0: none */

	bool in_segment;
	uint32_t *words; /* Owned by this: a copy of the segment */
	size_t capacity;
	struct kt_method_stream stream;
	bool pending; /* `method` was read but has not completed */
	struct kt_method method;
	int64_t budget; /* rest of this turn's budget */
	uint64_t wake;  /* time of the next poll of a parked channel */

	struct kt_gpu_progress progress;
	uint64_t grid; /* GPU address of the QMD that runs, or is next; 0: none */
	struct kt_gpu_inline upload;
	uint32_t semaphore[4]; /* host semaphore: address, payload; low dword first */
	uint32_t registers[KT_GPU_ENGINES][KT_GPU_REGISTERS];
};

/* Outcome of one turn, during which the lock is held. */
enum kt_gpu_turn {
	KT_GPU_IDLE = 0, /* nothing to do, or parked */
	KT_GPU_WORKED,
};
enum kt_gpu_turn kt_gpu_channel_turn(struct kt_gpu_channel *channel);

/*
 * Outcome of a method. A positive result is the Xid that kills the channel. AGAIN: the
 * budget is used up, and a later turn continues. PARKED: the method waits and has had no
 * effect on memory, and a later turn repeats it.
 */
enum kt_gpu_result {
	KT_GPU_PARKED = -2,
	KT_GPU_AGAIN = -1,
	KT_GPU_DONE = 0,
	KT_GPU_NO_METHOD = KT_ABI_XID_NO_METHOD,
	KT_GPU_ILLEGAL = KT_ABI_XID_GR_EXCEPTION,
	KT_GPU_FAULT = KT_ABI_XID_MMU_FAULT,
	KT_GPU_PBDMA = KT_ABI_XID_PBDMA_ERROR,
	KT_GPU_COPY_ERROR = KT_ABI_XID_COPY_EXCEPTION,
};

/* --- method-table.c: the methods that an engine accepts --- */

enum kt_gpu_method_kind {
	KT_GPU_UNKNOWN = 0, /* not a method of the class */
	KT_GPU_STATE,       /* the value is stored, or has no effect here */
	KT_GPU_STARTS,      /* starts an action of the engine */
	KT_GPU_REFUSED,     /* would start an action that is not modelled */
};
enum kt_gpu_method_kind kt_gpu_method_kind(enum kt_gpu_engine engine, uint16_t offset);

/* --- methods --- */

/* host-methods.c: executes a method below 0x100, on any subchannel. */
enum kt_gpu_result kt_gpu_host_method(struct kt_gpu_channel *channel, uint16_t offset,
				      uint32_t value);
/*
 * copy-engine.c, compute.c: start the action of a method. The caller has already written
 * the value to the channel's registers.
 */
enum kt_gpu_result kt_gpu_copy_method(struct kt_gpu_channel *channel, uint16_t offset,
				      uint32_t value);
enum kt_gpu_result kt_gpu_compute_method(struct kt_gpu_channel *channel, uint16_t offset,
					 uint32_t value);

/* Returns the value of the register that the method at `offset` writes. */
static inline uint32_t kt_gpu_register(const struct kt_gpu_channel *channel,
				       enum kt_gpu_engine engine, unsigned offset)
{
	return channel->registers[engine][offset / 4];
}

/* Returns the address in two consecutive registers: bits 32 to 56, then the low dword. */
static inline uint64_t kt_gpu_address_register(const struct kt_gpu_channel *channel,
					       enum kt_gpu_engine engine, unsigned offset)
{
	uint64_t upper = kt_gpu_register(channel, engine, offset) & 0x1ffffff;

	return upper << 32 | kt_gpu_register(channel, engine, offset + 4);
}

/* Processes dwords of LOAD_INLINE_DATA. */
enum kt_gpu_result kt_gpu_inline_data(struct kt_gpu_channel *channel, const uint32_t *words,
				      size_t n);

enum kt_gpu_release {
	KT_GPU_ONE_WORD,      /* 32 bits of payload */
	KT_GPU_TWO_WORDS,     /* 64 bits of payload */
	KT_GPU_FOUR_WORDS,    /* 32 bits of payload, 32 bits of 0, 64 bits of time */
	KT_GPU_FOUR_WORDS_64, /* 64 bits of payload, 64 bits of time */
};
/* `misaligned` is the result if `address` is not a multiple of the semaphore's size. */
enum kt_gpu_result kt_gpu_release(const struct kt_gpu_space *space, uint64_t address,
				  uint64_t payload, enum kt_gpu_release form,
				  enum kt_gpu_result misaligned);

/*
 * kernels.c: runs threads [0, threads) of a built-in kernel. `arguments` are the `bytes`
 * bytes of the constant bank from KT_GPU_ARGUMENTS on.
 */
enum kt_gpu_result kt_gpu_kernel_run(struct kt_gpu_channel *channel, uint32_t kernel,
				     uint64_t threads, const uint8_t *arguments,
				     size_t bytes);

/*
 * transfer-page.c: serves pending requests of the transfer registers and returns whether
 * there were any. Requires the lock.
 */
bool kt_gpu_transfer_serve(struct kt_gpu *gpu);
/*
 * Copies the program's stores to the window into GPU memory. Called before the device
 * accesses that memory.
 */
void kt_gpu_window_flush(struct kt_gpu *gpu);

#endif
