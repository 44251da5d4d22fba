/* SPDX-License-Identifier: MIT */
/*
 * The pages of watched mappings: closed, so that accesses fault; opened in windows for long
 * runs, one by one for single steps, or for a system call. All straight to the kernel, safe
 * in signal handlers. The lock is held for all functions here but kt_pages_hold()
 * and kt_pages_release(), which take it.
 */
#ifndef KTAIL_COLLECT_PAGES_H
#define KTAIL_COLLECT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

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
 * Opens one page, for collect/preload/mappings/steps.c. false: the kernel does not do that
 * alone, and all of the mapping was opened for good.
 */
bool kt_pages_open_one(struct kt_mapping *mapping, uintptr_t page);

/* Closes it again, but for what windows and holds let through. */
void kt_pages_close_one(uintptr_t page);

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

/* In a forked child: no system call of it is under way. */
void kt_pages_after_fork(void);

#endif
