/* SPDX-License-Identifier: MIT */
/*
 * Device mappings of this process. The lock is held for all functions here but
 * kt_mapping_may_touch() and kt_mapping_was_at(). Look-ups are safe in signal handlers;
 * changes are not.
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
	KT_WATCH_RINGS,    /* pages with rings and GP_PUTs are
			      (collect/preload/submissions/ring-stores.h) */
	KT_WATCH_ALL,      /* all pages are closed */
};

struct kt_mapping {
	uintptr_t start;
	size_t length;
	uintptr_t base;   /* where it began: offsets in events count from here */
	uint32_t ordinal; /* within the process, from 1; pieces share it */
	struct kt_pending_map memory; /* what is mapped; zero if unknown */
	const char *static_space;     /* NULL: space_buffer holds it */
	char space_buffer[12];
	int protection;    /* what the application asked for */
	uint32_t doorbell; /* offset of the doorbell, 0: none */
	void *alias;       /* second mapping of the same memory, at `start`; or NULL */
	/* Access tracing (collect/preload/access/access.c) */
	enum kt_watch watch;   /* which pages are closed, but for the windows */
	bool pinned;           /* user memory that was registered: not mapped by a device */
	unsigned held;         /* system calls that need it open: kt_pages_hold() */
	bool writable_windows; /* the windows are open for writing too */
	bool left_open; /* some page may be so that should not, until all are closed */
	unsigned n_windows;
	struct {
		uintptr_t lo;
		uintptr_t hi;
	} windows[KT_WINDOW_MAX];
};

const char *kt_mapping_space(const struct kt_mapping *mapping);

/* How often it has changed what is mapped where. A split is no change. */
uint64_t kt_mapping_changes(void);

/*
 * Lock-free: false if no mapping touches the range. Two compares in a process without
 * mappings, O(log n) otherwise. See collect/preload/mappings/spans.h.
 */
bool kt_mapping_may_touch(uintptr_t start, size_t length);

/*
 * Lock-free: whether a mapping there was cut lately, so that a fault may have been meant
 * for it. For the last few of them alone.
 */
bool kt_mapping_was_at(uintptr_t address);

/* The mapping that holds the address, or NULL. O(log n). */
struct kt_mapping *kt_mapping_find(uintptr_t address);

/*
 * The mapping of that memory object that holds the offset, or NULL. Of several the one made
 * last: those before may be of an object that had the handle before. O(n).
 */
struct kt_mapping *kt_mapping_of_object(uint32_t client, uint32_t object, uint64_t offset);

/* The first mapping at or above `from` that touches [start, start + length), or NULL. */
struct kt_mapping *kt_mapping_touching(uintptr_t start, size_t length, uintptr_t from);

/*
 * Adds a mapping, with the next ordinal if it has none; the range must be free. NULL: out
 * of memory.
 */
struct kt_mapping *kt_mapping_add(const struct kt_mapping *mapping);

/* The next ordinal, for what is numbered with the mappings but is none (pinned memory). */
uint32_t kt_mapping_next_ordinal(void);

/*
 * Takes [start, start + length) out of all mappings, shrinking or splitting them; their
 * aliases there are unmapped.
 */
void kt_mapping_cut(uintptr_t start, size_t length);

/*
 * Splits the mapping that holds the address in two there; both keep the ordinal. Nothing
 * if a mapping begins there or none holds it. false: out of memory.
 */
bool kt_mapping_split(uintptr_t address);

/*
 * mremap has made [to, to + new_length) of [from, from + length): the mappings there are
 * taken out and come back at their new place as new ones, shorter or longer if need be,
 * their aliases with them. `keep`: the old ones stay too; a length of 0 stands for
 * new_length. The caller reports them, opens or closes their pages.
 */
void kt_mapping_move(uintptr_t from, size_t length, uintptr_t to, size_t new_length,
		     bool keep);

/* Calls visit for each mapping that touches the range, by address; visit may split it. */
void kt_mapping_each_in(uintptr_t start, size_t length,
			void (*visit)(struct kt_mapping *mapping, void *context),
			void *context);

/* Calls visit for each mapping, by address. */
void kt_mapping_each(void (*visit)(struct kt_mapping *mapping, void *context),
		     void *context);

#endif
