/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doorbell pages that are watched: by a write breakpoint for each thread that can reach
 * them, or, in mode shadow, by a page in their place that nobody can write to. A door
 * belongs to one mapping, and lives as long. It is open from when its page is known until
 * its VMA goes; a store to the address after that is somebody else's.
 */
#ifndef DW_WATCH_H
#define DW_WATCH_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>

struct dw_mapping;
struct dw_shadow;

enum dw_mode {
	DW_MODE_OFF,
	DW_MODE_WATCH,
	DW_MODE_SHADOW,
};

extern enum dw_mode dw_mode; /* parameter: mode */
const char *dw_mode_name(void);

struct dw_door {
	struct list_head of_mm;     /* among all open doors (watch.c) */
	struct dw_mapping *mapping; /* whose it is */
	unsigned long page;         /* its address in the process */
	unsigned long at;           /* of the doorbell's word */
	unsigned long pfn;          /* the real page; 0: not known */
	unsigned long state;        /* DW_DOOR_* */
	struct mutex lock;          /* of `watchpoints`; within it perf's locks are taken */
	struct list_head watchpoints;
	struct work_struct closing;
	struct dw_shadow *shadow; /* Owned by this; NULL: never had one (shadow.c) */
	struct rcu_head rcu;
};

#define DW_DOOR_READY                                                                      \
	0 /* nobody stores there unseen: it has a shadow, or its page is not there yet, or \
	   * all threads of that time have their breakpoint, if one was free */
#define DW_DOOR_GONE   1 /* what is stored there is no doorbell any more */
#define DW_DOOR_SHADOW 2 /* the page of memory is, or will be mapped, not the real one */
#define DW_DOOR_REAL                                                                       \
	3 /* it is to keep its real page: threads have, or are given, breakpoints */
#define DW_DOOR_REVOKED                                                                    \
	4 /* the driver has taken its page away, and has not been asked for it */

int dw_watch_init(void);
void dw_watch_exit(void); /* after all mappings have gone */

/*
 * Opens a door at the mapping's door_page, unless it is open, and arms it. Process context
 * without locks; current is a task of the mapping's mm.
 */
void dw_watch_open(struct dw_mapping *mapping);

/* The page is gone from the process, or moves: nothing there is a doorbell any more, and
 * the device is not touched after this. The breakpoints go later, in a worker. mmap_lock is
 * held; may sleep. */
void dw_watch_close(struct dw_mapping *mapping);

/* mremap has moved the page of a door: `vma` is where it is now. mmap_lock is held for
 * writing. */
void dw_watch_moved(struct dw_mapping *from, struct dw_mapping *to,
		    struct vm_area_struct *vma);

/*
 * fork copies the VMA of a door, and after this its page tables: those of the new mapping
 * must not have the shadow's page. mmap_lock of both is held for writing.
 */
void dw_watch_copied(struct dw_mapping *from, struct dw_mapping *to);

/* With the mapping, in a worker. */
void dw_watch_free(struct dw_mapping *mapping);

/* Whether an address lies in a mapping's page with a doorbell. */
bool dw_watch_covers(const struct dw_mapping *mapping, unsigned long address);

/*
 * A fault in a mapping, before the driver sees it. VM_FAULT_FALLBACK: it is not in the page
 * of a door, or nothing special about it.
 */
vm_fault_t dw_watch_fault(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * The driver's own handler maps what is missing, which it has: one page or all. No thread
 * can touch a doorbell's page among them before it is watched, nor the real one beside its
 * shadow.
 */
vm_fault_t dw_watch_fill(struct dw_mapping *mapping, struct vm_fault *fault);

/* Whether it lies in that page and no thread may have the real one: its door is not open
 * yet, or it has a shadow. */
bool dw_watch_keeps_closed(const struct dw_mapping *mapping, unsigned long address);

/* Whether an address lies in a page of memory that stands for the device's. */
bool dw_watch_is_shadow(const struct dw_mapping *mapping, unsigned long address);

/* The real page takes the place of a shadow, or of nothing: its door is not yet open.
 * mmap_lock is held for writing. */
void dw_watch_restore(struct dw_mapping *mapping, struct vm_area_struct *vma);

/*
 * The real page comes back to a door in mode shadow before the current task goes on, with
 * all threads watched; if the task dies before that, the next one that needs it sees to it.
 * false: it cannot. Any context but NMI.
 */
bool dw_watch_leave_shadow_soon(struct dw_door *door);

/*
 * The open doors of the current task's mm but the first `skip`, each with a reference to
 * its mapping; how many.
 */
size_t dw_watch_doors(struct dw_door **out, size_t room, size_t skip);
/* Whether an mm has any with its real page, or one that gets it now. Process context. */
bool dw_watch_has_real_doors(const struct mm_struct *mm);

#endif
