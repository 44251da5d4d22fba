/* SPDX-License-Identifier: MIT */
#include "annotate/requests/completions.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/events/addresses.h"
#include "annotate/events/number-map.h"
#include "base/array.h"
#include "base/try.h"

/* Numbers count the mappings of a process; a higher one is damage. */
#define MAX_MAPPING (1u << 24)
/* So far back an acquire looks for the release that it waits for. */
#define MAX_BACK 1024
/* A longer read is no look at a semaphore, but a copy of memory. */
#define MAX_READ 4096
/* Of what is written with a payload, the device writes this much at least. */
#define WORD UINT64_C(4)

/* A request: what it is told by `completion`, and which later ones imply it. */
struct kt_completion_node {
	uint64_t seq;
	size_t edges; /* index + 1 of the first; 0: none */
	size_t item;  /* where a thread's group may have it */
	struct kt_completion completion;
};

/* If request `to`, which is later, is done, so is the one that has this edge. */
struct kt_completion_edge {
	size_t to;
	enum kt_tie tie;
	size_t next; /* index + 1 */
};

struct kt_completion_release {
	struct kt_semaphore_value value;
	size_t request;
	size_t before; /* the one before it of the same semaphore, index + 1 */
	size_t far;    /* one further back, or the same: skips powers of two; index + 1 */
	size_t depth;  /* how many are before it */
};

/* Indices of requests. */
struct kt_completion_list {
	size_t *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

struct kt_completion_mapping {
	uint64_t address;
	uint64_t length; /* 0: unknown */
	/* That have a semaphore in it, and saw no run in it yet; none in a call that waits
	 */
	struct kt_completion_list unseen;
	struct kt_completion_list unseen_waiting;
};

/* A request that a thread looked at, in its group of looks. */
struct kt_completion_item {
	size_t request;
	bool first; /* its first look of all is among these */
	struct kt_poll last;
	uint64_t polls;
	uint64_t slept;
};

struct kt_completion_thread {
	bool inside;     /* of a call */
	bool waits;      /* that call */
	bool done;       /* a call in it has said that what it looked at is done */
	uint64_t asleep; /* waits for a device since its last look, in this group */
	uint64_t slept;
	struct kt_completion_item *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

struct kt_completions {
	bool exact;
	struct kt_completion_node *nodes; /* Owned by this, as all below */
	size_t n;
	size_t capacity;
	struct kt_completion_edge *edges;
	size_t n_edges;
	size_t edges_capacity;
	struct kt_completion_release *releases;
	size_t n_releases;
	size_t releases_capacity;
	struct kt_number_map newest;            /* address -> index of the newest release */
	struct kt_number_map channels;          /* channel -> index of its newest request */
	struct kt_completion_mapping *mappings; /* by number */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_addresses addresses; /* -> index in mappings */
	struct kt_number_map tids;
	struct kt_completion_thread *threads;
	size_t n_threads;
	size_t threads_capacity;
	uint64_t sleeps;
	uint64_t unmatched;
};

const char *kt_tie_name(enum kt_tie tie)
{
	static const char *const names[KT_TIES] = {"none", "read", "later", "order",
						   "acquire"};

	return names[tie];
}

int kt_completions_new(kt_completions **out, bool exact)
{
	kt_completions *c = calloc(1, sizeof(*c));

	if (!c) {
		return kt_no_memory("match completions");
	}
	c->exact = exact;
	*out = c;
	return KT_OK;
}

void kt_completions_free(kt_completions *c)
{
	if (!c) {
		return;
	}
	for (size_t i = 0; i < c->n_mappings; i++) {
		free(c->mappings[i].unseen.items);
		free(c->mappings[i].unseen_waiting.items);
	}
	for (size_t i = 0; i < c->n_threads; i++) {
		free(c->threads[i].items);
	}
	free(c->mappings);
	free(c->threads);
	free(c->nodes);
	free(c->edges);
	free(c->releases);
	kt_addresses_free(&c->addresses);
	kt_number_map_free(&c->newest);
	kt_number_map_free(&c->channels);
	kt_number_map_free(&c->tids);
	free(c);
}

/* --- mappings --- */

int kt_completions_map(kt_completions *c, uint32_t mapping, uint64_t address,
		       uint64_t length)
{
	if (mapping >= MAX_MAPPING) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&c->mappings, &c->mappings_capacity, (size_t)mapping + 1));
	while (c->n_mappings <= mapping) {
		c->mappings[c->n_mappings++] = (struct kt_completion_mapping){.length = 0};
	}
	/* Each has a number of its own, unless a trace is damaged. */
	kt_addresses_remove(&c->addresses, 0, c->mappings[mapping].address,
			    c->mappings[mapping].length, mapping);
	c->mappings[mapping].address = address;
	c->mappings[mapping].length = length;
	return kt_addresses_add(&c->addresses, 0, address, length, mapping);
}

