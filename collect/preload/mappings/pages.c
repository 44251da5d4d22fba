/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/mappings/pages.h"

#include <sys/mman.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/mappings/ring-ranges.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

static bool any_window;

static bool protect(uintptr_t lo, uintptr_t hi, int protection)
{
	if (KT_KERNEL_TRY(SYS_mprotect, lo, hi - lo, protection) == 0) {
		return true;
	}
	kt_count(&kt_counters->setup_failures);
	return false;
}

static uintptr_t end_of(const struct kt_mapping *m)
{
	return m->start + m->length;
}

static bool has_doorbell(const struct kt_mapping *m, uintptr_t lo, uintptr_t hi)
{
	uintptr_t doorbell = m->start + m->doorbell;

	return m->doorbell && doorbell >= lo && doorbell < hi;
}

/* --- opening and closing --- */

/*
 * Opens a range for reading or, if `writable`, for all access that the application asked
 * for. Write-only mappings are opened for reading too, because x86 makes them readable, and
 * programs rely on that.
 */
static bool open_range(struct kt_mapping *m, uintptr_t lo, uintptr_t hi, bool writable)
{
	if (!writable && protect(lo, hi, PROT_READ)) {
		return true;
	}
	m->left_open = m->left_open || !writable;
	kt_ring_unseen(lo, hi - lo);
	return protect(lo, hi, m->protection);
}

/*
 * Closes pages as far as `watch` says. Forgets ring contents there, because stores may have
 * gone unobserved.
 */
static bool close_range_of(const struct kt_mapping *m, uintptr_t lo, uintptr_t hi)
{
	bool closed = true;
	uintptr_t end;

	kt_ring_unseen(lo, hi - lo);
	switch (m->watch) {
	case KT_WATCH_ALL: return protect(lo, hi, PROT_NONE);
	case KT_WATCH_DOORBELL:
		lo = kt_page_of(m->start + m->doorbell);
		return protect(lo, lo + KT_PAGE, PROT_READ) ||
		       protect(lo, lo + KT_PAGE, PROT_NONE);
	case KT_WATCH_RINGS:
		/*
		 * Keeps the pages readable. A mapping that the program has made read-only
		 * has no stores to observe, so nothing is closed.
		 */
		for (; (m->protection & PROT_WRITE) && closed &&
		       kt_ring_next_pages(&lo, hi, &end);
		     lo = end) {
			closed = protect(lo, end, PROT_READ) || protect(lo, end, PROT_NONE);
		}
		return closed;
	case KT_WATCH_NOTHING: break;
	}
	return true;
}

/* Closes pages, and records in left_open if the kernel refuses. */
static void close_part(struct kt_mapping *m, uintptr_t lo, uintptr_t hi)
{
	m->left_open = !close_range_of(m, lo, hi) || m->left_open;
}

bool kt_pages_close(struct kt_mapping *m)
{
	m->n_windows = 0;
	m->writable_windows = false;
	if (m->held) {
		return true;
	}
	m->left_open = !close_range_of(m, m->start, end_of(m));
	return !m->left_open;
}

/* Finds the first pages in [*lo, end of the mapping) that `watch` closes for writing. */
static bool next_closed(const struct kt_mapping *m, uintptr_t *lo, uintptr_t *hi)
{
	uintptr_t page = kt_page_of(m->start + m->doorbell);

	if (m->watch == KT_WATCH_RINGS && m->protection & PROT_WRITE) {
		return kt_ring_next_pages(lo, end_of(m), hi);
	}
	if (m->watch != KT_WATCH_DOORBELL || *lo > page) {
		return false;
	}
	*lo = page;
	*hi = page + KT_PAGE;
	return true;
}

bool kt_pages_loosen(struct kt_mapping *m)
{
	uintptr_t open = m->start;
	uintptr_t lo = open;
	uintptr_t hi;
	bool done = true;

	if (m->held) {
		return true; /* kt_pages_release() closes what `watch` says then */
	}
	for (; next_closed(m, &lo, &hi); open = lo = hi) {
		done = (open == lo || protect(open, lo, m->protection)) &&
		       (protect(lo, hi, PROT_READ) || protect(lo, hi, PROT_NONE)) && done;
	}
	return (open == end_of(m) || protect(open, end_of(m), m->protection)) && done;
}

void kt_pages_open(const struct kt_mapping *m)
{
	kt_ring_unseen(m->start, m->length);
	protect(m->start, end_of(m), m->protection);
}

/* --- windows --- */

static void close_windows(struct kt_mapping *m, void *context)
{
	(void)context;
	for (unsigned i = 0; !m->held && i < m->n_windows; i++) {
		close_part(m, m->windows[i].lo, m->windows[i].hi);
	}
	m->n_windows = 0;
	m->writable_windows = false;
}

