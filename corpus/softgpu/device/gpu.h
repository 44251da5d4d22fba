/* SPDX-License-Identifier: MIT */
/*
 * The software GPU's device: memory, address spaces, register pages, channels, and a thread
 * that executes the channels' commands. The kernel-mode driver (KMD, corpus/softgpu/kmd)
 * calls these functions; the user-mode driver reaches the device only through memory.
 *
 * All physical memory, device memory and system memory alike, is one memory file (memfd),
 * the arena; a physical address is an offset in it. The device maps the whole arena for
 * itself. Besides the arena it accesses only registered user memory
 * (kt_gpu_space_map_user), normally through /proc/self/mem, which ignores page protection.
 *
 * Every function may be called from any thread, but not from signal handlers. Functions
 * that return int return 0 or a negative errno. No function prints, aborts, or calls a
 * function that a recorder interposes through the loader's symbols; system calls are made
 * through corpus/softgpu/device/system.h instead.
 */
#ifndef KTAIL_SOFTGPU_GPU_H
#define KTAIL_SOFTGPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_gpu;
struct kt_store;
struct kt_gpu_space;
struct kt_gpu_channel;

enum kt_gpu_aperture {
	KT_GPU_DEVICE_MEMORY = 0,
	KT_GPU_SYSTEM_MEMORY,
};

/* Sizes of the apertures. A page is allocated only when it is first accessed. */
#define KT_GPU_DEVICE_BYTES (UINT64_C(4) << 30)
#define KT_GPU_SYSTEM_BYTES (UINT64_C(2) << 30)
#define KT_GPU_MAX_CHANNELS 1024

/*
 * Creates a device without channels; its thread starts with the first channel. The caller
 * owns *out.
 */
int kt_gpu_create(struct kt_gpu **out);
/* Ends the thread and frees the device with all channels and spaces. */
void kt_gpu_free(struct kt_gpu *gpu);
/*
 * Drops the parent's device in a forked child: closes its descriptors and unmaps the
 * arena, which would otherwise accumulate along a chain of children. The device must not
 * be used afterwards.
 */
void kt_gpu_leave_inherited(struct kt_gpu *gpu);
/*
 * Returns the store (store.h) from which the device's caller allocates its own state. The
 * store is freed with the device.
 */
struct kt_store *kt_gpu_store(struct kt_gpu *gpu);

/* --- memory --- */

/*
 * Allocates whole zeroed pages; *physical is a multiple of `alignment` (a power of two;
 * 0: a page). Returns -ENOMEM if the aperture is full. O(allocations).
 */
int kt_gpu_memory_allocate(struct kt_gpu *gpu, enum kt_gpu_aperture aperture,
			   uint64_t bytes, uint64_t alignment, uint64_t *physical);
/* Frees the allocation that begins at `physical`. Mappings by kt_gpu_map remain valid. */
void kt_gpu_memory_free(struct kt_gpu *gpu, uint64_t physical);
uint64_t kt_gpu_memory_left(const struct kt_gpu *gpu, enum kt_gpu_aperture aperture);

/*
 * Maps whole pages of physical memory (in the arena) into the process. Works even if the
 * program has closed the arena's descriptor. `flags` must contain MAP_SHARED. Returns the
 * address or a negative errno.
 */
long kt_gpu_map(const struct kt_gpu *gpu, uint64_t physical, uint64_t address,
		uint64_t bytes, int protection, int flags);

/* Returns the device's mapping of physical memory; NULL outside the arena. */
void *kt_gpu_memory_at(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes);

/*
 * Return the physical address of the register pages: usermode (KT_ABI_USERMODE_BYTES),
 * transfer (KT_ABI_TRANSFER_BYTES).
 */
uint64_t kt_gpu_usermode_page(const struct kt_gpu *gpu);
uint64_t kt_gpu_transfer_page(const struct kt_gpu *gpu);

/* --- address spaces: GPU addresses (up to 2^57) to physical or user memory --- */

