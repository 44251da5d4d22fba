/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/split/cutter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* --- threads --- */

static size_t *find_thread_slot(struct kt_cutter *c, uint32_t tid)
{
	size_t mask = c->n_slots - 1;
	size_t i = (tid * 2654435761u) & mask;

	while (c->slots[i] && c->threads[c->slots[i] - 1].tid != tid) {
		i = (i + 1) & mask;
	}
	return &c->slots[i];
}

static int grow_thread_slots(struct kt_cutter *c)
{
	if (2 * (c->n_threads + 1) <= c->n_slots) {
		return KT_OK;
	}
	free(c->slots);
	c->n_slots = c->n_slots ? 2 * c->n_slots : 64;
	c->slots = calloc(c->n_slots, sizeof(*c->slots));
	if (!c->slots) {
		return kt_error(KT_E_MEMORY, "cut words: out of memory");
	}
	for (size_t i = 0; i < c->n_threads; i++) {
		*find_thread_slot(c, c->threads[i].tid) = i + 1;
	}
	return KT_OK;
}

/* The thread that an event belongs to; all the same one when words are processes. */
static int find_thread(struct kt_cutter *c, const struct kt_record *r, size_t *out)
{
	uint32_t tid = 0;
	size_t *slot;
	int code;

	if (c->unit == KT_WORD_THREAD) {
		tid = r->tid;
	} else if (c->unit == KT_WORD_CHANNEL) {
		tid = r->mapping;
		if (tid == KT_NO_CHANNEL && r->letter == KT_NO_LETTER) {
			return KT_OK;
		}
	}
	if (c->latest < c->n_threads && c->threads[c->latest].tid == tid) {
		*out = c->latest;
		c->threads[*out].last = c->n_segments - 1;
		return KT_OK;
	}
	code = grow_thread_slots(c);
	if (code) {
		return code;
	}
	slot = find_thread_slot(c, tid);
	if (!*slot) {
		code = kt_array_reserve(&c->threads, &c->threads_capacity,
					c->n_threads + 1);
		if (code) {
			return code;
		}
		c->threads[c->n_threads++] = (struct kt_cut_thread){
			.tid = tid,
			.first = c->n_segments - 1,
			.counted = c->n_segments > 1 ? c->segments[c->n_segments - 2].lost
						     : 0};
		*slot = c->n_threads;
	}
	c->latest = *out = *slot - 1;
	c->threads[*out].last = c->n_segments - 1;
	return KT_OK;
}

/* --- runs and gaps --- */

/* Whether an event of a run rule gives its letter. */
static int is_run_letter(struct kt_cutter *c, const struct kt_record *r, bool *out)
{
	bool opens = !c->in_run || c->mapping != r->mapping;
	int code = kt_array_reserve(&c->stamps, &c->stamps_capacity, (size_t)r->letter + 1);

	if (code) {
		return code;
	}
	while (c->n_stamps <= r->letter) {
		c->stamps[c->n_stamps++] = 0;
	}
	c->run += opens;
	c->in_run = true;
	c->mapping = r->mapping;
	*out = r->run == KT_RUN_OPEN ? opens : c->stamps[r->letter] != c->run;
	c->stamps[r->letter] = c->run;
	return KT_OK;
}

static int is_letter(struct kt_cutter *c, const struct kt_record *r, bool *out)
{
	*out = r->letter != KT_NO_LETTER;
	if (!*out) {
		return KT_OK;
	}
	if (r->run != KT_RUN_NONE) {
		return is_run_letter(c, r, out);
	}
	c->in_run = false;
	return KT_OK;
}

static int open_segment(struct kt_cutter *c, uint64_t missing, uint64_t first)
{
	uint64_t lost = c->n_segments ? c->segments[c->n_segments - 1].lost : 0;
	int code = kt_array_reserve(&c->segments, &c->segments_capacity, c->n_segments + 1);

	if (!code) {
		c->segments[c->n_segments++] =
			(struct kt_segment){first, kt_lost_add(lost, missing)};
		c->in_run = false;
	}
	return code;
}

int kt_cutter_take(struct kt_cutter *c, const struct kt_record *r, size_t *thread,
		   bool *keep)
{
	int code = KT_OK;

	*thread = 0;
	*keep = false;
	if (c->n_segments == 0) {
		c->known_begin = r->seq == 0;
		c->last = r->seq;
		code = open_segment(c, 0, r->seq);
	} else if (r->seq > c->last + 1) {
		code = open_segment(c, r->seq - c->last - 1, r->seq);
	}
	/* Letters that were spelled have numbers of events before them. */
	c->last = r->seq > c->last ? r->seq : c->last;
	code = code ? code : is_letter(c, r, keep);
	code = code ? code : find_thread(c, r, thread);
	if (!code && *keep) {
		c->threads[*thread].n++;
	}
	return code;
}

/* --- words --- */

void kt_cutter_begin_word(struct kt_cutter *c, size_t thread, size_t segment,
			  struct kt_word_info *info)
{
	struct kt_cut_thread *t = &c->threads[thread];

	info->lost = c->segments[segment].lost - t->counted;
	t->counted = c->segments[segment].lost;
	info->cut_begin = segment > 0 || !c->known_begin;
}

uint64_t kt_cutter_lost_behind(const struct kt_cutter *c, size_t thread)
{
	const struct kt_cut_thread *t = &c->threads[thread];

	return c->segments[t->last].lost - t->counted;
}

bool kt_cutter_cuts_end(const struct kt_cutter *c, size_t segment, bool known_end)
{
	return segment + 1 < c->n_segments || !known_end;
}

size_t kt_cutter_part(const struct kt_cutter *c, size_t thread)
{
	return c->unit == KT_WORD_CHANNEL ? c->threads[thread].tid : thread;
}

int kt_cutter_name_word(char **out, const kt_collector *k, const struct kt_process *p,
			size_t part, size_t fragment, bool fragmented)
{
	char owner[32] = "";
	char piece[32] = "";

	if (k->unit == KT_WORD_THREAD) {
		snprintf(owner, sizeof(owner), ".t%zu", part);
	} else if (k->unit == KT_WORD_CHANNEL) {
		snprintf(owner, sizeof(owner), ".c%zu", part);
	}
	if (fragmented) {
		snprintf(piece, sizeof(piece), ".%zu", fragment);
	}
	if (asprintf(out, "%s/%s.%zu%s%s", k->trace, p->name, p->ordinal, owner, piece) <
	    0) {
		*out = NULL;
		return kt_error(KT_E_MEMORY, "cut words: out of memory");
	}
	return KT_OK;
}

int kt_cutter_name_words(const struct kt_cutter *c, kt_collector *k,
			 const struct kt_process *p, size_t thread,
			 struct kt_collected_word *words, size_t n)
{
	size_t part = n > 0 ? kt_cutter_part(c, thread) : 0;
	int code = KT_OK;

	for (size_t i = 0; i < n && !code; i++) {
		char *name;

		code = kt_cutter_name_word(&name, k, p, part, i, n > 1);
		words[i].info.name = name;
		k->totals.cut_begins += words[i].info.cut_begin;
		k->totals.cut_ends += words[i].info.cut_end;
	}
	return code;
}

void kt_cutter_clear(struct kt_cutter *c)
{
	free(c->segments);
	free(c->threads);
	free(c->slots);
	free(c->stamps);
	memset(c, 0, sizeof(*c));
}
