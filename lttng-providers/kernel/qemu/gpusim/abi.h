/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The software GPU's files in a kernel: nvidiactl, nvidia0, nvidia-uvm. What lies behind
 * their requests is corpus/softgpu's own code (device/, kmd/); here is what that code asks
 * of its surroundings, and what the kernel asks of a driver.
 *
 *   abi-files.c    the char devices, /proc/driver/nvidia/version, open, ioctl
 *   abi-process.c  a process's state: one device and one tree of objects for each mm
 *   abi-mapping.c  mmap
 *   abi-arena.c    physical memory: pages, and how many of them all processes may have
 *   abi-user.c     memory of the user's: pinned pages
 *   abi-kernel.c   heap, thread, sleep, clock
 *
 * Locks: a process's lock is taken first; while it is held the user's memory may be touched
 * (mmap_lock), so nothing that runs under mmap_lock takes it. The device's lock is within
 * both. A file's own lock is a spinlock.
 */
#ifndef GPUSIM_ABI_H
#define GPUSIM_ABI_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "corpus/softgpu/kmd/kmd.h"

/* For the module's init and exit. */
int gpusim_abi_init(void);
void gpusim_abi_exit(void);

/* --- abi-process.c --- */

struct abi_process {
	struct list_head list;
	unsigned int files;     /* references; under the lock of all processes */
	unsigned int uvm_files; /* initialised ones; under `lock` */
	struct mm_struct *mm;   /* whose it is: compared, never used */
	struct mutex lock;      /* of `kmd` */
	struct kt_kmd *kmd;     /* Owned by this */
};

/* An open file. */
struct abi_file {
	struct abi_process *process; /* a reference */
	spinlock_t lock;             /* of `state` */
	struct kt_kmd_file state;
};

/* The current process's, which begins if there is none: a reference, or ERR_PTR. */
struct abi_process *abi_process_get(void);
void abi_process_put(struct abi_process *process);

/* The file's state as it is now. */
struct kt_kmd_file abi_file_read(struct abi_file *file);
void abi_file_store(struct abi_file *file, const struct kt_kmd_file *state);

/* --- abi-files.c --- */

/* NULL: no file of ours. */
struct abi_file *abi_file_of(struct file *file);

/* --- abi-mapping.c: global, so that who looks for a driver's mmap finds them by name ---
 */

int gpusim_nvidia_mmap(struct file *file, struct vm_area_struct *vma);
int gpusim_uvm_mmap(struct file *file, struct vm_area_struct *vma);

/* --- abi-arena.c --- */

/* struct kt_gpu, kernel */
struct abi_memory {
	struct xarray pages;   /* of the arena, by physical page: those that were touched */
	void *transfer;        /* Owned by this: the transfer page and its registers */
	struct xarray user;    /* pinned pages, by name */
	struct xarray regions; /* what was registered, by the name it begins with */
	u64 next_name;         /* in pages; under the process's lock */
};

/* False: there would be more pages than the module's limit allows. */
bool abi_pages_charge(unsigned long n);
void abi_pages_uncharge(unsigned long n);
/* A page of such an array, which is made, zeroed, and charged if it is not there; no
 * reference; NULL: no memory. */
struct page *abi_page_in(struct xarray *pages, unsigned long index);

/* A reference to a page of the arena, its register pages included; NULL: no memory. */
struct page *abi_page_get(struct kt_gpu *gpu, u64 physical);

/* abi-user.c: what is registered still goes. */
void abi_user_end(struct abi_memory *at);

int abi_arena_init(void);
void abi_arena_exit(void);

#endif
