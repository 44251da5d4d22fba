/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs are those of ktail-events(7): consecutive accesses to one mapping with no other
 * letter between; the first access of a run is reported, and its first write. A process has
 * the pages of one mapping open at a time; what another thread does there belongs to the
 * run.
 *
 * Order of locks: mmap_lock, then the run's. Neither is taken under a process's lock.
 */
#ifndef DW_RUN_H
#define DW_RUN_H

#include "watch/access/pages.h"

struct dw_run;

/* That of a process and its mm, made if there is none; NULL: out of memory, or the run is
 * of another mm. mmap_lock is held for writing. */
struct dw_run *dw_run_of(struct dw_process *process, struct mm_struct *mm);

/* With the process. Process context without locks. */
void dw_run_free(struct dw_process *process);

/*
 * Notes the pages of a VMA, closes them, and follows from now on what the driver takes away
 * of the mapping's. mmap_lock is held for writing. 0, or a negative errno.
 */
int dw_run_take(struct dw_run *run, struct dw_access *access, struct vm_area_struct *vma);

/* A mapping goes: nothing of it is open. Process context; mmap_lock may be held. */
void dw_run_forget(struct dw_run *run, struct dw_access *access);

/*
 * A fault of a page that is known: opens it, and what else is opened with it, and reports
 * the access if it is to be. 0, or a negative errno.
 */
int dw_run_open(struct dw_run *run, struct dw_mapping *mapping, struct vm_fault *fault);

/* How often pages were taken away from the mm by now. */
u64 dw_run_revokes(struct dw_run *run);

/*
 * A handler that was asked for a page after this many revokes has mapped it, and maybe
 * others: they are noted and closed. 0, or a negative errno.
 */
int dw_run_take_mapped(struct dw_run *run, struct dw_mapping *mapping,
		       struct vm_fault *fault, u64 revokes);

/* A fault of a page that somebody else opens (mode shadow): reports the access. */
void dw_run_note(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * Another letter of the process: the open run ends, its pages are closed. Process context
 * without locks.
 */
void dw_run_end(struct dw_process *process);
/* The same, of a run that began before the event of that number. */
void dw_run_end_before(struct dw_process *process, u64 letter);
/* The same from any context but NMI: done before the current task goes on. */
void dw_run_end_soon(struct dw_process *process);

#endif
