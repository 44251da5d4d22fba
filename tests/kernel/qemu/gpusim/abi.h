/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The software GPU's device files in a kernel: nvidiactl, nvidia0, nvidia-uvm. The code of
 * corpus/softgpu (device/, kmd/) implements their requests. The files here implement what
 * that code needs from its environment, and what the kernel needs from a driver.
 *
 * abi-files.c    the char devices, /proc/driver/nvidia/version, open, ioctl
 * abi-process.c  a process's state: one device and one tree of objects for each mm
 * abi-mapping.c  mmap
 * abi-arena.c    physical memory: pages, and the limit for all processes
 * abi-user.c     user memory: pinned pages
 * abi-kernel.c   heap, thread, sleep, clock
 *
 * Lock order: a process's lock, mmap_lock, the device's lock. User memory may be accessed
 * under a process's lock, so code that runs under mmap_lock must not take a process's lock.
 * A file's own lock is a spinlock.
 */
#ifndef GPUSIM_ABI_H
#define GPUSIM_ABI_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "corpus/softgpu/kmd/kmd.h"

/* Called by the module's init and exit; gpusim_abi_init() returns 0 or a negative errno. */
int gpusim_abi_init(void);
void gpusim_abi_exit(void);

/* --- abi-process.c --- */

struct abi_process {
	struct list_head list;
	/* open files, each of which holds a reference; under the lock of all processes */
	unsigned int files;
	unsigned int uvm_files; /* initialized files of nvidia-uvm; under `lock` */
	struct mm_struct *mm;   /* the owner's mm, only compared; referenced by mmgrab() */
	struct mutex lock;      /* protects `kmd` */
	struct kt_kmd *kmd;     /* owned by the process */
};

/* An open file. The kernel's struct file owns it, and its release frees it. */
struct abi_file {
	struct abi_process *process; /* holds a reference */
	spinlock_t lock;             /* protects `state` */
	struct kt_kmd_file state;
};

/*
 * Returns a reference to the current process's state, or an ERR_PTR. Creates the state if
 * necessary.
 */
struct abi_process *abi_process_get(void);
void abi_process_put(struct abi_process *process);

/* Returns a copy of the file's state. */
struct kt_kmd_file abi_file_read(struct abi_file *file);
void abi_file_store(struct abi_file *file, const struct kt_kmd_file *state);

/* --- abi-files.c --- */

/* Returns NULL if the file was not opened through this driver. */
struct abi_file *abi_file_of(struct file *file);

/* --- abi-mapping.c: global, so that tracers find these functions by name --- */

int gpusim_nvidia_mmap(struct file *file, struct vm_area_struct *vma);
int gpusim_uvm_mmap(struct file *file, struct vm_area_struct *vma);

/* --- abi-arena.c --- */

/* Memory of a struct kt_gpu in the kernel. */
struct abi_memory {
	struct xarray pages;   /* references to the arena's used pages, by page number */
	void *transfer;        /* owned: the transfer page and its registers */
	struct xarray user;    /* pinned pages by name; `regions` owns them */
	struct xarray regions; /* owned: registrations by their first name */
	u64 next_name;         /* next unused name, in pages; under the process's lock */
};

/* Charges n pages. Returns false if the module's limit would be exceeded. */
bool abi_pages_charge(unsigned long n);
void abi_pages_uncharge(unsigned long n);
/*
 * Returns the page at that index of the array, without a new reference. If there is none,
 * allocates, zeroes and charges it. Returns NULL if no memory is available.
 */
struct page *abi_page_in(struct xarray *pages, unsigned long index);

/*
 * Returns a reference to a page of the arena or of registers, or NULL if no memory is
 * available.
 */
struct page *abi_page_get(struct kt_gpu *gpu, u64 physical);

/* abi-user.c: unpins all remaining registrations. */
void abi_user_end(struct abi_memory *at);

int abi_arena_init(void);
void abi_arena_exit(void);

#endif
