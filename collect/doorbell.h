/* SPDX-License-Identifier: MIT */
/*
 * Stores to the doorbell of a usermode mapping, by a hardware watchpoint through
 * perf_event_open(2): a synchronous SIGTRAP on the storing thread right after the store.
 * The lock is held for all of these but kt_doorbell_trap().
 */
#ifndef KTAIL_COLLECT_DOORBELL_H
#define KTAIL_COLLECT_DOORBELL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/mappings.h"

/* Whether doorbells are traced at all; set once before any mapping is. */
extern bool kt_doorbell_enabled;

/* Arms the mapping's doorbell for all threads, now and later. */
void kt_doorbell_arm(const struct kt_mapping *mapping);

/* [start, start + length) is being unmapped. */
void kt_doorbell_disarm(uintptr_t start, size_t length);

/* Whether the address is a doorbell that we are to report. */
bool kt_doorbell_is_at(const struct kt_mapping *mapping, uintptr_t address);

/*
 * A store to a closed doorbell page is about to be made: learns the instruction's place
 * and, where no watchpoint will fire, reports the doorbell now.
 */
void kt_doorbell_fault(uintptr_t address, const ucontext_t *context);

/* A SIGTRAP. true: it was a watchpoint of ours. */
bool kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context);

/* Totals of this process, for its process_end event. */
extern uint64_t kt_doorbell_count;
extern uint64_t kt_doorbell_idle;

/* In a forked child: inherited watchpoints belong to the parent. */
void kt_doorbell_after_fork(void);

#endif
