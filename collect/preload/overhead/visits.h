/* SPDX-License-Identifier: MIT */
/*
 * Measures how long each thread is in the recorder, for --overhead. Without the option,
 * each function here costs a load and a branch. Signal-safe.
 *
 * A visit is the time from the outermost kt_visit_begin() to its kt_visit_end(). To it
 * comes a constant for what happens before and after, such as the kernel's delivery of a
 * signal. A visit counts as at most KT_VISIT_MOST_NS: a longer one was a wait for the
 * processor, for the lock, or for LTTng's buffers, which is counted elsewhere
 * ("milliseconds held"). Otherwise, on a busy machine, detail would be given up for what
 * other processes do. Accesses that continue a run (instructions/continue-code.h) are only
 * counted, because two readings of the clock would cost more than they do.
 */
#ifndef KTAIL_COLLECT_VISITS_H
#define KTAIL_COLLECT_VISITS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/preload/overhead/overhead.h"

#define KT_VISIT_MOST_NS UINT64_C(1000000)

enum kt_visit {
	KT_VISIT_TRAP,           /* by a signal */
	KT_VISIT_PATCH,          /* by a patched load or store */
	KT_VISIT_PATCH_BLOCKING, /* the same, if the thread's signals are blocked meanwhile
				  */
	KT_VISIT_CALL,           /* by a function call */
	KT_VISITS,
};

struct kt_visits {
	uint32_t depth; /* of nested visits; 0: outside of the recorder; the first member:
			   see wrapped-entry.c */
	enum kt_visit how;  /* the outermost visit */
	uint64_t entered;   /* ns */
	uint64_t left;      /* ns: end of the last visit */
	uint32_t mapping;   /* ordinal of the mapping accessed last; 0: none */
	struct kt_overhead account;
};

extern _Thread_local struct kt_visits kt_visits;

/* The limit; 0: visits are not measured. Set once. */
extern uint32_t kt_overhead_percent;

/* Nanoseconds outside of kt_visit_begin() and kt_visit_end(), by the kind of visit. */
extern uint64_t kt_visit_around_ns[KT_VISITS];

void kt_visit_really_begin(enum kt_visit how);
void kt_visit_really_end(void);

static inline void kt_visit_begin(enum kt_visit how)
{
	if (kt_overhead_percent) {
		kt_visit_really_begin(how);
	}
}

static inline void kt_visit_end(void)
{
	if (kt_overhead_percent) {
		kt_visit_really_end();
	}
}

/*
 * Call before a handler of the program runs: forgets a visit that the signal interrupted,
 * because the handler's time is the program's, and it may jump out of the visit. The
 * visit's own kt_visit_end() then does nothing.
 */
static inline void kt_visit_abandon(void)
{
	kt_visits.depth = 0;
}

/* Says that the visit accesses the mapping with this ordinal for the program. */
static inline void kt_visit_accesses(uint32_t mapping)
{
	kt_visits.mapping = mapping;
}

/*
 * Adds n accesses that continued runs outside of visits, as the instruction that is visited
 * has counted them. They count for the mapping of kt_visit_accesses(), and all for this
 * thread: each thread that goes on running the instruction takes the count now and then.
 */
void kt_visit_continued(uint64_t n);

/* Returns whether the thread is between visits and its window is over. */
static inline bool kt_visit_window_is_over(void)
{
	return kt_overhead_percent && kt_visits.depth == 0 &&
	       kt_visits.left - kt_visits.account.begun >= KT_OVERHEAD_WINDOW_NS;
}

/* Adds the thread's window up to the last visit to the counters, and begins another. */
void kt_visit_next_window(void);

/* Call before the thread or the process ends: adds the thread's last window. */
void kt_visit_finish(void);

/* Call in a forked child, which has accounts of its own. */
void kt_visit_after_fork(void);

#endif
