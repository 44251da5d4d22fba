/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads and writes of device mappings, the way of the 2013 paper: page-table entries are
 * taken away, the wrapped fault handler reports and lets the access through. Runs are those
 * of ktail-events(7): consecutive accesses to one mapping with no other letter between; the
 * first access of a run is reported, and its first write. A process has the pages of one
 * mapping open at a time; what another thread does there belongs to the run.
 *
 * Order of locks: mmap_lock, then the run's. Neither is taken under a process's lock.
 */
#ifndef DW_ACCESS_H
#define DW_ACCESS_H

#include <linux/mm.h>

#include "watch/mapping.h"

extern bool dw_access_on; /* parameter: access=off|coalesced */

int dw_access_init(void);

/*
 * Begins to trace a VMA of a mapping: the door, if it has one, is known, and what is in its
 * place in mode shadow is mapped. mmap_lock is held for writing. 0, or a negative errno:
 * then its accesses are not traced.
 */
int dw_access_begin(struct dw_mapping *mapping, struct vm_area_struct *vma);

/*
 * A mapping of a forked child, or one that mremap has moved, is of the pages of `from`,
 * `offset` bytes into it: what is known of these. To be followed by dw_access_begin().
 * mmap_lock of `from` is held.
 */
void dw_access_copy(struct dw_mapping *to, const struct dw_mapping *from, u64 offset);

/* All pages of a VMA come back, as the driver had mapped them. mmap_lock is held for
 * writing. */
void dw_access_restore(struct dw_mapping *mapping, struct vm_area_struct *vma);

/* The mapping goes; it has no VMA any more. Process context; mmap_lock may be held. */
void dw_access_end(struct dw_mapping *mapping);

/* A fault of one of its pages, and the first write to one that was opened for reading. */
vm_fault_t dw_access_fault(struct dw_mapping *mapping, struct vm_fault *fault);
vm_fault_t dw_access_write(struct dw_mapping *mapping, struct vm_fault *fault);

/* A fault of a page that somebody else opens (mode shadow): reports the access. */
void dw_access_note(struct dw_mapping *mapping, struct vm_fault *fault);

/* The physical page that the driver has mapped at an address, open or closed. mmap_lock is
 * held. 0, or -EINVAL: not known. */
int dw_access_pfn(const struct dw_mapping *mapping, unsigned long address,
		  unsigned long *pfn);

/*
 * Another letter of the process: the open run ends, its pages are closed. Process context
 * without locks.
 */
void dw_access_end_run(struct dw_process *process);
/* The same, of a run that began before the event of that number. */
void dw_access_end_run_before(struct dw_process *process, u64 letter);
/* The same from any context but NMI: done before the current task goes on. */
void dw_access_end_run_soon(struct dw_process *process);

/* With the process. Process context without locks. */
void dw_access_free(struct dw_process *process);

#endif
