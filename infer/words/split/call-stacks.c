/* SPDX-License-Identifier: MIT */
#include "infer/words/split/call-stacks.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

static size_t *find_slot(const struct kt_call_stacks *s, uint32_t tid)
{
	size_t mask = s->n_slots - 1;
	size_t i = (tid * 2654435761u) & mask;

	while (s->slots[i] && s->threads[s->slots[i] - 1].tid != tid) {
		i = (i + 1) & mask;
	}
	return &s->slots[i];
}

/* Keeps the table at most half full. */
static int grow_slots(struct kt_call_stacks *s)
{
	size_t n = s->n_slots ? 2 * s->n_slots : 16;
	size_t *slots;

	if (2 * (s->n_threads + 1) <= s->n_slots) {
		return KT_OK;
	}
	slots = calloc(n, sizeof(*slots));
	if (!slots) {
		return kt_error(KT_E_MEMORY, "follow API calls: out of memory");
	}
	free(s->slots);
	s->slots = slots;
	s->n_slots = n;
	for (size_t i = 0; i < s->n_threads; i++) {
		*find_slot(s, s->threads[i].tid) = i + 1;
	}
	return KT_OK;
}

static struct kt_call_stack *find_thread(const struct kt_call_stacks *s, uint32_t tid)
{
	size_t slot = s->open > 0 ? *find_slot(s, tid) : 0;

	return slot ? &s->threads[slot - 1] : NULL;
}

static int make_thread(struct kt_call_stacks *s, uint32_t tid, struct kt_call_stack **out)
{
	int code = grow_slots(s);
	size_t *slot;

	code = code ? code
		    : kt_array_reserve(&s->threads, &s->threads_capacity, s->n_threads + 1);
	if (code) {
		return code;
	}
	slot = find_slot(s, tid);
	if (!*slot) {
		s->threads[s->n_threads++] = (struct kt_call_stack){.tid = tid};
		*slot = s->n_threads;
	}
	*out = &s->threads[*slot - 1];
	return KT_OK;
}

int kt_call_stacks_enter(struct kt_call_stacks *s, uint32_t tid, uint64_t correlation,
			 union kt_call_tag tag)
{
	struct kt_call_stack *thread = NULL;
	int code = make_thread(s, tid, &thread);

	code = code ? code
		    : kt_array_reserve(&thread->calls, &thread->capacity, thread->n + 1);
	if (!code) {
		thread->calls[thread->n++] = (struct kt_open_call){correlation, tag};
		s->open++;
	}
	return code;
}

bool kt_call_stacks_has(const struct kt_call_stacks *s, uint32_t tid, uint64_t correlation)
{
	const struct kt_call_stack *thread = find_thread(s, tid);
	size_t i = thread ? thread->n : 0;

	while (i > 0 && thread->calls[i - 1].correlation != correlation) {
		i--;
	}
	return i > 0;
}

const struct kt_open_call *kt_call_stacks_top(const struct kt_call_stacks *s, uint32_t tid)
{
	const struct kt_call_stack *thread = find_thread(s, tid);

	return thread && thread->n > 0 ? &thread->calls[thread->n - 1] : NULL;
}

const struct kt_open_call *kt_call_stacks_bottom(const struct kt_call_stacks *s,
						 uint32_t tid)
{
	const struct kt_call_stack *thread = find_thread(s, tid);

	return thread && thread->n > 0 ? &thread->calls[0] : NULL;
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

void kt_call_stacks_clear(struct kt_call_stacks *s)
{
	for (size_t i = 0; i < s->n_threads && s->open > 0; i++) {
		s->open -= s->threads[i].n;
		s->threads[i].n = 0;
	}
}

void kt_call_stacks_free(struct kt_call_stacks *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		free(s->threads[i].calls);
	}
	free(s->threads);
	free(s->slots);
	memset(s, 0, sizeof(*s));
}
