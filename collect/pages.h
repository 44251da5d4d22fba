/* SPDX-License-Identifier: MIT */
/*
 * The pages of watched mappings: closed, so that accesses fault; opened in windows for long
 * runs, for the length of one instruction, or for a system call. All straight to the
 * kernel, safe in signal handlers. The lock is held for all of these but kt_pages_hold()
 * and kt_pages_release(), which take it.
 */
#ifndef KTAIL_COLLECT_PAGES_H
#define KTAIL_COLLECT_PAGES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/mappings.h"

/* All of the mappings that kt_pages_hold() has opened; hi is 0: none. */
struct kt_held {
	uintptr_t lo;
	uintptr_t hi;
};

/* Closes a mapping's pages as its `watch` says. false: the kernel refused. */
bool kt_pages_close(struct kt_mapping *mapping);

/* Gives a mapping's pages the protection that the application asked for. */
void kt_pages_open(const struct kt_mapping *mapping);

/*
 * Opens [page of address, + bytes) until kt_pages_close_windows(); with all windows of the
 * mapping in use, the whole of it. The doorbell's page is never opened for writing: false,
 * and nothing is opened.
 */
bool kt_pages_open_window(struct kt_mapping *mapping, uintptr_t address, size_t bytes,
			  bool writable);

/* Whether a window, or a system call that holds the mapping, lets the access through. */
bool kt_pages_let_through(const struct kt_mapping *mapping, uintptr_t address, bool write);

/* Closes all windows. Cheap if there are none. */
void kt_pages_close_windows(void);

/*
 * Opens the page for the one instruction at the context's RIP, which is then run with the
 * trap flag set and all signals but the recorder's blocked; kt_pages_trap() closes it. An
 * instruction that touches several pages comes here for each. Where the kernel does not
 * open the page alone, the mapping is opened for good. false: too many at a time, nothing
 * was opened.
 */
bool kt_pages_step(struct kt_mapping *mapping, uintptr_t address, ucontext_t *context);

/* The instruction has failed for the program's own reason: the context is the program's. */
void kt_pages_abandon_step(ucontext_t *context);

/* Whether the calling thread's instruction is one that is being stepped. */
bool kt_pages_is_stepping(void);

/* A SIGTRAP, for signals.c; takes the lock. true: it was the end of such a step. */
bool kt_pages_trap(const siginfo_t *info, ucontext_t *context);

/*
 * The protection of [start, start + length) was changed by the application and is `now`:
 * remembered for the mappings there, whose watched pages are closed again. O(n).
 */
void kt_pages_protected(uintptr_t start, size_t length, int now);

/*
 * A system call is about to touch [start, start + length), in which the kernel would find
 * closed pages (EFAULT): opens the watched mappings there until the release. What the
 * kernel touches is no access of the program. Nests.
 */
struct kt_held kt_pages_hold(uintptr_t start, size_t length);
void kt_pages_release(struct kt_held held);

/* In a forked child: no thread of it is stepping. */
void kt_pages_after_fork(void);

#endif
