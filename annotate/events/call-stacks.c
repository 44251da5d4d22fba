/* SPDX-License-Identifier: MIT */
#include "annotate/events/call-stacks.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

static struct kt_call_stack *find_thread(const struct kt_call_stacks *s, uint32_t tid)
{
	struct kt_hash_probe probe = kt_hash_probe(&s->by_tid, kt_hash_number(tid));
	uint32_t i;

	while (kt_hash_next(&s->by_tid, &probe, &i)) {
		if (s->threads[i].tid == tid) {
			return &s->threads[i];
		}
	}
	return NULL;
}

int kt_call_stacks_enter(struct kt_call_stacks *s, uint32_t tid, uint64_t correlation,
			 void *call)
{
	struct kt_call_stack *thread = find_thread(s, tid);

	if (!thread) {
		KT_TRY(kt_array_reserve(&s->threads, &s->threads_capacity,
					s->n_threads + 1));
		KT_TRY(kt_hash_add(&s->by_tid, kt_hash_number(tid), s->n_threads));
		thread = &s->threads[s->n_threads++];
		*thread = (struct kt_call_stack){.tid = tid};
	}
	KT_TRY(kt_array_reserve(&thread->calls, &thread->capacity, thread->n + 1));
	thread->calls[thread->n++] = (struct kt_open_call){correlation, call};
	s->open++;
	return KT_OK;
}

bool kt_call_stacks_has(const struct kt_call_stacks *s, uint32_t tid, uint64_t correlation)
{
	const struct kt_call_stack *thread = s->open > 0 ? find_thread(s, tid) : NULL;
	size_t i = thread ? thread->n : 0;

	while (i > 0 && thread->calls[i - 1].correlation != correlation) {
		i--;
	}
	return i > 0;
}

const struct kt_open_call *kt_call_stacks_top(const struct kt_call_stacks *s, uint32_t tid)
{
	const struct kt_call_stack *thread = s->open > 0 ? find_thread(s, tid) : NULL;

	return thread && thread->n > 0 ? &thread->calls[thread->n - 1] : NULL;
}

static bool pop(struct kt_call_stacks *s, struct kt_call_stack *thread,
		struct kt_open_call *out)
{
	if (!thread || thread->n == 0) {
		return false;
	}
	*out = thread->calls[--thread->n];
	s->open--;
	return true;
}

bool kt_call_stacks_pop(struct kt_call_stacks *s, uint32_t tid, struct kt_open_call *out)
{
	return pop(s, find_thread(s, tid), out);
}

bool kt_call_stacks_pop_any(struct kt_call_stacks *s, struct kt_open_call *out)
{
	for (size_t i = 0; i < s->n_threads && s->open > 0; i++) {
		if (pop(s, &s->threads[i], out)) {
			return true;
		}
	}
	return false;
}

void kt_call_stacks_free(struct kt_call_stacks *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		free(s->threads[i].calls);
	}
	free(s->threads);
	kt_hash_free(&s->by_tid);
	memset(s, 0, sizeof(*s));
}
