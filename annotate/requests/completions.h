/* SPDX-License-Identifier: MIT */
/*
 * Completion evidence: where a process instance observes that its requests are done.
 *
 * A request releases semaphores: when the work is done, the device writes a payload to an
 * address, which the process reads to observe completion. A trace contains the reads but
 * not the values read, so evidence follows these rules:
 *
 * - A poll is a read of a semaphore after the doorbell. It is attributed to the newest
 *   request submitted so far that releases the semaphore. If the read has a limit,
 *   requests submitted after the limit do not count: cuEventSynchronize(), for example,
 *   waits only for work that was submitted before the event was recorded.
 * - Completion of a later request implies completion of request R if the later request
 *   releases the same semaphore as R with a higher payload (LATER: payloads of progress
 *   semaphores increase), follows in the same channel (ORDER), or acquires a semaphore
 *   that R releases (ACQUIRE). A poll of the later request therefore counts for R. The
 *   earliest of all polls that count for R is the first poll of R.
 * - The polls of a thread within its outermost call of the API form a group. Outside any
 *   call, a group ends at the thread's next event that is neither a read nor a wait.
 * - The notice is the last poll in the group of the first call whose return reports
 *   completion: the call waited, or it queried and the answer was "done". The user of
 *   this header reports such calls by kt_completions_done().
 * - If a trace has only the first access of each run in a mapping, a poll may be hidden
 *   in a run that another read began. The first read after the doorbell in the mapping of
 *   one of the request's semaphores is therefore stored separately, as is the first such
 *   read in a call that waits without a limit.
 */
#ifndef KTAIL_ANNOTATE_COMPLETIONS_H
#define KTAIL_ANNOTATE_COMPLETIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_tie {
	KT_TIE_NONE,
	KT_TIE_READ, /* by a poll of a semaphore that the request releases */
	KT_TIE_LATER,
	KT_TIE_ORDER,
	KT_TIE_ACQUIRE,
	KT_TIES,
};

/* "none", "read", "later", "order", "acquire". Static. */
const char *kt_tie_name(enum kt_tie tie);

struct kt_poll {
	uint64_t seq;
	uint64_t time; /* ns, on the same clock as all other times passed here */
	uint32_t tid;
	uint32_t transition; /* set by the user of this header; not used here */
	/* number given by the user of this header to the innermost call; 0: none */
	uint64_t call;
};

/* Completion evidence of one request. */
struct kt_completion {
	enum kt_tie tie;      /* how the first poll is attributed; NONE: no poll */
	/* first poll; valid, as are the next 3 members, unless `tie` is NONE */
	struct kt_poll first;
	struct kt_poll last;  /* last poll of the same request in the group of `first` */
	uint64_t polls;       /* number of polls of the request in that group */
	uint64_t slept;       /* ns of device waits in that group directly before the polls */

	enum kt_tie noticed;   /* how the notice is attributed; NONE: no notice */
	/* the notice; valid, as are the next 4 members, unless `noticed` is NONE */
	struct kt_poll notice;
	/* number of the outermost call, as passed to kt_completions_return() */
	uint64_t notice_call;
	uint64_t returned;     /* time at which notice_call returned */
	uint64_t notice_polls; /* as `polls` and `slept`, in the group of `notice` */
	uint64_t notice_slept;

	/* A read before the first poll began a run in a semaphore's mapping. */
	bool hidden;
	struct kt_poll run; /* the read that began the run */
	/* As `hidden`, but for reads in calls that wait; false if there is a notice. */
	bool hidden_wait;
	struct kt_poll wait_run;
};

/* A semaphore's address, and a payload that is released or acquired there. */
struct kt_semaphore_value {
	uint64_t address;
	uint64_t payload;
};

/* A request at the moment of submission. */
struct kt_submitted_request {
	uint64_t seq;
	uint64_t channel;                          /* any number unique to the channel */
	const struct kt_semaphore_value *releases; /* Weak */
	size_t n_releases;
	const struct kt_semaphore_value *acquires; /* Weak */
	size_t n_acquires;
};

/* A read of mapped memory. */
struct kt_watched_read {
	uint32_t mapping;
	uint64_t offset;
	uint64_t size;  /* bytes; 0: unknown */
	uint64_t limit; /* requests with a higher seq are ignored; UINT64_MAX: no limit */
	struct kt_poll poll;
};

typedef struct kt_completions kt_completions;

/*
 * Creates an empty set of requests. `exact`: the trace has every access, so no poll is hidden
 * in a run. The caller owns *out. KT_E_MEMORY.
 */
int kt_completions_new(kt_completions **out, bool exact);
void kt_completions_free(kt_completions *completions); /* NULL is allowed */

/*
 * Call the functions below in order of the sequence numbers of the events. The `int`
 * functions return KT_E_MEMORY if memory is exhausted. Amortised cost: O(1) per poll, per
 * release and per dword that is read; O(log requests) per dword if the read has a limit.
 */
int kt_completions_map(kt_completions *completions, uint32_t mapping, uint64_t address,
		       uint64_t length);
/* Adds a request. Its index is the number of requests submitted before. */
int kt_completions_submit(kt_completions *completions,
			  const struct kt_submitted_request *request);
int kt_completions_read(kt_completions *completions, const struct kt_watched_read *read);
/* Adds a wait of a thread for a device, which took `slept` ns. */
int kt_completions_sleep(kt_completions *completions, uint32_t tid, uint64_t slept);
/*
 * Call this when a thread does something other than read or wait: ends the thread's group
 * of polls if the thread is outside calls.
 */
int kt_completions_act(kt_completions *completions, uint32_t tid);
/* Enters an outermost call. `waits`: the call returns only when work is done. */
int kt_completions_enter(kt_completions *completions, uint32_t tid, bool waits);
/*
 * Notes that the thread's outermost call, or a call within it, reported completion. When
 * the outermost call returns, all requests that it polled get a notice.
 */
int kt_completions_done(kt_completions *completions, uint32_t tid);
/*
 * Leaves the outermost call, which the caller numbers `call` and which returned at `time`. Sets
 * *looked to the number of requests that the call polled.
 */
int kt_completions_return(kt_completions *completions, uint32_t tid, uint64_t call,
			  uint64_t time, size_t *looked);
/*
 * Ends all groups and calls at a gap, since it is unknown which calls are open after a
 * gap.
 */
void kt_completions_gap(kt_completions *completions);

/*
 * Gives each request the evidence of later requests whose completion implies that the
 * request is complete, if that evidence is earlier. Call once, after the last event.
 * O(requests).
 */
void kt_completions_settle(kt_completions *completions);

/* Returns the evidence of the request with this index, after kt_completions_settle(). */
const struct kt_completion *kt_completions_at(const kt_completions *completions,
					      size_t index);
size_t kt_completions_count(const kt_completions *completions);

/*
 * Returns the number of device waits. Sets *unmatched to the number of waits that no poll
 * follows in their group.
 */
uint64_t kt_completions_sleeps(const kt_completions *completions, uint64_t *unmatched);

#endif
