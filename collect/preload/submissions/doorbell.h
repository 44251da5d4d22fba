/* SPDX-License-Identifier: MIT */
/*
 * Observes stores to the doorbell of a usermode mapping, in one of three ways:
 *
 * - A hardware watchpoint of perf_event_open(2): a synchronous SIGTRAP in the storing
 *   thread, right after the store.
 * - Its closed page: the store faults and is emulated (collect/preload/access/access.c),
 *   which needs no permission and no debug register.
 * - The store itself, patched after it was observed once (collect/preload/access/patch.h),
 *   without a trap.
 *
 * The caller holds the lock, except for kt_doorbell_trap().
 */
#ifndef KTAIL_COLLECT_DOORBELL_H
#define KTAIL_COLLECT_DOORBELL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/mappings/mappings.h"

enum kt_doorbell_mode {
	KT_DOORBELL_OFF,
	/*
	 * The page if its mapping has an alias; else a watchpoint or, if refused, the page.
	 */
	KT_DOORBELL_AUTO,
	KT_DOORBELL_WATCHPOINT,
	KT_DOORBELL_PATCH, /* like KT_DOORBELL_AUTO; observed stores are patched */
	KT_DOORBELL_PROTECT,
};

/* How doorbells are traced; set once, before any mapping. */
extern enum kt_doorbell_mode kt_doorbell_mode;

/* Kind of guard on a doorbell. */
enum kt_doorbell_guard { KT_GUARD_NONE, KT_GUARD_WATCHPOINT, KT_GUARD_PAGE };

/*
 * Arms the mapping's doorbell, if it has one, for all threads, now and later. On
 * KT_GUARD_PAGE the caller closes the page. The choice and its reason are counted.
 */
enum kt_doorbell_guard kt_doorbell_arm(const struct kt_mapping *mapping);

/* Call before [start, start + length) is unmapped: removes the watchpoints there. */
void kt_doorbell_disarm(uintptr_t start, size_t length);

/* Returns whether [address, address + size) holds a doorbell to be reported. */
bool kt_doorbell_is_in(const struct kt_mapping *mapping, uintptr_t address, size_t size);

/*
 * Reports a store to the mapping's doorbell. Either the store has faulted and is made
 * through the alias, before or after this call, or a patched store (`by_patch`) has made
 * it. The caller decides whether the store is to be patched.
 */
void kt_doorbell_stored(const struct kt_mapping *mapping, uintptr_t ip, bool known,
			uint32_t value, bool by_patch);

/*
 * Handles a SIGTRAP. Returns true if it came from a watchpoint of ours, even if its cause
 * was lost.
 */
bool kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context);

/* Totals for process_end: all doorbells, and doorbells that moved no known GP_PUT. */
extern uint64_t kt_doorbell_count;
extern uint64_t kt_doorbell_idle;

/* In a forked child: inherited watchpoints belong to the parent. */
void kt_doorbell_after_fork(void);

#endif
