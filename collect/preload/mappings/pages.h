/* SPDX-License-Identifier: MIT */
/*
 * Closes the pages of watched mappings, so that accesses fault, and opens them: in windows
 * for long runs, one by one for single steps, and all of a mapping's pages for system
 * calls. These functions call the kernel directly and are signal-safe. The caller holds the
 * lock, except for kt_pages_hold() and kt_pages_release(), which take it.
 */
#ifndef KTAIL_COLLECT_PAGES_H
#define KTAIL_COLLECT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

/* Range that spans all mappings held by kt_pages_hold(); hi is 0 if it held none. */
struct kt_held {
	uintptr_t lo;
	uintptr_t hi;
};

/*
 * Closes a mapping's pages according to its `watch`. Returns false if the kernel refuses.
 */
bool kt_pages_close(struct kt_mapping *mapping);

/*
 * Opens the pages that the mapping's `watch` does not close any more, after it closed all
 * of them; the others stay closed for writing throughout. Returns false if the kernel
 * refuses: some pages may then be open. No window of the mapping may be open.
 */
bool kt_pages_loosen(struct kt_mapping *mapping);

/* Restores the protection that the application asked for. */
void kt_pages_open(const struct kt_mapping *mapping);

/*
 * Opens a window until kt_pages_close_windows(): `bytes` bytes from the start of the page
 * of `address` on, or the whole mapping if it has KT_WINDOW_MAX windows already. Returns
 * false, and opens nothing, if this would open the doorbell for writing or if the kernel
 * refuses.
 */
bool kt_pages_open_window(struct kt_mapping *mapping, uintptr_t address, size_t bytes,
			  bool writable);

/* Returns whether the access is allowed by a window or by a hold (kt_pages_hold()). */
bool kt_pages_let_through(const struct kt_mapping *mapping, uintptr_t address, bool write);

/* Closes all windows. Cheap if there are none. */
void kt_pages_close_windows(void);

/*
 * Opens one page, for collect/preload/mappings/steps.c. If the kernel cannot open the page
 * alone, opens the whole mapping for good and returns false.
 */
bool kt_pages_open_one(struct kt_mapping *mapping, uintptr_t page);

/* Closes the page of kt_pages_open_one(), except for access that windows or holds allow. */
void kt_pages_close_one(uintptr_t page);

/*
 * Call after the application has set the protection of [start, start + length) to `now`:
 * records `now` for the mappings there, and closes their watched pages again. O(n).
 */
void kt_pages_protected(uintptr_t start, size_t length, int now);

/*
 * Opens the watched mappings in [start, start + length) until kt_pages_release(), because
 * a system call would return EFAULT for closed pages. Accesses by the kernel are not
 * reported. Calls nest.
 */
struct kt_held kt_pages_hold(uintptr_t start, size_t length);
void kt_pages_release(struct kt_held held);

/* Call in a forked child, where no system call is in progress: ends all holds. */
void kt_pages_after_fork(void);

#endif
