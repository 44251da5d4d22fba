/* SPDX-License-Identifier: MIT */
/*
 * The kernel-mode driver (KMD) of the software GPU, in user space: it answers open, ioctl
 * and mmap of the device files (interpose.c). Its parts:
 *
 *   file.c      an open device file
 *   kmd.c       the process's one device, the lock of all parts below, mmap
 *   requests.c  ioctls of nvidiactl and nvidia0 ("RM"), by number
 *   objects.c   classes, clients, their trees of objects, and how they are freed;
 *               memory.c, channels.c: the objects of single classes
 *   controls.c  RM controls
 *   uvm.c       ioctls of nvidia-uvm, the GPU's address space
 *
 * A kernel module has its own file.c and kmd.c (tests/kernel/qemu) and shares
 * the other files.
 *
 * Functions that return int return 0 or a negative errno for the call itself; functions
 * that return uint32_t return NVIDIA's status (KT_ABI_*), which the caller finds in the
 * ioctl's struct.
 */
#ifndef KTAIL_SOFTGPU_KMD_KMD_H
#define KTAIL_SOFTGPU_KMD_KMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/abi.h"
#include "corpus/softgpu/device/gpu.h"
#include "corpus/softgpu/kmd/file.h"

#define KT_KMD_BUCKETS 1024 /* buckets of the objects' hash table */

struct kt_kmd_object;
struct kt_kmd_range;

/* The state of a process, protected by one lock. */
struct kt_kmd {
	uint64_t id; /* stored in each file of the process */
	/* Weak: in a forked child, the parent's state, which must not be used */
	struct kt_kmd *inherited;
	struct kt_gpu *gpu; /* Owned by this */
	uint8_t uuid[KT_ABI_UUID_SIZE];

	struct kt_kmd_object *buckets[KT_KMD_BUCKETS];
	uint32_t clients; /* number of client handles assigned */
	uint32_t chosen;  /* number of handles that the KMD has chosen or skipped */

	uint64_t memblock_size; /* what the first request set; 0: none has */

	/* State of nvidia-uvm. */
	bool gpu_registered;
	struct kt_kmd_object *space; /* Weak: the registered address space */
	/* Owned by this; sorted by address, not overlapping */
	struct kt_kmd_range **ranges;
	size_t n_ranges;
	size_t ranges_capacity;
	uint64_t range_groups; /* number of range groups created */
	uint64_t *groups;      /* Owned by this: the existing groups */
	size_t n_groups;

	uint64_t call[KT_KMD_COPY_MAX / 8];   /* the struct of the current ioctl */
	uint64_t params[KT_KMD_COPY_MAX / 8]; /* the struct that its `params` points to */
};

/* --- kmd.c --- */

struct kt_kmd_guard {
	uint64_t signals; /* signals that were blocked before */
};

/*
 * Takes the lock and blocks signals on this thread until kt_kmd_leave(). A child of any
 * kind of fork starts without a state and with the lock free.
 */
void kt_kmd_enter(struct kt_kmd_guard *guard);
void kt_kmd_leave(const struct kt_kmd_guard *guard);

/* Returns the process's state, or NULL if there is none yet. The caller holds the lock. */
struct kt_kmd *kt_kmd_get(void);
/*
 * Like kt_kmd_get(), but creates the state and its device if needed. Returns 0 or a
 * negative errno.
 */
int kt_kmd_begin(struct kt_kmd **out);

/* --- entry points; each takes the lock --- */

/* Returns a new descriptor, or a negative errno. */
int kt_kmd_open(enum kt_kmd_device device, int flags);
/* `fd` must be a file of the KMD. */
int kt_kmd_ioctl(int fd, unsigned long request, uint64_t argument);
/* Returns the address, or a negative errno. */
long kt_kmd_mmap(int fd, uint64_t address, uint64_t length, int protection, int flags,
		 uint64_t offset);

/* --- internals, with the lock held --- */

/* An ioctl in progress. */
struct kt_kmd_call {
	struct kt_kmd *kmd;
	int fd;
	struct kt_kmd_file file;
	uint32_t nr;
	uint32_t size;     /* size encoded in the request */
	uint64_t argument; /* address in the caller's memory */
};

/* kmd.c: writes call->file back to the file. */
int kt_kmd_call_store(struct kt_kmd_call *call);

int kt_kmd_rm_ioctl(struct kt_kmd_call *call, unsigned long request);
int kt_kmd_uvm_ioctl(struct kt_kmd_call *call, unsigned long request);

/* Frees the clients that were created through the file with this number. */
void kt_kmd_end_file(struct kt_kmd *kmd, uint64_t number);
/* Frees the process's state in nvidia-uvm: ranges, groups, the registered space. */
void kt_kmd_end_uvm(struct kt_kmd *kmd);
/* Frees the remaining state except the device. */
void kt_kmd_end(struct kt_kmd *kmd);

/* Copy between the caller's memory and the KMD's. */
static inline int kt_kmd_copy_in(const struct kt_kmd_call *call, void *to, uint64_t from,
				 size_t n)
{
	return n ? kt_kmd_read_user(call->fd, to, from, n) : 0;
}

static inline int kt_kmd_copy_out(const struct kt_kmd_call *call, uint64_t to,
				  const void *from, size_t n)
{
	return n ? kt_kmd_write_user(call->fd, to, from, n) : 0;
}

#endif
