/* SPDX-License-Identifier: MIT */
/* mremap, mprotect and similar: mappings that move, and pages whose protection changes. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "collect/preload/access/access.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/interpose/interpose-memory.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/next.h"

static void open_pages(struct kt_mapping *m, void *unused)
{
	(void)unused;
	kt_pages_open(m);
}

/* --- mremap --- */

struct remap {
	uintptr_t from;
	size_t length;
	uintptr_t to; /* new address asked for; 0: none */
	size_t new_length;
	int flags;
};

static bool is_fixed(const struct remap *r)
{
	return r->flags & MREMAP_FIXED;
}

/*
 * Returns whether the old mapping stays: with MREMAP_DONTUNMAP, or with a length of 0,
 * which creates a second mapping of shared memory.
 */
static bool keeps(const struct remap *r)
{
	return r->length == 0 || (r->flags & MREMAP_DONTUNMAP);
}

/* Returns how many bytes of the old mapping the call concerns: a page if length is 0. */
static size_t old_extent(const struct remap *r)
{
	return r->length ? r->length : KT_PAGE;
}

/*
 * Stops following registered memory in a range that was moved: it is no longer at the
 * address known to the device.
 */
static void forget_pinned(uintptr_t start, size_t length)
{
	uintptr_t from = start;
	struct kt_mapping *m;

	while ((m = kt_mapping_touching(start, length, from)) != NULL) {
		uintptr_t lo = m->start > start ? m->start : start;
		uintptr_t end = m->start + m->length;

		from = end;
		if (m->pinned) {
			kt_mapping_cut(lo,
				       (end < start + length ? end : start + length) - lo);
		}
	}
}

static void after_remap(const struct remap *r, uintptr_t at)
{
	bool target_first = is_fixed(r) && r->to < r->from;
	struct kt_mapping whole = {.ordinal = 0};
	uintptr_t from = at;
	struct kt_mapping *m;

	if (target_first) {
		kt_emit_unmaps(r->to, r->new_length);
	}
	if (!keeps(r)) {
		kt_emit_unmaps(r->from, r->length);
	}
	if (is_fixed(r) && !target_first) {
		kt_emit_unmaps(r->to, r->new_length);
	}
	if (is_fixed(r)) {
		kt_mapping_cut(r->to, r->new_length);
	}
	forget_pinned(r->from, old_extent(r));
	kt_mapping_move(r->from, r->length, at, r->new_length, keeps(r));
	/*
	 * Emits one event for each new mapping, even if the mapping consists of several
	 * pieces.
	 */
	while ((m = kt_mapping_touching(at, r->new_length, from)) != NULL) {
		from = m->start + m->length;
		if (whole.ordinal == m->ordinal) {
			whole.length = from - whole.start;
			continue;
		}
		if (whole.ordinal) {
			kt_emit_mapped(&whole, "", 0);
		}
		whole = *m;
	}
	if (whole.ordinal) {
		kt_emit_mapped(&whole, "", 0);
	}
	kt_still_mapped(at, r->new_length);
}

KT_INTERPOSE void *mremap(void *address, size_t old_length, size_t new_length, int flags,
			  ...)
{
	struct remap r = {
		.from = (uintptr_t)address,
		.length = kt_whole_pages(old_length),
		.new_length = kt_whole_pages(new_length),
		.flags = flags,
	};
	va_list args;
	void *result;
	bool locked;
	int error;

	va_start(args, flags);
	r.to = (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) ? va_arg(args, uintptr_t) : 0;
	va_end(args);
	if (r.from % KT_PAGE || !r.new_length ||
	    (!kt_mapping_may_touch(r.from, old_extent(&r)) &&
	     !(is_fixed(&r) && kt_mapping_may_touch(r.to, r.new_length)))) {
		return kt_next()->mremap(address, old_length, new_length, flags, r.to);
	}
	locked = kt_lock();
	kt_access_end_run();
	if (!keeps(&r)) {
		kt_before_unmap(r.from, r.length);
	}
	if (is_fixed(&r)) {
		kt_before_unmap(r.to, r.new_length);
	}
	/*
	 * The kernel moves a range only if its protection is the same throughout. Pages
	 * that the recorder has closed are therefore opened for the call.
	 */
	kt_mapping_each_in(r.from, old_extent(&r), open_pages, NULL);
	result = kt_next()->mremap((void *)r.from, r.length, r.new_length, flags,
				   (void *)r.to);
	error = errno;
	if (result != MAP_FAILED) {
		after_remap(&r, (uintptr_t)result);
	} else if (is_fixed(&r)) {
		kt_still_mapped(r.to, r.new_length);
	}
	/*
	 * Watches again what is left of the old mapping: all of it if the call failed, else
	 * the parts below and above the moved range.
	 */
	kt_still_mapped(r.from - KT_PAGE, old_extent(&r) + 2 * KT_PAGE);
	errno = error;
	kt_access_watch_rings();
	kt_unlock(locked);
	return result;
}

/* --- mprotect --- */

static void note_without_access(struct kt_mapping *m, void *some)
{
	*(bool *)some = *(bool *)some || m->protection == PROT_NONE;
}

