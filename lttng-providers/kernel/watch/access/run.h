/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs as in ktail-events(7): consecutive accesses to one mapping without another letter in
 * between. The first access and the first write of a run are reported. A process has the
 * pages of only one mapping open for a run; accesses of other threads to these pages belong
 * to the run.
 *
 * Lock order: mmap_lock, then the run's lock. Neither is taken under a process's lock.
 */
#ifndef DW_RUN_H
#define DW_RUN_H

#include "watch/access/pages.h"

struct dw_run;

/*
 * Returns the run state of a process, which is created if needed. Returns NULL if memory is
 * short or the state belongs to another mm. mmap_lock is held for writing.
 */
struct dw_run *dw_run_of(struct dw_process *process, struct mm_struct *mm);

/* Frees the run state of a process that is being freed. Process context without locks. */
void dw_run_free(struct dw_process *process);

/*
 * Notes and closes the pages of a VMA, and from now on drops notes of pages that the driver
 * unmaps. mmap_lock is held for writing. Returns 0 or a negative errno.
 */
int dw_run_take(struct dw_run *run, struct dw_access *access, struct vm_area_struct *vma);

/*
 * Removes a mapping that is being released. Its pages need not be closed, because it has no
 * VMA any more. Process context; mmap_lock may be held.
 */
void dw_run_forget(struct dw_run *run, struct dw_access *access);

/*
 * Handles a fault in a page whose entry is noted: opens the page and pages around it, and
 * reports the access if it begins a run or is the run's first write. Returns 0 or a
 * negative errno.
 */
int dw_run_open(struct dw_run *run, struct dw_mapping *mapping, struct vm_fault *fault);

/* Returns how many unmappings of the mm's pages by drivers have finished. */
u64 dw_run_revokes(struct dw_run *run);

/*
 * Notes and closes the pages that a driver's fault handler has mapped; `revokes` is the
 * result of dw_run_revokes() before the handler was called. Returns 0 or a negative errno.
 */
int dw_run_take_mapped(struct dw_run *run, struct dw_mapping *mapping,
		       struct vm_fault *fault, u64 revokes);

/* Adds an access to a shadow page to the run; dw_shadow_fault() handles the access. */
void dw_run_note(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * Ends the open run and closes its pages, because another letter of the process follows.
 * Process context without locks.
 */
void dw_run_end(struct dw_process *process);
/* As dw_run_end(), if the run began before the event with the number `letter`. */
void dw_run_end_before(struct dw_process *process, u64 letter);
/*
 * As dw_run_end(), but deferred to the current task's return to user space. Any context but
 * NMI.
 */
void dw_run_end_soon(struct dw_process *process);

#endif
