/* SPDX-License-Identifier: MIT */
/*
 * Decides which records of a process the option --phase selects. Phases are recognised by
 * calls of the CUDA API; decode/tables/api.tsv has the phases of functions. A record within
 * calls has the phase of the innermost call that has a phase.
 *
 * Any other record gets its phase from the calls with a phase that the process makes on any
 * thread: before the first call, CREATE; between two calls, the phase of the earlier call;
 * after the last call, DESTROY if the end of the process was recorded, otherwise the phase
 * of the last call. Records of a process without such calls have no phase. After missing
 * events no call counts as open, because calls may have returned there.
 *
 * ktail-annotate(1) assigns phases by the same rule: annotate/phases/phases-calls.h.
 */
#ifndef KTAIL_WORDS_PHASE_CUT_H
#define KTAIL_WORDS_PHASE_CUT_H

#include "base/hash-index.h"
#include "infer/words/split/collect.h"

struct kt_trace_filter;

/* The open calls of a thread that have a phase. */
struct kt_phase_thread {
	uint32_t tid;
	uint32_t depth;
	uint64_t wanted; /* bit i: the phase of the i-th open call is selected */
};

enum kt_phase_last {
	KT_PHASE_LAST_NONE, /* no call with a phase yet */
	KT_PHASE_LAST_WANTED,
	KT_PHASE_LAST_OTHER,
};

/* All members are zero at the beginning of a process. */
struct kt_phase_cut {
	enum kt_phase_last last;
	bool begun;
	uint64_t last_seq;
	struct kt_phase_thread *threads; /* Owned by this: in order of first event */
	size_t n_threads;
	size_t threads_capacity;
	struct kt_hash_index by_tid;
	/* Owned by this: records whose phase the next call or the process's end decides */
	struct kt_record *waiting;
	size_t n_waiting;
	size_t waiting_capacity;
};

/*
 * Takes a record; `within` says whether its phase is selected. A status other than 0 makes
 * the caller return that status.
 */
typedef int kt_phase_cut_fn(void *context, const struct kt_record *record, bool within);

/*
 * Takes the next record of the process, and passes to `take`, in order, the records whose
 * phase is now known. Amortised O(1). Only records outside calls wait. Such a record has
 * one phase if another call follows, and another if the process ends; it waits only if
 * exactly one of the two is selected.
 */
int kt_phase_cut_put(struct kt_phase_cut *cut, const struct kt_trace_filter *filter,
		     const struct kt_record *record, kt_phase_cut_fn *take, void *context);

/*
 * Passes to `take` the records that still wait; `ended` says that the process's end was
 * recorded.
 */
int kt_phase_cut_finish(struct kt_phase_cut *cut, const struct kt_trace_filter *filter,
			bool ended, kt_phase_cut_fn *take, void *context);

/* Frees the members. */
void kt_phase_cut_clear(struct kt_phase_cut *cut);

#endif
