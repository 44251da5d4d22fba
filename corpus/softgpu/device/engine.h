/* SPDX-License-Identifier: MIT */
/*
 * Inside the device. What is said of a lock here is struct kt_gpu's: it is held over one
 * turn of one channel at a time, so that a thread that maps, unmaps or frees has at most
 * one turn to wait for. Between turns a channel keeps addresses and numbers, never pointers
 * into memory.
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

#define KT_GPU_ADDRESS_END (UINT64_C(1) << 57) /* of GPU addresses */

/* What a channel may do in one turn, in bytes moved; a method counts as METHOD_COST. */
#define KT_GPU_TURN_BYTES  (INT64_C(8) << 20)
#define KT_GPU_METHOD_COST 8

#define KT_GPU_BOUNCE 1024 /* words, where memory is the user's */

/* --- running the device by hand, for tests and fuzzers --- */

/* No thread is begun for this device: kt_gpu_step is all that runs it. Before channels. */
void kt_gpu_use_steps(struct kt_gpu *gpu);

/*
 * The transfer page and one turn of each channel. Whether anything was done; if not, no
 * channel can go on before something outside of the device changes, or *wake (may be NULL)
 * has come: a time of kt_gpu_time, UINT64_MAX if none is known.
 */
bool kt_gpu_step(struct kt_gpu *gpu, uint64_t *wake);

/* --- user-space.c: descriptors --- */

struct kt_gpu_descriptor {
	int fd; /* -1: never was one */
	uint64_t device;
	uint64_t inode;
};

/* Takes the descriptor over; 0 or a negative errno, such as `fd` itself if that is one. */
int kt_gpu_descriptor_open(struct kt_gpu_descriptor *descriptor, int fd);
/* Whether the descriptor is still what it was. One system call. */
bool kt_gpu_descriptor_is_ours(const struct kt_gpu_descriptor *descriptor);
void kt_gpu_descriptor_close(struct kt_gpu_descriptor *descriptor);

/* --- user-space.c: where physical memory lies --- */

int kt_gpu_arena_create(struct kt_gpu *gpu);
void kt_gpu_arena_free(struct kt_gpu *gpu);
/* Pages that are taken by somebody, or are nobody's: then they are pages of zeros again. */
void kt_gpu_arena_take(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes);
void kt_gpu_arena_clear(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes);

/*
 * The device's own view of physical memory within the arena. *bytes is how much is wanted,
 * and becomes how much of that lies there together: at least up to the end of the page; a
 * register page is all there. NULL: there is no memory for it.
 */
uint8_t *kt_gpu_at(const struct kt_gpu *gpu, uint64_t physical, uint64_t *bytes);

/* What lies in one page. */
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
	uint64_t hint;               /* a search begins here */
	struct kt_gpu_piece *pieces; /* Owned by this; sorted, apart */
	size_t n;
	size_t capacity;
};

/* --- gpu.c --- */

struct kt_gpu_window {
	uint64_t base; /* what the window shows */
	bool shown;
	uint8_t *copy; /* Owned by this: what was shown, KT_ABI_WINDOW_BYTES */
	uint32_t done; /* as in the registers */
	uint32_t mailboxes_done[KT_ABI_MAILBOXES];
};

struct kt_gpu {
	struct kt_store store; /* for all that is allocated here */
	struct kt_gpu_descriptor arena;
	uint8_t *memory;                      /* the arena, KT_GPU_ARENA_BYTES */
	struct kt_gpu_descriptor user_memory; /* /proc/self/mem */
	void *kernel; /* instead of these three, in a module: its own (abi-arena.c) */
	pthread_mutex_t lock;
	unsigned waiting; /* callers who want the lock: the thread lets them through */
	struct kt_gpu_pool pools[2];         /* by enum kt_gpu_aperture */
	struct kt_gpu_space *spaces;         /* list */
	struct kt_gpu_space *transfer_space; /* a reference, or NULL */
	struct kt_gpu_window window;
	struct kt_gpu_channel *channels[KT_GPU_MAX_CHANNELS];
	size_t channels_end; /* after the last one */
	struct kt_gpu_counts counts;
	uint32_t bounce[3][KT_GPU_BOUNCE]; /* with the lock held: room for copies */
	bool steps;                        /* no thread */
	bool runs;                         /* the thread was begun */
	bool stop;
	pthread_t thread;
};

