/* SPDX-License-Identifier: MIT */
/*
 * The software GPU's device: memory, address spaces, register pages, channels, and a thread
 * that executes what channels hold. Whoever plays the kernel's driver (corpus/softgpu/kmd)
 * calls these functions; the user-mode driver reaches the device through memory alone.
 *
 * All physical memory, device memory and system memory alike, is one file of memory
 * (memfd), the arena; a physical address is an offset in it. The device has a mapping of
 * the whole arena for itself, and touches nothing else but user memory that was registered
 * (kt_gpu_space_map_user), which it reaches by the kernel's door /proc/self/mem where its
 * pages are closed to all others. So a page that is protected elsewhere is no matter to it.
 *
 * Every function may be called from any thread, but not from signal handlers. Results are 0
 * or a negative errno. Nothing here prints, aborts, or calls what a recorder interposes
 * through the loader's symbols (corpus/softgpu/device/system.h has its own system calls).
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

#define KT_GPU_DEVICE_BYTES                                                                \
	(UINT64_C(4) << 30) /* sparse: no page is there until touched                      \
			     */
#define KT_GPU_SYSTEM_BYTES (UINT64_C(2) << 30)
#define KT_GPU_MAX_CHANNELS 1024

/* Makes a device without channels; its thread begins with the first channel. */
int kt_gpu_create(struct kt_gpu **out);
/* Ends the thread and gives everything back. All channels and spaces go with it. */
void kt_gpu_free(struct kt_gpu *gpu);
/*
 * In a forked child, of the parent's device, which no call may be given any more: its
 * descriptors and its view of the arena go, else each of a chain of children has one more.
 */
void kt_gpu_leave_inherited(struct kt_gpu *gpu);
/* For what belongs to the device's keeper: it goes with the device (store.h). */
struct kt_store *kt_gpu_store(struct kt_gpu *gpu);

/* --- memory --- */

/*
 * Zeroed memory of whole pages. *physical is a multiple of `alignment` (a power of two; 0:
 * a page). -ENOMEM if the place is full. O(n) in allocations.
 */
int kt_gpu_memory_allocate(struct kt_gpu *gpu, enum kt_gpu_aperture aperture,
			   uint64_t bytes, uint64_t alignment, uint64_t *physical);
/* Whole allocations. Mappings of the arena that others made stay as they are. */
void kt_gpu_memory_free(struct kt_gpu *gpu, uint64_t physical);
uint64_t kt_gpu_memory_left(const struct kt_gpu *gpu, enum kt_gpu_aperture aperture);

/*
 * mmap of whole pages of physical memory, which are in the arena, into the process: its
 * address, or a negative errno. `flags` has MAP_SHARED. Also where the program has closed
 * the arena's descriptor.
 */
long kt_gpu_map(const struct kt_gpu *gpu, uint64_t physical, uint64_t address,
		uint64_t bytes, int protection, int flags);

/* The device's own view of physical memory; NULL outside of the arena. */
void *kt_gpu_memory_at(struct kt_gpu *gpu, uint64_t physical, uint64_t bytes);

/* Register pages: usermode (KT_ABI_USERMODE_BYTES), transfer (KT_ABI_TRANSFER_BYTES). */
uint64_t kt_gpu_usermode_page(const struct kt_gpu *gpu);
uint64_t kt_gpu_transfer_page(const struct kt_gpu *gpu);

/* --- address spaces: GPU addresses (up to 2^57) to physical or user memory --- */

int kt_gpu_space_create(struct kt_gpu *gpu, struct kt_gpu_space **out);
/* Channels hold a reference; the space goes with the last of them. */
void kt_gpu_space_release(struct kt_gpu_space *space);

/*
 * Whole pages of the process's own memory which the device is to reach; *name is what
 * kt_gpu_space_map_user calls their beginning. -EFAULT: they are not all there. O(pages).
 */
int kt_gpu_user_register(struct kt_gpu *gpu, uint64_t address, uint64_t bytes,
			 uint64_t *name);
/* No space maps them any more. */
void kt_gpu_user_forget(struct kt_gpu *gpu, uint64_t name);

/*
 * Ranges of whole pages that overlap none that is mapped: else -EEXIST. Maps and unmaps are
 * O(n) in ranges, looking an address up is O(log n).
 */
int kt_gpu_space_map(struct kt_gpu_space *space, uint64_t address, uint64_t bytes,
		     uint64_t physical);
int kt_gpu_space_map_user(struct kt_gpu_space *space, uint64_t address, uint64_t bytes,
			  uint64_t name);

/* Removes every mapping within the range, also parts. Waits until the device is not in it.
 */
void kt_gpu_space_unmap(struct kt_gpu_space *space, uint64_t address, uint64_t bytes);

/* The space that the transfer registers' addresses are of: the last that was named here. */
void kt_gpu_transfer_space(struct kt_gpu *gpu, struct kt_gpu_space *space);

/*
 * Copy between GPU addresses of a space and the caller's memory. -EFAULT: a page is
 * unmapped
 * (*bad, if not NULL, is the first such address).
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
	uint64_t userd_physical;    /* KT_USERD_BYTES */
	uint64_t notifier_physical; /* struct kt_abi_notification; UINT64_MAX: none */
};

/* *token is what a doorbell store carries. The channel does not run before it is enabled.
 */
int kt_gpu_channel_create(struct kt_gpu *gpu, const struct kt_gpu_channel_options *options,
			  struct kt_gpu_channel **out, uint32_t *token);
/* Waits until the device is not in it; what lies in its ring is not executed any more. */
void kt_gpu_channel_free(struct kt_gpu_channel *channel);

void kt_gpu_channel_enable(struct kt_gpu_channel *channel, bool enable);

/* An engine class that the channel may bind by SET_OBJECT: KT_ABI_CLASS_COPY, _COMPUTE. */
int kt_gpu_channel_allow(struct kt_gpu_channel *channel, uint32_t class_number);

/* What the device has done, for tests. */
struct kt_gpu_counts {
	uint64_t entries; /* GPFIFO entries executed */
	uint64_t methods;
	uint64_t launches; /* of kernels */
	uint64_t copies;   /* by the copy engine */
	uint64_t errors;   /* channels that died */
};
void kt_gpu_counts(struct kt_gpu *gpu, struct kt_gpu_counts *out);

/* --- time --- */

/* Nanoseconds of the device's timer, as in the usermode page and in timestamps. */
uint64_t kt_gpu_time(void);

#endif
