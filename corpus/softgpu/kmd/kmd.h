/* SPDX-License-Identifier: MIT */
/*
 * The kernel-mode driver (KMD) of the software GPU, in user space: what lies behind open,
 * ioctl and mmap of the device files (interpose.c). Its parts:
 *
 *   file.c      an open device file
 *   kmd.c       the process's one device, the lock of all that follows, mmap
 *   requests.c  ioctls of nvidiactl and nvidia0 ("RM"), by number
 *   objects.c   classes, clients and their trees of objects, their end; memory.c,
 *               channels.c: what an object of a class is
 *   controls.c  control commands
 *   uvm.c       ioctls of nvidia-uvm, the GPU's address space
 *
 * A kernel module has file.c and kmd.c of its own (tests/kernel/qemu)
 * and all the others in common with this one.
 *
 * Functions give 0 or a negative errno for the call itself where they return int, and
 * NVIDIA's status (KT_ABI_*), which travels inside the struct, where they return uint32_t.
 */
#ifndef KTAIL_SOFTGPU_KMD_KMD_H
#define KTAIL_SOFTGPU_KMD_KMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/abi.h"
#include "corpus/softgpu/device/gpu.h"
#include "corpus/softgpu/kmd/file.h"

#define KT_KMD_BUCKETS 1024 /* of the objects' hash table */

struct kt_kmd_object;
struct kt_kmd_range;

/* The state of a process; all of it under one lock. */
struct kt_kmd {
	uint64_t id;              /* its files carry it */
	struct kt_kmd *inherited; /* Weak: the parent's, copied by a fork, of no use */
	struct kt_gpu *gpu;       /* Owned by this */
	uint8_t uuid[KT_ABI_UUID_SIZE];

	struct kt_kmd_object *buckets[KT_KMD_BUCKETS];
	uint32_t clients; /* handles given so far */
	uint32_t chosen;  /* handles that callers left to us */

	/* nvidia-uvm */
	bool gpu_registered;
	struct kt_kmd_object *space;  /* Weak: the registered address space */
	struct kt_kmd_range **ranges; /* Owned by this; by address, disjoint */
	size_t n_ranges;
	size_t ranges_capacity;
	uint64_t range_groups; /* given so far */
	uint64_t *groups;      /* Owned by this: the living ones */
	size_t n_groups;

	uint64_t call[KT_KMD_COPY_MAX / 8];   /* the struct of the ioctl in progress */
	uint64_t params[KT_KMD_COPY_MAX / 8]; /* what its `params` points to */
};

/* --- kmd.c --- */

struct kt_kmd_guard {
	uint64_t signals; /* that were blocked before */
};

/*
 * Takes the lock; no signal handler runs on this thread until kt_kmd_leave(). A forked
 * child begins without a state and with the lock free, however it was forked.
 */
void kt_kmd_enter(struct kt_kmd_guard *guard);
void kt_kmd_leave(const struct kt_kmd_guard *guard);

/* Under the lock: the process's state, NULL if there is none yet. */
struct kt_kmd *kt_kmd_get(void);
/* The same, but makes it with its device. -ENOMEM etc. */
int kt_kmd_begin(struct kt_kmd **out);

/* --- the calls, each of which takes the lock --- */

int kt_kmd_open(enum kt_kmd_device device, int flags);
/* `fd` is ours. */
int kt_kmd_ioctl(int fd, unsigned long request, uint64_t argument);
/* The address, or a negative errno. */
long kt_kmd_mmap(int fd, uint64_t address, uint64_t length, int protection, int flags,
		 uint64_t offset);

/* --- below them, under the lock --- */

/* An ioctl in progress. */
struct kt_kmd_call {
	struct kt_kmd *kmd;
	int fd;
	struct kt_kmd_file file;
	uint32_t nr;
	uint32_t size;     /* that came with the request */
	uint64_t argument; /* in the caller's memory */
};

/* kmd.c: what call->file says now is what the file is from here on. */
int kt_kmd_call_store(struct kt_kmd_call *call);

int kt_kmd_rm_ioctl(struct kt_kmd_call *call, unsigned long request);
int kt_kmd_uvm_ioctl(struct kt_kmd_call *call, unsigned long request);

/* The clients that were made by the file with this number. */
void kt_kmd_end_file(struct kt_kmd *kmd, uint64_t number);
/* What nvidia-uvm knows of the process: ranges, groups, the registered space. */
void kt_kmd_end_uvm(struct kt_kmd *kmd);
/* All that is left, but for the device. */
void kt_kmd_end(struct kt_kmd *kmd);

/* Copies between the caller's memory and ours. */
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
