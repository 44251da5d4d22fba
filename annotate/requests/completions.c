/* SPDX-License-Identifier: MIT */
#include "annotate/requests/completions.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/requests/completion-state.h"
#include "base/array.h"
#include "base/try.h"

/* Numbers count the mappings of a process; a higher one is damage. */
#define MAX_MAPPING (1u << 24)
/* So far back an acquire looks for the release that it waits for. */
#define MAX_BACK 1024

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
				own->looks = later->looks;
				own->slept = later->slept;
			}
			if (later->noticed &&
			    (!own->noticed || later->returned < own->returned)) {
				own->noticed = edge->tie;
				own->notice = later->notice;
				own->notice_call = later->notice_call;
				own->returned = later->returned;
				own->notice_looks = later->notice_looks;
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
