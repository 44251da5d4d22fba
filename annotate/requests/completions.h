/* SPDX-License-Identifier: MIT */
/*
 * Completion evidence: where a process instance observes that its requests are done.
 *
 * A request releases semaphores: the device writes a payload to an address when its work is
 * done, and the process observes completion by reading that address. A trace contains the
 * reads but not the values read, so evidence follows these rules:
 *
 * - A poll is a read of a semaphore after the doorbell. It is attributed to the newest
 *   request that has released the semaphore by then; under a limit, to the newest up to
 *   that limit (cuEventSynchronize() waits for what was submitted before the event was
 *   recorded, not for later work).
 * - Payloads of progress semaphores increase. A request is therefore done when a later
 *   request is done that releases the same semaphore with a higher payload (LATER), follows
 *   in the same channel (ORDER), or acquires one of its semaphores (ACQUIRE). A poll of the
 *   later request counts for the earlier one; the earliest poll of all is the request's
 *   first poll.
 * - Polls form groups: all polls of a thread within its outermost call of the API. Outside
 *   any call, a group ends at the thread's next event that is neither a read nor a wait.
 * - The notice is the last poll in the group of the first call whose return reports
 *   completion: the call waited, or it queried and the answer was "done". Only the caller
 *   of kt_completions_return() knows which calls do.
 * - In a trace with only the first access of each run in a mapping, polls may be hidden in
 *   a run that another read opened. The first read after the doorbell in the mapping of one
 *   of the request's semaphores is therefore kept separately, as is the first such read in
 *   a call that waits without a limit.
 */
#ifndef KTAIL_ANNOTATE_COMPLETIONS_H
#define KTAIL_ANNOTATE_COMPLETIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_tie {
	KT_TIE_NONE,
	KT_TIE_READ, /* poll of a semaphore that no other request has released meanwhile */
	KT_TIE_LATER,
	KT_TIE_ORDER,
	KT_TIE_ACQUIRE,
	KT_TIES,
};

/* "none", "read", "later", "order", "acquire". Static. */
const char *kt_tie_name(enum kt_tie tie);

struct kt_poll {
	uint64_t seq;
	uint64_t time; /* ns, on the clock of all times here */
	uint32_t tid;
	uint32_t transition; /* set by the caller, only stored here */
	uint64_t call;       /* the innermost, as numbered by the caller; 0: none */
};

/* Completion evidence of one request. */
struct kt_completion {
	enum kt_tie tie;      /* of the first poll; NONE: no poll */
	struct kt_poll first; /* valid unless `tie` is NONE */
	struct kt_poll last;  /* last poll of the same group */
	uint64_t polls;       /* polls in the group */
	uint64_t slept;       /* ns in device waits of the group that precede a poll */

	enum kt_tie noticed;   /* NONE: no call reported completion */
	struct kt_poll notice; /* valid unless `noticed` is NONE */
	uint64_t notice_call;  /* the outermost call, as numbered by the caller */
	uint64_t returned;     /* when notice_call returned */
	uint64_t notice_polls;
	uint64_t notice_slept;

	/* A read before the first poll opened a run in a semaphore's mapping. */
	bool hidden;
	struct kt_poll run; /* that read */
	bool hidden_wait;   /* as `hidden`, in a call that waits */
	struct kt_poll wait_run;
};

/* A semaphore's address and a payload of it. */
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
	uint64_t limit; /* polls of requests with a higher seq do not count */
	struct kt_poll poll;
};

typedef struct kt_completions kt_completions;

/*
 * Creates an empty set of requests; `exact`: the trace has every access. The caller owns
 * *out. KT_E_MEMORY.
 */
int kt_completions_new(kt_completions **out, bool exact);
void kt_completions_free(kt_completions *completions); /* NULL is allowed */

/*
 * Calls below follow the sequence numbers of the events; each returns KT_E_MEMORY if memory
 * is exhausted. Amortised O(1) for each dword read, poll and release; a read with a limit
 * costs O(log requests).
 */
int kt_completions_map(kt_completions *completions, uint32_t mapping, uint64_t address,
		       uint64_t length);
/* Adds a request. Its index is the number of requests submitted before. */
int kt_completions_submit(kt_completions *completions,
			  const struct kt_submitted_request *request);
int kt_completions_read(kt_completions *completions, const struct kt_watched_read *read);
/* Adds a thread's wait for a device of `slept` ns. */
int kt_completions_sleep(kt_completions *completions, uint32_t tid, uint64_t slept);
/*
 * Ends the thread's group outside calls: the thread did something other than read or wait.
 */
int kt_completions_act(kt_completions *completions, uint32_t tid);
/* Enters an outermost call; `waits`: it returns only when work is done. */
int kt_completions_enter(kt_completions *completions, uint32_t tid, bool waits);
/*
 * Marks the thread's polled requests as done: its outermost call, or a call within,
 * reported so.
 */
int kt_completions_done(kt_completions *completions, uint32_t tid);
/* Leaves the outermost call. Writes the number of requests it polled to *looked. */
int kt_completions_return(kt_completions *completions, uint32_t tid, uint64_t call,
			  uint64_t time, size_t *looked);
/* Ends all groups after a gap: which calls are open is unknown. */
void kt_completions_gap(kt_completions *completions);

/* Propagates evidence along the edges. Call once, after the last event. O(requests). */
void kt_completions_settle(kt_completions *completions);

/* Returns the evidence of the request with this index. */
const struct kt_completion *kt_completions_at(const kt_completions *completions,
					      size_t index);
size_t kt_completions_count(const kt_completions *completions);

/*
 * Returns the number of device waits; writes the number of those without a later poll in
 * their group to *unmatched.
 */
uint64_t kt_completions_sleeps(const kt_completions *completions, uint64_t *unmatched);

#endif