static void close_again(struct kt_mapping *m, void *unused)
{
	(void)unused;
	kt_pages_protected(m->start, m->length, m->protection);
}

/*
 * Gives the alias read access and the access that the program has to the mapping. Leaves
 * the alias as it is if the program has none.
 */
static void protect_alias(struct kt_mapping *m, void *unused)
{
	(void)unused;
	if (m->alias && m->protection != PROT_NONE) {
		KT_KERNEL(SYS_mprotect, m->alias, m->length, m->protection | PROT_READ);
	}
}

static int change_protection(void *address, size_t length, int protection, int key)
{
	uintptr_t start = (uintptr_t)address;
	size_t whole = kt_whole_pages(length);
	bool ours = start % KT_PAGE == 0 && whole && kt_mapping_may_touch(start, whole);
	bool locked = ours && kt_lock();
	int result = key == -1 ? kt_next()->mprotect(address, length, protection)
			       : kt_next()->pkey_mprotect(address, length, protection, key);
	int error = errno;
	bool some_without_access = false;

	if (ours && result == 0) {
		protection &= PROT_READ | PROT_WRITE | PROT_EXEC;
		kt_mapping_each_in(start, whole, note_without_access, &some_without_access);
		kt_pages_protected(start, whole, protection);
		kt_mapping_each_in(start, whole, protect_alias, NULL);
		if (some_without_access) {
			/*
			 * Begins to watch the memory that the program could not access
			 * before.
			 */
			kt_still_mapped(start, whole);
		}
	} else if (ours) {
		/* The failed call may have changed some pages, so all are closed again. */
		kt_access_end_run();
		kt_mapping_each_in(start, whole, close_again, NULL);
	}
	if (ours) {
		kt_unlock(locked);
	}
	errno = error;
	return result;
}

KT_INTERPOSE int mprotect(void *address, size_t length, int protection)
{
	return change_protection(address, length, protection, -1);
}

KT_INTERPOSE int pkey_mprotect(void *address, size_t length, int protection, int key)
{
	return change_protection(address, length, protection, key);
}

/* --- other calls that replace the memory of a mapping --- */

KT_INTERPOSE void *shmat(int id, const void *address, int flags)
{
	uintptr_t start = (uintptr_t)address;
	struct shmid_ds segment;
	size_t length;
	void *result;
	bool locked;
	int error;

	if (!(flags & SHM_REMAP) || shmctl(id, IPC_STAT, &segment) != 0 ||
	    !kt_mapping_may_touch(start, kt_whole_pages(segment.shm_segsz))) {
		return kt_next()->shmat(id, address, flags);
	}
	length = kt_whole_pages(segment.shm_segsz);
	locked = kt_lock();
	kt_before_unmap(start, length);
	result = kt_next()->shmat(id, address, flags);
	error = errno;
	if ((intptr_t)result == -1) {
		kt_still_mapped(start, length);
	} else {
		kt_emit_unmaps(start, length);
		kt_mapping_cut(start, length);
	}
	kt_access_watch_rings();
	kt_unlock(locked);
	errno = error;
	return result;
}

/* Stops following the range: another part of the file, without an alias, is there now. */
KT_INTERPOSE int remap_file_pages(void *address, size_t length, int protection, size_t page,
				  int flags)
{
	uintptr_t start = (uintptr_t)address;
	size_t whole = kt_whole_pages(length);
	bool locked;
	int result;
	int error;

	if (!whole || !kt_mapping_may_touch(start, whole)) {
		return kt_next()->remap_file_pages(address, length, protection, page,
						   flags);
	}
	locked = kt_lock();
	kt_before_unmap(start, whole);
	kt_mapping_each_in(start, whole, open_pages, NULL);
	result = kt_next()->remap_file_pages(address, length, protection, page, flags);
	error = errno;
	if (result == 0) {
		kt_emit_unmaps(start, whole);
		kt_mapping_cut(start, whole);
	}
	kt_still_mapped(start - KT_PAGE, whole + 2 * KT_PAGE);
	kt_access_watch_rings();
	kt_unlock(locked);
	errno = error;
	return result;
}

/* --- a forked child --- */

#define PAGES_AT_ONCE 512

static bool is_mapped(uintptr_t start, size_t length)
{
	unsigned char pages[PAGES_AT_ONCE];

	return KT_KERNEL(SYS_mincore, start, length, pages) != -ENOMEM;
}

void kt_forget_uncopied(void)
{
	const size_t most = PAGES_AT_ONCE * KT_PAGE;
	uintptr_t at = 0;
	struct kt_mapping *m;

	while ((m = kt_mapping_touching(at, UINTPTR_MAX - at, at)) != NULL) {
		uintptr_t start = m->start > at ? m->start : at;
		size_t left = m->start + m->length - start;
		size_t length = left < most ? left : most;

		at = start + length;
		if (is_mapped(start, length)) {
			continue;
		}
		for (uintptr_t page = start; page < at; page += KT_PAGE) {
			if (!is_mapped(page, KT_PAGE)) {
				kt_mapping_cut(page, KT_PAGE);
			}
		}
	}
}