/* --- a request --- */

static int add_edge(kt_completions *c, size_t from, size_t to, enum kt_tie tie)
{
	KT_TRY(kt_array_reserve(&c->edges, &c->edges_capacity, c->n_edges + 1));
	c->edges[c->n_edges++] = (struct kt_completion_edge){
		.to = to, .tie = tie, .next = c->nodes[from].edges};
	c->nodes[from].edges = c->n_edges;
	return KT_OK;
}

static int watch(struct kt_completion_list *list, size_t request)
{
	KT_TRY(kt_array_reserve(&list->items, &list->capacity, list->n + 1));
	list->items[list->n++] = request;
	return KT_OK;
}

static int add_release(kt_completions *c, const struct kt_semaphore_value *value)
{
	size_t before = kt_number_map_get(&c->newest, value->address);
	size_t far = before == KT_NOWHERE ? 0 : before + 1;
	size_t at;

	KT_TRY(kt_array_reserve(&c->releases, &c->releases_capacity, c->n_releases + 1));
	/*
	 * Where the skip from a release leads, if those from the one before it, and from
	 * where that leads, are of one length, they make one twice as long: so each is
	 * reached in O(log n) skips and steps (Myers 1983, "An applicative random-access
	 * stack").
	 */
	if (far && c->releases[before].far) {
		const struct kt_completion_release *last = &c->releases[before];
		const struct kt_completion_release *skipped = &c->releases[last->far - 1];

		if (skipped->far &&
		    last->depth - skipped->depth ==
			    skipped->depth - c->releases[skipped->far - 1].depth) {
			far = skipped->far;
		}
	}
	c->releases[c->n_releases++] = (struct kt_completion_release){
		.value = *value,
		.request = c->n - 1,
		.before = before == KT_NOWHERE ? 0 : before + 1,
		.far = far,
		.depth = before == KT_NOWHERE ? 0 : c->releases[before].depth + 1};
	KT_TRY(kt_number_map_set(&c->newest, value->address, c->n_releases - 1));
	if (before != KT_NOWHERE && c->releases[before].request != c->n - 1) {
		uint64_t payload = value->payload;
		uint64_t than = c->releases[before].value.payload;
		/* Payloads of 32 bits wrap around. */
		bool higher = (payload | than) >> 32
				      ? payload > than
				      : (int32_t)((uint32_t)payload - (uint32_t)than) > 0;

		if (higher) {
			KT_TRY(add_edge(c, c->releases[before].request, c->n - 1,
					KT_TIE_LATER));
		}
	}
	/* the newest mapping there */
	at = c->exact ? KT_NOWHERE : kt_addresses_find(&c->addresses, 0, value->address);
	if (at >= c->n_mappings) {
		return KT_OK;
	}
	KT_TRY(watch(&c->mappings[at].unseen, c->n - 1));
	return watch(&c->mappings[at].unseen_waiting, c->n - 1);
}

int kt_completions_submit(kt_completions *c, const struct kt_submitted_request *request)
{
	size_t before = kt_number_map_get(&c->channels, request->channel);

	KT_TRY(kt_array_reserve(&c->nodes, &c->capacity, c->n + 1));
	c->nodes[c->n++] = (struct kt_completion_node){.seq = request->seq};
	KT_TRY(kt_number_map_set(&c->channels, request->channel, c->n - 1));
	if (before != KT_NOWHERE) {
		KT_TRY(add_edge(c, before, c->n - 1, KT_TIE_ORDER));
	}
	/* Who released what is waited for, if it is known, is done once this request is. */
	for (size_t i = 0; i < request->n_acquires; i++) {
		const struct kt_semaphore_value *value = &request->acquires[i];
		size_t at = kt_number_map_get(&c->newest, value->address);

		for (size_t steps = 0; at != KT_NOWHERE && steps < MAX_BACK; steps++) {
			const struct kt_completion_release *r = &c->releases[at];

			if (r->value.payload == value->payload && r->request != c->n - 1) {
				KT_TRY(add_edge(c, r->request, c->n - 1, KT_TIE_ACQUIRE));
				break;
			}
			at = r->before ? r->before - 1 : KT_NOWHERE;
		}
	}
	for (size_t i = 0; i < request->n_releases; i++) {
		KT_TRY(add_release(c, &request->releases[i]));
	}
	return KT_OK;
}

/* --- groups --- */

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

