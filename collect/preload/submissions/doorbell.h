/* SPDX-License-Identifier: MIT */
/*
 * Stores to the doorbell of a usermode mapping. By a hardware watchpoint through
 * perf_event_open(2): a synchronous SIGTRAP on the storing thread right after the store. Or
 * by its page, which is closed: the store faults and is emulated
 * (collect/preload/access/access.c), which needs no permission and no debug register. Or
 * without a trap, by the store itself, which is patched when it was seen once
 * (collect/preload/access/patch.h). The lock is held for all functions here but
 * kt_doorbell_trap().
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
	/* The page where there is an alias; else a watchpoint; where refused, the page. */
	KT_DOORBELL_AUTO,
	KT_DOORBELL_WATCHPOINT,
	KT_DOORBELL_PATCH, /* guarded as by auto; stores that were seen are patched */
	KT_DOORBELL_PROTECT,
};

/* How doorbells are traced; set once before any mapping is. */
extern enum kt_doorbell_mode kt_doorbell_mode;

/* What guards a doorbell. */
enum kt_doorbell_guard { KT_GUARD_NONE, KT_GUARD_WATCHPOINT, KT_GUARD_PAGE };

/*
 * Arms the mapping's doorbell, if it has one, for all threads, now and later.
 * KT_GUARD_PAGE: the caller closes the page. Counts what was chosen, and why.
 */
enum kt_doorbell_guard kt_doorbell_arm(const struct kt_mapping *mapping);

/* [start, start + length) is being unmapped. */
void kt_doorbell_disarm(uintptr_t start, size_t length);

/* Whether [address, address + size) holds a doorbell that we are to report. */
bool kt_doorbell_is_in(const struct kt_mapping *mapping, uintptr_t address, size_t size);

/*
 * A store to the mapping's doorbell that faulted has been made through the alias, or is
 * about to be made: reports it. Or a patched store (`by_patch`) has made it. Where the
 * store may be patched, the caller sees to it.
 */
void kt_doorbell_stored(const struct kt_mapping *mapping, uintptr_t ip, bool known,
			uint32_t value, bool by_patch);

/* A SIGTRAP. true: it was a watchpoint of ours, though its cause may have been lost. */
bool kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context);

/* Totals of this process, for its process_end event. */
extern uint64_t kt_doorbell_count;
extern uint64_t kt_doorbell_idle;

/* In a forked child: inherited watchpoints belong to the parent. */
void kt_doorbell_after_fork(void);

#endif
