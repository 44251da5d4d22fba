/* SPDX-License-Identifier: MIT */
#include "infer/words/split/phase-cut.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/api-functions.h"
#include "infer/words/split/trace-filter.h"

#define DEPTH_MAX 64 /* deeper calls have the phase of the call at this depth */

static bool is_wanted(const struct kt_trace_filter *filter, enum kt_api_phase phase)
{
	return filter->phases & 1U << phase;
}

static int find_thread(struct kt_phase_thread **out, struct kt_phase_cut *cut, uint32_t tid)
{
	struct kt_hash_probe probe = kt_hash_probe(&cut->by_tid, kt_hash_number(tid));
	uint32_t i;

	while (kt_hash_next(&cut->by_tid, &probe, &i)) {
		if (cut->threads[i].tid == tid) {
			*out = &cut->threads[i];
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&cut->threads, &cut->threads_capacity, cut->n_threads + 1));
	KT_TRY(kt_hash_add(&cut->by_tid, kt_hash_number(tid), cut->n_threads));
	*out = &cut->threads[cut->n_threads++];
	**out = (struct kt_phase_thread){.tid = tid};
	return KT_OK;
}

static void enter(struct kt_phase_thread *thread, bool wanted)
{
	if (thread->depth++ < DEPTH_MAX) {
		const uint64_t bit = UINT64_C(1) << (thread->depth - 1);

		thread->wanted = wanted ? thread->wanted | bit : thread->wanted & ~bit;
	}
}

static bool innermost(const struct kt_phase_thread *thread)
{
	const uint32_t depth = thread->depth < DEPTH_MAX ? thread->depth : DEPTH_MAX;

	return thread->wanted >> (depth - 1) & 1;
}

static int settle(struct kt_phase_cut *cut, bool within, kt_phase_cut_fn *take,
		  void *context)
{
	for (size_t i = 0; i < cut->n_waiting; i++) {
		KT_TRY(take(context, &cut->waiting[i], within));
	}
	cut->n_waiting = 0;
	return KT_OK;
}

int kt_phase_cut_put(struct kt_phase_cut *cut, const struct kt_trace_filter *filter,
		     const struct kt_record *record, kt_phase_cut_fn *take, void *context)
{
	/*
	 * Whether records outside calls are selected: `before` if another call with a phase
	 * follows, `after` if none follows and the process ends.
	 */
	const bool before = cut->last == KT_PHASE_LAST_NONE
				    ? is_wanted(filter, KT_API_PHASE_CREATE)
				    : cut->last == KT_PHASE_LAST_WANTED;
	const bool after =
		cut->last != KT_PHASE_LAST_NONE && is_wanted(filter, KT_API_PHASE_DESTROY);
	struct kt_phase_thread *thread;
	bool returns;
	bool within;

	/*
	 * The record of an encoded letter has the number of an earlier event, so numbers
	 * may decrease; last_seq is the highest one so far.
	 */
	if (cut->begun && record->seq > cut->last_seq + 1) {
		for (size_t i = 0; i < cut->n_threads; i++) {
			cut->threads[i].depth = 0;
		}
	}
	cut->last_seq =
		!cut->begun || record->seq > cut->last_seq ? record->seq : cut->last_seq;
	cut->begun = true;
	KT_TRY(find_thread(&thread, cut, record->tid));
	if (record->kind == KT_EVENT_ENTER || record->kind == KT_EVENT_ENTER_OTHER) {
		enter(thread, record->kind == KT_EVENT_ENTER);
	}
	if (thread->depth == 0 && before == after) {
		return take(context, record, before);
	}
	if (thread->depth == 0) {
		KT_TRY(kt_array_reserve(&cut->waiting, &cut->waiting_capacity,
					cut->n_waiting + 1));
		cut->waiting[cut->n_waiting++] = *record;
		return KT_OK;
	}
	KT_TRY(settle(cut, before, take, context));
	/*
	 * If a gap came after the beginning of a call, the call is no longer known to be
	 * open, and its return changes nothing.
	 */
	returns = record->kind == KT_EVENT_RETURN && record->mapping <= thread->depth;
	thread->depth -= returns ? record->mapping - 1 : 0;
	within = innermost(thread);
	cut->last = within ? KT_PHASE_LAST_WANTED : KT_PHASE_LAST_OTHER;
	thread->depth -= returns;
	return take(context, record, within);
}

int kt_phase_cut_finish(struct kt_phase_cut *cut, const struct kt_trace_filter *filter,
			bool ended, kt_phase_cut_fn *take, void *context)
{
	const bool within = cut->last != KT_PHASE_LAST_NONE && ended
				    ? is_wanted(filter, KT_API_PHASE_DESTROY)
				    : cut->last == KT_PHASE_LAST_WANTED;

	return settle(cut, within, take, context);
}

void kt_phase_cut_clear(struct kt_phase_cut *cut)
{
	free(cut->threads);
	kt_hash_free(&cut->by_tid);
	free(cut->waiting);
	*cut = (struct kt_phase_cut){.begun = false};
}
