/* SPDX-License-Identifier: MIT */
/* Completions: reads, and the groups of looks that they make up. */
#include "annotate/requests/completions.h"

#include <ktail/status.h>

#include "annotate/requests/completion-state.h"
#include "base/array.h"
#include "base/try.h"

/* A longer read is no look at a semaphore, but a copy of memory. */
#define MAX_READ 4096
/* Of what is written with a payload, the device writes this much at least. */
#define WORD UINT64_C(4)

static int find_thread(kt_completions *c, uint32_t tid, struct kt_completion_thread **out)
{
	size_t i = kt_number_map_get(&c->tids, tid);

	if (i == KT_NOWHERE) {
		i = c->n_threads;
		KT_TRY(kt_array_reserve(&c->threads, &c->threads_capacity, i + 1));
		KT_TRY(kt_number_map_set(&c->tids, tid, i));
		c->threads[c->n_threads++] = (struct kt_completion_thread){.inside = false};
	}
	*out = &c->threads[i];
	return KT_OK;
}

/* --- groups --- */

/* A group of looks is over. `notice`: what it looked at is known to be done; else NULL. */
static void end_group(kt_completions *c, struct kt_completion_thread *thread,
		      const struct kt_completion *notice)
{
	for (size_t i = 0; i < thread->n; i++) {
		const struct kt_completion_item *item = &thread->items[i];
		struct kt_completion *own = &c->nodes[item->request].completion;

		if (item->first) {
			own->last = item->last;
			own->looks = item->looks;
			own->slept = item->slept;
		}
		if (notice && !own->noticed) {
			own->noticed = KT_TIE_READ;
			own->notice = item->last;
			own->notice_call = notice->notice_call;
			own->returned = notice->returned;
			own->notice_looks = item->looks;
			own->notice_slept = item->slept;
		}
	}
	c->unmatched += thread->asleep;
	thread->asleep = 0;
	thread->slept = 0;
	thread->n = 0;
}

int kt_completions_act(kt_completions *c, uint32_t tid)
{
	struct kt_completion_thread *thread;

	KT_TRY(find_thread(c, tid, &thread));
	if (!thread->inside) {
		end_group(c, thread, NULL);
	}
	return KT_OK;
}

int kt_completions_enter(kt_completions *c, uint32_t tid, bool waits)
{
	struct kt_completion_thread *thread;

	KT_TRY(find_thread(c, tid, &thread));
	end_group(c, thread, NULL);
	thread->inside = true;
	thread->waits = waits;
	return KT_OK;
}

int kt_completions_return(kt_completions *c, uint32_t tid, uint64_t call, uint64_t time,
			  bool done, size_t *looked)
{
	const struct kt_completion notice = {.notice_call = call, .returned = time};
	struct kt_completion_thread *thread;

	*looked = 0;
	KT_TRY(find_thread(c, tid, &thread));
	*looked = thread->n;
	end_group(c, thread, done ? &notice : NULL);
	thread->inside = false;
	thread->waits = false;
	return KT_OK;
}

void kt_completions_gap(kt_completions *c)
{
	for (size_t i = 0; i < c->n_threads; i++) {
		end_group(c, &c->threads[i], NULL);
		c->threads[i].inside = false;
		c->threads[i].waits = false;
	}
}

int kt_completions_sleep(kt_completions *c, uint32_t tid, uint64_t slept)
{
	struct kt_completion_thread *thread;

	KT_TRY(find_thread(c, tid, &thread));
	c->sleeps++;
	/* One after another, and nothing looked at between: one long wait. */
	thread->asleep++;
	thread->slept += slept;
	return KT_OK;
}

/* --- looks --- */

static int look_at(kt_completions *c, struct kt_completion_thread *thread, size_t request,
		   const struct kt_look *look)
{
	struct kt_completion_node *node = &c->nodes[request];
	struct kt_completion *own = &node->completion;
	struct kt_completion_item *item = NULL;

	if (node->item < thread->n && thread->items[node->item].request == request) {
		item = &thread->items[node->item];
	}
	/* Another thread may have had it elsewhere. */
	for (size_t i = thread->n; i > 0 && own->tie && !item; i--) {
		if (thread->items[i - 1].request == request) {
			item = &thread->items[i - 1];
		}
	}
	if (!item) {
		KT_TRY(kt_array_reserve(&thread->items, &thread->capacity, thread->n + 1));
		node->item = thread->n;
		item = &thread->items[thread->n++];
		*item = (struct kt_completion_item){.request = request};
	}
	if (!own->tie) {
		own->tie = KT_TIE_READ;
		own->first = *look;
		item->first = true;
	}
	/* A read of two semaphores of one request is one look. */
	if (item->looks == 0 || item->last.seq != look->seq) {
		item->looks++;
		item->slept += thread->slept;
	}
	item->last = *look;
	thread->asleep = 0;
	return KT_OK;
}

static bool is_behind(const kt_completions *c, size_t at, uint64_t limit)
{
	return c->nodes[c->releases[at].request].seq > limit;
}

int kt_completions_read(kt_completions *c, const struct kt_watched_read *read)
{
	struct kt_completion_mapping *m;
	struct kt_completion_thread *thread;
	uint64_t size = read->size ? read->size : WORD;
	uint64_t begin;
	int code = KT_OK;

	KT_TRY(find_thread(c, read->look.tid, &thread));
	if (read->mapping >= c->n_mappings) {
		return KT_OK;
	}
	m = &c->mappings[read->mapping];
	if (read->offset >= m->length || size > MAX_READ) {
		return KT_OK;
	}
	begin = (m->address + read->offset) & ~(WORD - 1);
	for (uint64_t a = begin; a < m->address + read->offset + size && !code; a += WORD) {
		size_t at = kt_number_map_get(&c->newest, a);

		/* The newest release that is not after the limit. */
		while (at != KT_NOWHERE && is_behind(c, at, read->limit)) {
			const struct kt_completion_release *r = &c->releases[at];

			if (r->far && is_behind(c, r->far - 1, read->limit)) {
				at = r->far - 1;
			} else {
				at = r->before ? r->before - 1 : KT_NOWHERE;
			}
		}
		if (at != KT_NOWHERE) {
			code = look_at(c, thread, c->releases[at].request, &read->look);
		}
	}
	if (!thread->asleep) {
		thread->slept = 0; /* it was said of what was looked at */
	}
	for (size_t i = 0; i < m->unseen.n; i++) {
		struct kt_completion *own = &c->nodes[m->unseen.items[i]].completion;

		if (!own->hidden) {
			own->hidden = true;
			own->run = read->look;
		}
	}
	m->unseen.n = 0;
	/* A call without a limit waits for all that was submitted before. */
	if (!thread->waits || read->limit != UINT64_MAX) {
		return code;
	}
	for (size_t i = 0; i < m->unseen_waiting.n; i++) {
		struct kt_completion *own =
			&c->nodes[m->unseen_waiting.items[i]].completion;

		if (!own->hidden_wait) {
			own->hidden_wait = true;
			own->wait_run = read->look;
		}
	}
	m->unseen_waiting.n = 0;
	return code;
}
