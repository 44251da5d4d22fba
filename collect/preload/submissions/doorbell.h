/* SPDX-License-Identifier: MIT */
/*
 * Observes stores to the doorbell of a usermode mapping, in one of three ways:
 *
 * - A hardware watchpoint of perf_event_open(2) raises a synchronous SIGTRAP in the storing
 *   thread, right after the store.
 * - The doorbell's page is closed, so the store faults and is emulated
 *   (collect/preload/access/access.c). This needs no permission and no debug register.
 * - The store is patched after it was observed once (collect/preload/access/patch.h). From
 *   then on it is reported without a trap.
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
	 * Closes the page if its mapping has an alias. Otherwise sets a watchpoint or, if
	 * that is refused, closes the page. Observed instructions are patched.
	 */
	KT_DOORBELL_AUTO,
	KT_DOORBELL_WATCHPOINT,
	KT_DOORBELL_PATCH, /* like KT_DOORBELL_AUTO, but the user asked for patches */
	KT_DOORBELL_PROTECT,
};

/* How doorbells are observed; set once, before the first mapping. */
extern enum kt_doorbell_mode kt_doorbell_mode;

/* Returns whether instructions are patched (collect/preload/access/patch.h). */
static inline bool kt_doorbell_patches(void)
{
	return kt_doorbell_mode == KT_DOORBELL_AUTO ||
	       kt_doorbell_mode == KT_DOORBELL_PATCH;
}

/* Kind of guard on a doorbell. */
enum kt_doorbell_guard { KT_GUARD_NONE, KT_GUARD_WATCHPOINT, KT_GUARD_PAGE };

/*
 * Guards the mapping's doorbell, if it has one, in all present and future threads. If the
 * result is KT_GUARD_PAGE, the caller closes the page. Counts the guard, and stores the
 * error of a refused watchpoint in the counters.
 */
enum kt_doorbell_guard kt_doorbell_arm(const struct kt_mapping *mapping);

/* Call before [start, start + length) is unmapped: removes the watchpoints there. */
void kt_doorbell_disarm(uintptr_t start, size_t length);

/*
 * Returns whether doorbells are to be reported and [address, address + size) overlaps the
 * mapping's doorbell.
 */
bool kt_doorbell_is_in(const struct kt_mapping *mapping, uintptr_t address, size_t size);

/*
 * Reports a store to the mapping's doorbell by the instruction at `ip` in the original
 * code. `value` is the stored value if `known`. With `by_patch`, a patched store has made
 * the store. Otherwise the store has faulted, and the caller makes it through the alias
 * before or after this call; the caller also decides whether to patch it.
 */
void kt_doorbell_stored(const struct kt_mapping *mapping, uintptr_t ip, bool known,
			uint32_t value, bool by_patch);

/*
 * Handles a SIGTRAP. Returns true if it came from one of the recorder's watchpoints. If the
 * debug registers report no cause (kt_frame_is_causeless()), decodes the store before the
 * trap or, if that is impossible, guesses the cause. During a single step, traps without a
 * cause are left to kt_step_trap().
 */
bool kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context);

/*
 * Totals for the event process_end: all doorbells, and those at which no known GP_PUT had
 * moved.
 */
extern uint64_t kt_doorbell_count;
extern uint64_t kt_doorbell_idle;

/*
 * Call in a forked child: closes the inherited watchpoints, which belong to the parent, and
 * clears the totals.
 */
void kt_doorbell_after_fork(void);

#endif