/* memory.c: nothing is anybody's yet. */
void kt_gpu_memory_begin(struct kt_gpu *gpu);

void kt_gpu_lock(struct kt_gpu *gpu);
void kt_gpu_unlock(struct kt_gpu *gpu);

/* What the thread does until gpu->stop. */
void kt_gpu_run(struct kt_gpu *gpu);

/* user-space.c: begins the thread, once. With the lock held. */
int kt_gpu_start(struct kt_gpu *gpu);
/* Waits for its end. */
void kt_gpu_join(struct kt_gpu *gpu);
/* Others may go on. */
void kt_gpu_yield(void);
/* At most a second. */
void kt_gpu_sleep(uint64_t nanoseconds);

/* The notice of time in the usermode page. */
void kt_gpu_show_time(struct kt_gpu *gpu);

/* --- user-space.c: memory of the process that pages' protection does not hide --- */

void kt_gpu_user_open(struct kt_gpu *gpu);
void kt_gpu_user_close(struct kt_gpu *gpu);
/* With the lock held. */
bool kt_gpu_user_read(struct kt_gpu *gpu, uint64_t from, void *out, size_t bytes);
bool kt_gpu_user_write(struct kt_gpu *gpu, uint64_t to, const void *data, size_t bytes);

/* --- address-space.c; all but create with the lock held --- */

struct kt_gpu_range {
	uint64_t address;
	uint64_t bytes;
	uint64_t target; /* physical, or the user's memory by its name */
	bool user;
};

struct kt_gpu_space {
	struct kt_gpu *gpu;        /* Weak */
	struct kt_gpu_space *next; /* of gpu->spaces */
	unsigned references;
	struct kt_gpu_range *ranges; /* Owned by this; sorted, apart */
	size_t n;
	size_t capacity;
};

/* A stretch of GPU addresses that lie together in memory. */
struct kt_gpu_span {
	uint8_t *at;   /* NULL: it is user memory */
	uint64_t user; /* then its address */
	uint64_t bytes;
};

/* False: nothing is mapped there. A span is good until the lock is given away. */
bool kt_gpu_translate(const struct kt_gpu_space *space, uint64_t address,
		      struct kt_gpu_span *span);
/* False: a page is not mapped or not there; *bad (may be NULL) says where. */
bool kt_gpu_read(const struct kt_gpu_space *space, uint64_t address, void *out,
		 uint64_t bytes, uint64_t *bad);
bool kt_gpu_write(const struct kt_gpu_space *space, uint64_t address, const void *data,
		  uint64_t bytes, uint64_t *bad);
/* Between two ranges of a space, which may overlap within a piece of 64 KiB or not at all.
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

#define KT_GPU_REGISTERS 4096 /* of an engine: what a method header can name */

/* What is to be known of work that did not end in a turn: by copy and by kernels. */
struct kt_gpu_progress {
	bool begun;
	uint64_t at;       /* bytes, elements */
	uint64_t line;     /* of a copy */
	uint64_t deadline; /* of a kernel that waits */
	uint32_t sum;      /* of a reduction */
};

struct kt_gpu_inline {
	bool active;
	uint64_t line;
	uint64_t at; /* in the line */
};

struct kt_gpu_channel {
	struct kt_gpu *gpu;         /* Weak */
	struct kt_gpu_space *space; /* a reference */
	uint32_t index;
	uint64_t gpfifo_address;
	uint32_t gpfifo_entries;
	uint64_t userd;    /* physical */
	uint64_t notifier; /* physical, or UINT64_MAX */
	bool enabled;
	bool dead;
	uint32_t get; /* the entry that is next, or being executed */
	uint64_t extended_base;
	bool allowed[KT_GPU_ENGINES];
	uint16_t bound[8]; /* class by subchannel, 0: none */

	bool in_segment;
	uint32_t *words; /* Owned by this: a copy of the segment */
	size_t capacity;
	struct kt_method_stream stream;
	bool pending; /* `method` was read and is not done */
	struct kt_method method;
	int64_t budget; /* left in this turn */
	uint64_t wake;  /* when a parked channel should be looked at again */

