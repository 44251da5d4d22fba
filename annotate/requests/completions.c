/* SPDX-License-Identifier: MIT */
#include "annotate/requests/completions.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/memory/addresses.h"
#include "infer/words/memory/number-map.h"

/*
 * Mapping numbers count the mappings of a process. A number from this limit on means that
 * the trace is damaged; the mapping is ignored, so that memory stays bounded.
 */
#define MAX_MAPPING (1u << 24)
/*
 * Maximum number of releases searched per acquire for the release that the acquire waits
 * for.
 */
#define MAX_BACK 1024
/* Bytes. A longer read copies memory and is not a poll of a semaphore. */
#define MAX_READ 4096
/* Minimum number of bytes that a release with a payload writes. */
#define WORD UINT64_C(4)

/*
 * A request, its completion evidence, and edges to later requests whose completion
 * implies that this request is complete.
 */
struct kt_completion_node {
	uint64_t seq;
	size_t edges; /* index + 1 of the first edge; 0: none */
	size_t item;  /* a hint: index of the request's latest item in a thread's group */
	struct kt_completion completion;
};

/*
 * An edge of a request: completion of the later request `to` implies that the request is
 * complete.
 */
struct kt_completion_edge {
	size_t to;
	enum kt_tie tie;
	size_t next; /* index + 1 of the request's next edge; 0: none */
};

struct kt_completion_release {
	struct kt_semaphore_value value;
	size_t request; /* index of the request */
	/* Index + 1 of the previous release of the same semaphore; 0: none. */
	size_t before;
	size_t far;   /* index + 1 of the previous or an earlier release: add_release() */
	size_t depth; /* number of earlier releases of the semaphore */
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
	/*
	 * `unseen` lists requests with a semaphore in this mapping that were submitted
	 * after the mapping was last read. `unseen_waiting` is the same, but regards only
	 * reads within calls that wait without a limit.
	 */
	struct kt_completion_list unseen;
	struct kt_completion_list unseen_waiting;
};

/* A request that a thread polled in its current group of polls. */
struct kt_completion_item {
	size_t request;
	bool first; /* the request's first poll is in this group */
	struct kt_poll last;
	uint64_t polls;
	uint64_t slept;
};

struct kt_completion_thread {
	bool inside;     /* a call of the API is open */
	bool waits;      /* the outermost call waits for completion */
	bool done;       /* the outermost call, or a call within it, reported completion */
	uint64_t asleep; /* number of device waits of this group since the last poll */
	uint64_t slept;  /* ns of device waits that were not added to an item yet */
	struct kt_completion_item *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

struct kt_completions {
	bool exact;
	struct kt_completion_node *nodes; /* Owned by this, as are all pointers below */
	size_t n;
	size_t capacity;
	struct kt_completion_edge *edges;
	size_t n_edges;
	size_t edges_capacity;
	struct kt_completion_release *releases;
	size_t n_releases;
	size_t releases_capacity;
	struct kt_number_map newest;            /* address -> index of its newest release */
	struct kt_number_map channels;          /* channel -> index of its newest request */
	struct kt_completion_mapping *mappings; /* indexed by mapping number */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_addresses addresses; /* address -> index in mappings */
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
	/*
	 * If the number is in use, as in a damaged trace, forget the mapping that has it.
	 */
	kt_addresses_remove(&c->addresses, 0, c->mappings[mapping].address,
			    c->mappings[mapping].length, mapping);
	c->mappings[mapping].address = address;
	c->mappings[mapping].length = length;
	return kt_addresses_add(&c->addresses, 0, address, length, mapping);
}

/* --- submission --- */

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
	 * Normally `far` skips to the previous release. But if the previous release skips
	 * as many releases as the release to which it skips, `far` skips over both
	 * distances. Any earlier release is then reached in O(log n) skips and steps
	 * (Myers 1983, "An applicative random-access stack").
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
		/* Compare payloads of 32 bits modulo 2^32, because they wrap around. */
		bool higher = (payload | than) >> 32
				      ? payload > than
				      : (int32_t)((uint32_t)payload - (uint32_t)than) > 0;

		if (higher) {
			KT_TRY(add_edge(c, c->releases[before].request, c->n - 1,
					KT_TIE_LATER));
		}
	}
	/* If a run can hide a poll, watch the newest mapping at the semaphore's address. */
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
	/*
	 * Completion of this request implies completion of the request that released the
	 * awaited payload.
	 */
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

/*
 * Ends a group of polls. `notice` has the number and return time of the call that reported
 * completion; NULL: no call did.
 */
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
	/* The next poll gets the total time of all waits since the last poll. */
	thread->asleep++;
	thread->slept += slept;
	return KT_OK;
}

/* --- polls --- */

static int note_poll(kt_completions *c, struct kt_completion_thread *thread, size_t request,
		     const struct kt_poll *poll)
{
	struct kt_completion_node *node = &c->nodes[request];
	struct kt_completion *own = &node->completion;
	struct kt_completion_item *item = NULL;

	if (node->item < thread->n && thread->items[node->item].request == request) {
		item = &thread->items[node->item];
	}
	/* Search, because node->item may be an index in another thread's group. */
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
	/* If a read covers several semaphores of a request, count the read only once. */
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

		/* Go back to the newest release whose request is within the limit. */
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
		thread->slept = 0; /* its value was added to each request that this read
				    * polled */
	}
	for (size_t i = 0; i < m->unseen.n; i++) {
		struct kt_completion *own = &c->nodes[m->unseen.items[i]].completion;

		if (!own->hidden) {
			own->hidden = true;
			own->run = read->poll;
		}
	}
	m->unseen.n = 0;
	/* Only a wait without a limit covers all requests submitted before the read. */
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

/* --- settling --- */

void kt_completions_settle(kt_completions *c)
{
	kt_completions_gap(c);
	/*
	 * Edges lead to later requests, so in reverse order the targets of a request's
	 * edges are settled before the request.
	 */
	for (size_t i = c->n; i > 0; i--) {
		struct kt_completion_node *node = &c->nodes[i - 1];
		struct kt_completion *own = &node->completion;

		/*
		 * Completion of `later` implies completion of this request, so keep the
		 * evidence of this request or of `later`, whichever is earlier.
		 */
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