/* A group of looks is over. `notice`: what it looked at is known to be done; else NULL. */
static void end_group(kt_completions *c, struct kt_completion_thread *thread,
		      const struct kt_completion *notice)
{
	for (size_t i = 0; i < thread->n; i++) {
		const struct kt_completion_item *item = &thread->items[i];
		struct kt_completion *own = &c->nodes[item->request].completion;

		if (item->first) {
			own->last = item->last;
			own->polls = item->polls;
			own->slept = item->slept;
		}
		if (notice && !own->noticed) {
			own->noticed = KT_TIE_READ;
			own->notice = item->last;
			own->notice_call = notice->notice_call;
			own->returned = notice->returned;
			own->notice_polls = item->polls;
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
	thread->done = false;
	return KT_OK;
}

int kt_completions_done(kt_completions *c, uint32_t tid)
{
	struct kt_completion_thread *thread;

	KT_TRY(find_thread(c, tid, &thread));
	thread->done = true;
	return KT_OK;
}

int kt_completions_return(kt_completions *c, uint32_t tid, uint64_t call, uint64_t time,
			  size_t *looked)
{
	const struct kt_completion notice = {.notice_call = call, .returned = time};
	struct kt_completion_thread *thread;

	*looked = 0;
	KT_TRY(find_thread(c, tid, &thread));
	*looked = thread->n;
	end_group(c, thread, thread->done ? &notice : NULL);
	thread->inside = false;
	thread->waits = false;
	thread->done = false;
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

static int note_poll(kt_completions *c, struct kt_completion_thread *thread, size_t request,
		     const struct kt_poll *poll)
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
		own->first = *poll;
		item->first = true;
	}
	/* A read of two semaphores of one request is one look. */
	if (item->polls == 0 || item->last.seq != poll->seq) {
		item->polls++;
		item->slept += thread->slept;
	}
	item->last = *poll;
	thread->asleep = 0;
	return KT_OK;
}

static bool is_after(const kt_completions *c, size_t at, uint64_t limit)
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

	KT_TRY(find_thread(c, read->poll.tid, &thread));
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
		while (at != KT_NOWHERE && is_after(c, at, read->limit)) {
			const struct kt_completion_release *r = &c->releases[at];

			if (r->far && is_after(c, r->far - 1, read->limit)) {
				at = r->far - 1;
			} else {
				at = r->before ? r->before - 1 : KT_NOWHERE;
			}
		}
		if (at != KT_NOWHERE) {
			code = note_poll(c, thread, c->releases[at].request, &read->poll);
		}
	}
	if (!thread->asleep) {
		thread->slept = 0; /* it was said of what was looked at */
	}
	for (size_t i = 0; i < m->unseen.n; i++) {
		struct kt_completion *own = &c->nodes[m->unseen.items[i]].completion;

		if (!own->hidden) {
			own->hidden = true;
			own->run = read->poll;
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
			own->wait_run = read->poll;
		}
	}
	m->unseen_waiting.n = 0;
	return code;
}

/* --- the end --- */

void kt_completions_settle(kt_completions *c)
{
	kt_completions_gap(c);
	/* Edges lead to later requests, which are settled by then. */
	for (size_t i = c->n; i > 0; i--) {
		struct kt_completion_node *node = &c->nodes[i - 1];
		struct kt_completion *own = &node->completion;

		/* If `later` is done, so is this: what was seen of it counts where it is
		 * earlier. */
		for (size_t e = node->edges; e; e = c->edges[e - 1].next) {
			const struct kt_completion_edge *edge = &c->edges[e - 1];
			const struct kt_completion *later = &c->nodes[edge->to].completion;

			if (later->tie &&
			    (!own->tie || later->first.seq < own->first.seq)) {
				own->tie = edge->tie;
				own->first = later->first;
				own->last = later->last;
				own->polls = later->polls;
				own->slept = later->slept;
			}
			if (later->noticed &&
			    (!own->noticed || later->returned < own->returned)) {
				own->noticed = edge->tie;
				own->notice = later->notice;
				own->notice_call = later->notice_call;
				own->returned = later->returned;
				own->notice_polls = later->notice_polls;
				own->notice_slept = later->notice_slept;
			}
			if (later->hidden &&
			    (!own->hidden || later->run.seq < own->run.seq)) {
				own->hidden = true;
				own->run = later->run;
			}
			if (later->hidden_wait &&
			    (!own->hidden_wait ||
			     later->wait_run.seq < own->wait_run.seq)) {
				own->hidden_wait = true;
				own->wait_run = later->wait_run;
			}
		}
	}
	for (size_t i = 0; i < c->n; i++) {
		struct kt_completion *own = &c->nodes[i].completion;

		own->hidden = own->hidden && (!own->tie || own->run.seq < own->first.seq);
		own->hidden_wait = own->hidden_wait && !own->noticed;
	}
}

const struct kt_completion *kt_completions_at(const kt_completions *c, size_t index)
{
	return &c->nodes[index].completion;
}

size_t kt_completions_count(const kt_completions *c)
{
	return c->n;
}

uint64_t kt_completions_sleeps(const kt_completions *c, uint64_t *unmatched)
{
	*unmatched = c->unmatched;
	return c->sleeps;
}