	struct kt_gpu_progress progress;
	struct kt_gpu_inline upload;
	uint32_t semaphore[4]; /* of the host: address, payload */
	uint32_t registers[KT_GPU_ENGINES][KT_GPU_REGISTERS];
};

/* One turn, with the lock held. */
enum kt_gpu_turn {
	KT_GPU_IDLE = 0, /* nothing to do, or parked */
	KT_GPU_WORKED,
};
enum kt_gpu_turn kt_gpu_channel_turn(struct kt_gpu_channel *channel);

/*
 * What became of a method. A positive result is the Xid with which the channel dies. After
 * AGAIN the same method is given again in a later turn, after PARKED too, but it did
 * nothing: it waits for something.
 */
enum kt_gpu_result {
	KT_GPU_PARKED = -2,
	KT_GPU_AGAIN = -1,
	KT_GPU_DONE = 0,
	KT_GPU_ILLEGAL = KT_ABI_XID_ILLEGAL_METHOD,
	KT_GPU_FAULT = KT_ABI_XID_MMU_FAULT,
	KT_GPU_PBDMA = KT_ABI_XID_PBDMA_ERROR,
	KT_GPU_COPY_ERROR = KT_ABI_XID_COPY_EXCEPTION,
};

/* --- method-table.c: which methods an engine takes --- */

enum kt_gpu_method_kind {
	KT_GPU_UNKNOWN = 0, /* the class has no such method */
	KT_GPU_STATE,       /* its value is kept, or it is without effect here */
	KT_GPU_STARTS,      /* and something begins: the engine's own code says what */
	KT_GPU_REFUSED,     /* would begin something that is not modelled */
};
enum kt_gpu_method_kind kt_gpu_method_kind(enum kt_gpu_engine engine, uint16_t offset);

/* --- the methods --- */

/* host-methods.c: below 0x100, whatever the subchannel. */
enum kt_gpu_result kt_gpu_host_method(struct kt_gpu_channel *channel, uint16_t offset,
				      uint32_t value);
/* copy-engine.c, compute.c: those that start something; the registers are written. */
enum kt_gpu_result kt_gpu_copy_method(struct kt_gpu_channel *channel, uint16_t offset,
				      uint32_t value);
enum kt_gpu_result kt_gpu_compute_method(struct kt_gpu_channel *channel, uint16_t offset,
					 uint32_t value);

/* The registers of an engine by the offset of their method. */
static inline uint32_t kt_gpu_register(const struct kt_gpu_channel *channel,
				       enum kt_gpu_engine engine, unsigned offset)
{
	return channel->registers[engine][offset / 4];
}

/* An address in two methods, its upper 25 bits first. */
static inline uint64_t kt_gpu_address_register(const struct kt_gpu_channel *channel,
					       enum kt_gpu_engine engine, unsigned offset)
{
	uint64_t upper = kt_gpu_register(channel, engine, offset) & 0x1ffffff;

	return upper << 32 | kt_gpu_register(channel, engine, offset + 4);
}

/* Words of LOAD_INLINE_DATA. */
enum kt_gpu_result kt_gpu_inline_data(struct kt_gpu_channel *channel, const uint32_t *words,
				      size_t n);

enum kt_gpu_release {
	KT_GPU_ONE_WORD,   /* 32 bits of payload */
	KT_GPU_TWO_WORDS,  /* 64 bits */
	KT_GPU_FOUR_WORDS, /* 32 bits, 0, time */
	KT_GPU_FOUR_WORDS_64,
};
/* `misaligned` is the result for an address that is no multiple of the size. */
enum kt_gpu_result kt_gpu_release(const struct kt_gpu_space *space, uint64_t address,
				  uint64_t payload, enum kt_gpu_release form,
				  enum kt_gpu_result misaligned);

/* kernels.c: threads [0, threads) of a built-in kernel; `arguments` as KT_GPU_ARGUMENTS. */
enum kt_gpu_result kt_gpu_kernel_run(struct kt_gpu_channel *channel, uint32_t kernel,
				     uint64_t threads, const uint8_t *arguments,
				     size_t bytes);

/* transfer-page.c, with the lock held. */
bool kt_gpu_transfer_serve(struct kt_gpu *gpu);
/* What was stored into the window goes to memory, before a channel looks at that. */
void kt_gpu_window_flush(struct kt_gpu *gpu);

#endif
