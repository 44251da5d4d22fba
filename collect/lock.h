/* SPDX-License-Identifier: MIT */
/*
 * The recorder's one lock: sequence numbers, tables and page protection change together.
 * Taken in ordinary code and in the fault handlers, so it knows its owner: a handler that
 * interrupts the owner is told so instead of waiting for itself.
 */
#ifndef KTAIL_COLLECT_LOCK_H
#define KTAIL_COLLECT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Thread id of the caller, cached per thread. */
uint32_t kt_tid(void);

/*
 * Takes the lock. false: the calling thread holds it already (nothing was taken). Until it
 * is given back the thread's signals wait, but for the recorder's own: a handler of the
 * application could find the lock taken by its own thread, or jump out of what it has
 * interrupted and leave it taken for ever.
 */
bool kt_lock(void);

/* Whether the calling thread holds it. */
bool kt_lock_is_mine(void);

/* How often the lock has been taken. To be read by its owner. */
extern uint64_t kt_lock_turns;

/* In the recorder's handlers: the thread's signals wait already. */
extern _Thread_local bool kt_lock_quiet;

/* What the owner's thread really blocked before: a forked child takes it back itself. */
uint64_t kt_lock_signals(void);

/* Gives back what kt_lock() has taken; nothing if it said that it took nothing. */
void kt_unlock(bool taken);

/*
 * Around a change of a table that signal handlers look at: the thread's signals wait, so
 * that no handler of its own finds the table half changed. The lock is held. Not nested.
 */
void kt_change_begin(uint64_t *signals);
void kt_change_end(const uint64_t *signals);

/* In a forked child: the lock is free and the thread id is read anew. */
void kt_lock_after_fork(void);

#endif