int kt_gpu_space_create(struct kt_gpu *gpu, struct kt_gpu_space **out);
/*
 * Drops the creator's reference. Channels and the transfer registers hold references too;
 * the space is freed with its last reference.
 */
void kt_gpu_space_release(struct kt_gpu_space *space);

/*
 * Registers whole pages of the process's memory for access by the device. *name becomes the
 * number by which kt_gpu_space_map_user identifies the first page. Returns -EFAULT if a
 * page is missing. O(pages).
 */
int kt_gpu_user_register(struct kt_gpu *gpu, uint64_t address, uint64_t bytes,
			 uint64_t *name);
/* Unregisters memory that no space maps any more. */
void kt_gpu_user_forget(struct kt_gpu *gpu, uint64_t name);

/*
 * Map whole pages. Return -EEXIST if the range overlaps a mapped range. Mapping and
 * unmapping are O(ranges), a lookup is O(log ranges).
 */
int kt_gpu_space_map(struct kt_gpu_space *space, uint64_t address, uint64_t bytes,
		     uint64_t physical);
int kt_gpu_space_map_user(struct kt_gpu_space *space, uint64_t address, uint64_t bytes,
			  uint64_t name);

/*
 * Waits for the device's current turn (engine.h), then removes all mappings and parts of
 * mappings within the range.
 */
void kt_gpu_space_unmap(struct kt_gpu_space *space, uint64_t address, uint64_t bytes);

/* Sets or replaces the address space of the transfer registers; NULL: none. */
void kt_gpu_transfer_space(struct kt_gpu *gpu, struct kt_gpu_space *space);

/*
 * Copy between GPU addresses of a space and the caller's memory. Return -EFAULT if a page
 * is unmapped; *bad is then the start of the part that was not copied. `bad` may be NULL.
 */
int kt_gpu_space_read(struct kt_gpu_space *space, uint64_t address, void *out,
		      uint64_t bytes, uint64_t *bad);
int kt_gpu_space_write(struct kt_gpu_space *space, uint64_t address, const void *data,
		       uint64_t bytes, uint64_t *bad);

/* --- channels --- */

struct kt_gpu_channel_options {
	struct kt_gpu_space *space; /* Weak: the channel takes a reference */
	uint64_t gpfifo_address;    /* GPU address */
	uint32_t gpfifo_entries;    /* a power of two */
	uint64_t userd_physical;    /* address of KT_USERD_BYTES bytes */
	uint64_t notifier_physical; /* struct kt_abi_notification; UINT64_MAX: none */
};

/*
 * Creates a channel, which executes nothing until kt_gpu_channel_enable. *token becomes the
 * channel's work-submit token, which a doorbell store writes.
 */
int kt_gpu_channel_create(struct kt_gpu *gpu, const struct kt_gpu_channel_options *options,
			  struct kt_gpu_channel **out, uint32_t *token);
/* Waits for the channel's current turn (engine.h). Remaining ring entries are dropped. */
void kt_gpu_channel_free(struct kt_gpu_channel *channel);

void kt_gpu_channel_enable(struct kt_gpu_channel *channel, bool enable);

/* Allows SET_OBJECT of an engine class on the channel: KT_ABI_CLASS_COPY, _COMPUTE. */
int kt_gpu_channel_allow(struct kt_gpu_channel *channel, uint32_t class_number);

/* Counts of executed work, for tests. */
struct kt_gpu_counts {
	uint64_t entries; /* GPFIFO entries executed */
	uint64_t methods;
	uint64_t launches; /* kernel launches */
	uint64_t copies;   /* copies by the copy engine */
	uint64_t errors;   /* channels that died */
};
void kt_gpu_counts(struct kt_gpu *gpu, struct kt_gpu_counts *out);

/* --- time --- */

/* Returns the device's timer in nanoseconds, as in the usermode page and in timestamps. */
uint64_t kt_gpu_time(void);

#endif
