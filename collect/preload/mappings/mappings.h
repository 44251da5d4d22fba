/* SPDX-License-Identifier: MIT */
/*
 * Device mappings of this process. The caller holds the lock, except for
 * kt_mapping_may_touch() and kt_mapping_was_at(). Lookups are signal-safe; changes are not.
 */
#ifndef KTAIL_COLLECT_MAPPINGS_H
#define KTAIL_COLLECT_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/devices.h"

#define KT_WINDOW_MAX 8

enum kt_watch {
	KT_WATCH_NOTHING,
	KT_WATCH_DOORBELL, /* the page with the doorbell is closed for writing */
	KT_WATCH_RINGS,    /* pages with rings and GP_PUTs are closed for writing
			      (collect/preload/submissions/ring-stores.h) */
	KT_WATCH_ALL,      /* all pages are closed */
};

struct kt_mapping {
	uintptr_t start;
	size_t length;
	uintptr_t base;               /* original start: base of offsets in events */
	uint32_t ordinal;             /* counts from 1; pieces after a split share it */
	struct kt_pending_map memory; /* the mapped object; zero if unknown */
	const char *static_space;     /* NULL: space_buffer holds the space */
	char space_buffer[12];
	int protection;    /* PROT_*, as the application has set it */
	uint32_t doorbell; /* offset of the doorbell from `start`; 0: none */
	void *alias;       /* address of the same memory in a second mapping; NULL: none */
	/* Access tracing (collect/preload/access/access.c). */
	enum kt_watch watch;   /* which pages are closed, except for windows */
	bool given_up;         /* its accesses are not watched any more (--overhead) */
	bool by_page;          /* a closed page guards its doorbell */
	bool pinned;           /* registered user memory, not a device mapping */
	unsigned held;         /* number of holds by system calls: kt_pages_hold() */
	bool writable_windows; /* the windows are open for writing too */
	bool left_open;        /* pages outside of windows may be open */
	unsigned n_windows;
	struct {
		uintptr_t lo;
		uintptr_t hi;
	} windows[KT_WINDOW_MAX];
};

const char *kt_mapping_space(const struct kt_mapping *mapping);

/* Returns a counter of added, removed and moved mappings; splits do not count. */
uint64_t kt_mapping_changes(void);

/*
 * Returns whether a mapping touches the range; may wrongly return true, but never wrongly
 * false (collect/preload/mappings/spans.h). Lock-free. Two compares in a process without
 * mappings, O(log n) otherwise.
 */
bool kt_mapping_may_touch(uintptr_t start, size_t length);

/*
 * Returns whether a mapping at the address was removed recently. The access that caused a
 * fault may then have been meant for this mapping. Only the last few removals are
 * remembered. Lock-free.
 */
bool kt_mapping_was_at(uintptr_t address);

/* Returns the mapping that holds the address, or NULL. O(log n). */
struct kt_mapping *kt_mapping_find(uintptr_t address);

/*
 * Returns the mapping that shows byte `offset` of the memory object, or NULL. Of several
 * mappings, returns the one added last, because earlier ones may belong to a previous
 * object with the same handle. O(n).
 */
struct kt_mapping *kt_mapping_of_object(uint32_t client, uint32_t object, uint64_t offset);

/*
 * Returns the first mapping that touches [start, start + length) and ends above `from`, or
 * NULL.
 */
struct kt_mapping *kt_mapping_touching(uintptr_t start, size_t length, uintptr_t from);

/*
 * Adds a mapping, with the next ordinal if its ordinal is 0. No other mapping may touch its
 * range. Returns NULL when out of memory.
 */
struct kt_mapping *kt_mapping_add(const struct kt_mapping *mapping);

/*
 * Returns the next ordinal, for memory that is numbered like a mapping but is not one
 * (pinned memory).
 */
uint32_t kt_mapping_next_ordinal(void);

/*
 * Removes [start, start + length) from all mappings, which shrinks or splits them, and
 * unmaps the removed parts of their aliases.
 */
void kt_mapping_cut(uintptr_t start, size_t length);

/*
 * Splits the mapping that holds the address into two; the second begins at the address, and
 * both have the old ordinal. Does nothing if a mapping begins at the address or no mapping
 * holds it. Returns false when out of memory.
 */
bool kt_mapping_split(uintptr_t address);

/*
 * Applies an mremap of [from, from + length) to [to, to + new_length). Moves the mappings
 * in the old range to the new range, with new ordinals, and truncates or extends them to
 * fit. If `keep`, the old mappings stay, and the new range gets copies of them; `length`
 * may then be 0, which means new_length. The caller reports the mappings, and opens or
 * closes their pages.
 */
void kt_mapping_move(uintptr_t from, size_t length, uintptr_t to, size_t new_length,
		     bool keep);

/*
 * Calls visit for each mapping that touches the range, in the order of addresses; visit may
 * split the mapping.
 */
void kt_mapping_each_in(uintptr_t start, size_t length,
			void (*visit)(struct kt_mapping *mapping, void *context),
			void *context);

/* Calls visit for each mapping, in the order of addresses. */
void kt_mapping_each(void (*visit)(struct kt_mapping *mapping, void *context),
		     void *context);

#endif
