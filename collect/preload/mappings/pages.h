/* SPDX-License-Identifier: MIT */
/*
 * Pages of watched mappings. They are closed, so that accesses fault, and are opened in
 * windows for long runs, one by one for single steps, or for a system call. These functions
 * call the kernel directly and are signal-safe. The caller holds the lock, except for
 * kt_pages_hold() and kt_pages_release(), which take it.
 */
#ifndef KTAIL_COLLECT_PAGES_H
#define KTAIL_COLLECT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

/* Range that spans all mappings opened by kt_pages_hold(); hi is 0 if there are none. */
struct kt_held {
	uintptr_t lo;
	uintptr_t hi;
};

/*
 * Closes a mapping's pages according to its `watch`. Returns false if the kernel refuses.
 */
bool kt_pages_close(struct kt_mapping *mapping);

/* Restores the protection that the application asked for. */
void kt_pages_open(const struct kt_mapping *mapping);

/*
 * Opens `bytes` bytes from the page of `address` on, or the whole mapping if its windows
 * are used up, until kt_pages_close_windows(). The doorbell's page is never opened for
 * writing. Returns false, and opens nothing, if that is asked for or if the kernel refuses.
 */
bool kt_pages_open_window(struct kt_mapping *mapping, uintptr_t address, size_t bytes,
			  bool writable);

/* Returns whether a window, or a system call that holds the mapping, allows the access. */
bool kt_pages_let_through(const struct kt_mapping *mapping, uintptr_t address, bool write);

/* Closes all windows. Cheap if there are none. */
void kt_pages_close_windows(void);

/*
 * Opens one page, for collect/preload/mappings/steps.c. Returns false if the kernel cannot
 * open it alone; all of the mapping was then opened for good.
 */
bool kt_pages_open_one(struct kt_mapping *mapping, uintptr_t page);

/* Closes the page again, unless windows or holds need it. */
void kt_pages_close_one(uintptr_t page);

/*
 * The application has set the protection of [start, start + length) to `now`: records that
 * for the mappings there, and closes their watched pages again. O(n).
 */
void kt_pages_protected(uintptr_t start, size_t length, int now);

/*
 * Opens the watched mappings in [start, start + length) for a system call, until
 * kt_pages_release(): the kernel would return EFAULT for closed pages. Accesses by the
 * kernel are not accesses of the program. Nests.
 */
struct kt_held kt_pages_hold(uintptr_t start, size_t length);
void kt_pages_release(struct kt_held held);

/* In a forked child: none of its system calls is in progress. */
void kt_pages_after_fork(void);

#endif
