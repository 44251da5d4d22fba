/* SPDX-License-Identifier: MIT */
/*
 * Who notices that a request is done, in one life of a process.
 *
 * A request releases semaphores: the device writes a payload to an address when its work is
 * over. To notice that, the process must read there. A trace has the reads, not what they
 * gave; so this says who looked, and when, by these rules:
 *
 * - A look is a read of a semaphore, after the doorbell. It is a look at the request that
 *   was the newest to release that semaphore by then; with a limit, the newest of those up
 *   to there (who waits for an event waits for what was recorded, not for what came later).
 * - Semaphores of progress count up: a request is done when a later one is that releases
 *   the same semaphore with a higher payload (LATER), that is after it in the same channel
 *   (ORDER), or that waits for its semaphore before it begins (ACQUIRE). So a look at those
 *   is a look at it. The earliest of all these is its first look.
 * - Looks come in groups: all of a thread within its outermost call of the API; where no
 *   call is open, up to the thread's next event that is no read and no wait.
 * - The notice is the last look of the group of the first call that says by its return
 *   that the request is done: it waits, or it asked and was told so. Only the caller of
 *   kt_completions_return() knows that.
 * - Where a trace has only the first access of each run in a mapping, looks may be hidden
 *   in a run that another read has opened. The first read after the doorbell in the
 *   mapping of one of its semaphores is kept beside, and the first of a call that waits
 *   without a limit.
 */
#ifndef KTAIL_ANNOTATE_COMPLETIONS_H
#define KTAIL_ANNOTATE_COMPLETIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_tie {
	KT_TIE_NONE,
	KT_TIE_READ, /* at a semaphore of its own, and nobody else's meanwhile */
	KT_TIE_LATER,
	KT_TIE_ORDER,
	KT_TIE_ACQUIRE,
	KT_TIES,
};

/* "none", "read", "later", "order", "acquire". Static. */
const char *kt_tie_name(enum kt_tie tie);

struct kt_poll {
	uint64_t seq;
	uint64_t time; /* ns, of the same clock as everything here */
	uint32_t tid;
	uint32_t transition; /* the caller's; not looked at here */
	uint64_t call;       /* the innermost, by the caller's number; 0: none */
};

/* What is known of one request. */
struct kt_completion {
	enum kt_tie tie;      /* of the first look; NONE: nobody was seen to look */
	struct kt_poll first; /* unless NONE */
	struct kt_poll last;  /* of the same group */
	uint64_t polls;       /* in the group */
	uint64_t slept;       /* ns in waits for a device in it, each before a look */

	enum kt_tie noticed;   /* NONE: no call is known to have noticed */
	struct kt_poll notice; /* unless NONE */
	uint64_t notice_call;  /* the outermost call */
	uint64_t returned;     /* when it returned */
	uint64_t notice_polls;
	uint64_t notice_slept;

	bool hidden;        /* a read, earlier than any look, opened a run in its mapping */
	struct kt_poll run; /* that read */
	bool hidden_wait;   /* the same, in a call that waits */
	struct kt_poll wait_run;
};

/* A semaphore, and a value of it. */
struct kt_semaphore_value {
	uint64_t address;
	uint64_t payload;
};

/* One request, as it is submitted. */
struct kt_submitted_request {
	uint64_t seq;
	uint64_t channel;                          /* some number of its own */
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
	uint64_t limit; /* looks at requests with a higher seq do not count */
	struct kt_poll poll;
};

typedef struct kt_completions kt_completions;

/* exact: the trace has every access. The caller owns *out. KT_E_MEMORY. */
int kt_completions_new(kt_completions **out, bool exact);
void kt_completions_free(kt_completions *completions); /* NULL is allowed */

/*
 * What happens, in order of the sequence numbers. All may fail with KT_E_MEMORY. Amortised
 * O(1) for each word that is read, look and release; a limit costs O(log requests).
 */
int kt_completions_map(kt_completions *completions, uint32_t mapping, uint64_t address,
		       uint64_t length);
/* The request's index is the number of those before. */
int kt_completions_submit(kt_completions *completions,
			  const struct kt_submitted_request *request);
int kt_completions_read(kt_completions *completions, const struct kt_watched_read *read);
/* A thread waited for a device, in ns. */
int kt_completions_sleep(kt_completions *completions, uint32_t tid, uint64_t slept);
/* A thread did something that is no read and no wait. */
int kt_completions_act(kt_completions *completions, uint32_t tid);
/* An outermost call begins; it waits until something is done. */
int kt_completions_enter(kt_completions *completions, uint32_t tid, bool waits);
/* It, or a call inside it, says that what the thread looked at is done. */
int kt_completions_done(kt_completions *completions, uint32_t tid);
/* It is over. *looked: at how many requests. */
int kt_completions_return(kt_completions *completions, uint32_t tid, uint64_t call,
			  uint64_t time, size_t *looked);
/* Events are missing: which calls are open is unknown. */
void kt_completions_gap(kt_completions *completions);

/* Nothing more happens. Once. O(requests). */
void kt_completions_settle(kt_completions *completions);

/* Of request `index`, in order of submission. */
const struct kt_completion *kt_completions_at(const kt_completions *completions,
					      size_t index);
size_t kt_completions_count(const kt_completions *completions);

/* Waits for a device, and those of them that no look followed in the group. */
uint64_t kt_completions_sleeps(const kt_completions *completions, uint64_t *unmatched);

#endif