bool kt_pages_open_window(struct kt_mapping *m, uintptr_t address, size_t bytes,
			  bool writable)
{
	uintptr_t lo = kt_page_of(address);
	uintptr_t hi = end_of(m) - lo > bytes ? lo + bytes : end_of(m);
	bool shows_doorbell;
	bool opened = true;

	if (m->n_windows == KT_WINDOW_MAX) {
		lo = m->start;
		hi = end_of(m);
	}
	writable = writable || m->writable_windows;
	shows_doorbell = has_doorbell(m, lo, hi);
	/* A writable window makes the mapping's other windows writable too. */
	for (unsigned i = 0; i < m->n_windows && !shows_doorbell; i++) {
		shows_doorbell = has_doorbell(m, m->windows[i].lo, m->windows[i].hi);
	}
	if (writable && shows_doorbell) {
		return false;
	}
	m->n_windows = m->n_windows == KT_WINDOW_MAX ? 0 : m->n_windows;
	m->windows[m->n_windows].lo = lo;
	m->windows[m->n_windows].hi = hi;
	m->n_windows++;
	any_window = true;
	kt_count(&kt_counters->windows);
	/*
	 * Opens the new window. If this is the first writable window, also opens the other
	 * windows for writing.
	 */
	for (unsigned i = writable && !m->writable_windows ? 0 : m->n_windows - 1;
	     i < m->n_windows; i++) {
		opened = open_range(m, m->windows[i].lo, m->windows[i].hi, writable) &&
			 opened;
	}
	m->writable_windows = writable;
	if (!opened) {
		/*
		 * If a window stayed in the list with closed pages, accesses would fault
		 * for ever.
		 */
		close_windows(m, NULL);
	}
	return opened;
}

bool kt_pages_let_through(const struct kt_mapping *m, uintptr_t address, bool write)
{
	if (m->held) {
		return true;
	}
	for (unsigned i = 0; i < m->n_windows; i++) {
		if (address >= m->windows[i].lo && address < m->windows[i].hi) {
			return m->writable_windows || !write;
		}
	}
	return false;
}

void kt_pages_close_windows(void)
{
	if (any_window) {
		kt_mapping_each(close_windows, NULL);
		any_window = false;
	}
}

/* --- one page, for one instruction --- */

bool kt_pages_open_one(struct kt_mapping *m, uintptr_t page)
{
	if (open_range(m, page, page + KT_PAGE, true)) {
		return true;
	}
	/* The kernel cannot open this page alone: opens the whole mapping for good. */
	kt_pages_open(m);
	m->n_windows = 0;
	m->watch = KT_WATCH_NOTHING;
	kt_count(&kt_counters->unwatched);
	return false;
}

void kt_pages_close_one(uintptr_t page)
{
	struct kt_mapping *m = kt_mapping_find(page);

	if (!m || kt_pages_let_through(m, page, true)) {
		return;
	}
	close_part(m, page, page + KT_PAGE);
	if (kt_pages_let_through(m, page, false)) {
		open_range(m, page, page + KT_PAGE, false);
	}
}

/* --- changes by the application and the kernel --- */

static void set_protection(struct kt_mapping *m, void *now)
{
	m->protection = *(const int *)now;
	kt_pages_close(m);
}

void kt_pages_protected(uintptr_t start, size_t length, int now)
{
	kt_pages_close_windows();
	kt_mapping_split(start);
	kt_mapping_split(start + length);
	kt_mapping_each_in(start, length, set_protection, &now);
}

/*
 * Holds a mapping and extends the hull, the range that kt_pages_release() gets. Parts that
 * are split off the mapping before kt_pages_release() lie in the hull too, so they are also
 * released.
 */
static void hold(struct kt_mapping *m, void *argument)
{
	struct kt_held *hull = argument;

	if (!hull->hi || m->start < hull->lo) {
		hull->lo = m->start;
	}
	hull->hi = end_of(m) > hull->hi ? end_of(m) : hull->hi;
	/*
	 * Also counts holds of a mapping that is not watched, because it may become watched
	 * before the system call ends.
	 */
	if (m->held++ == 0 && m->watch) {
		kt_count(&kt_counters->held);
		kt_pages_open(m);
	}
}

static void let_go(struct kt_mapping *m, void *unused)
{
	(void)unused;
	if (m->held && --m->held == 0) {
		kt_pages_close(m);
	}
}

struct kt_held kt_pages_hold(uintptr_t start, size_t length)
{
	struct kt_held held = {.hi = 0};
	bool locked;

	if (length && kt_mapping_may_touch(start, length)) {
		kt_visit_begin(KT_VISIT_CALL);
		locked = kt_lock();
		kt_mapping_each_in(start, length, hold, &held);
		kt_unlock(locked);
		kt_visit_end();
	}
	return held;
}

void kt_pages_release(struct kt_held held)
{
	bool locked;

	if (held.hi) {
		kt_visit_begin(KT_VISIT_CALL);
		locked = kt_lock();
		kt_mapping_each_in(held.lo, held.hi - held.lo, let_go, NULL);
		kt_unlock(locked);
		kt_visit_end();
	}
}

static void end_holds(struct kt_mapping *m, void *context)
{
	(void)context;
	if (m->held) {
		m->held = 0;
		kt_pages_close(m);
	}
}

void kt_pages_after_fork(void)
{
	kt_mapping_each(end_holds, NULL);
}
