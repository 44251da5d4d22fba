/* SPDX-License-Identifier: MIT */
/*
 * From a process's events, sorted, to its words: cut where events are missing, runs of
 * accesses formed, dealt out to threads or channels if that is asked for.
 */
#define _GNU_SOURCE
#include "infer/words/collector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* Events between two gaps. */
struct segment {
	uint64_t first; /* sequence number of its first event */
	uint64_t lost;  /* missing in front of this one and of all before it */
};

/* What letters are dealt out to: a thread, a channel, or all of the process. */
struct thread {
	uint32_t tid; /* of a channel its ordinal */
	size_t first; /* segment of its first event */
	size_t last;  /* segment of its last event */
	size_t n;     /* letters */
};

struct cutter {
	kt_collector *collector;    /* Weak */
	struct kt_process *process; /* Weak */
	struct segment *segments;
	size_t n_segments;
	size_t segments_capacity;
	struct thread *threads; /* in order of first event */
	size_t n_threads;
	size_t threads_capacity;
	size_t latest; /* thread of the event before */
	size_t *slots; /* hash of tids -> index + 1 */
	size_t n_slots;
	bool in_run;
	uint32_t mapping; /* of the run */
	uint64_t run;     /* its number, from 1 */
	uint64_t *stamps; /* letter -> the last run that gave it */
	size_t n_stamps;
	size_t stamps_capacity;
};

/* --- threads --- */

static size_t *find_thread_slot(struct cutter *c, uint32_t tid)
{
	size_t mask = c->n_slots - 1;
	size_t i = (tid * 2654435761u) & mask;

	while (c->slots[i] && c->threads[c->slots[i] - 1].tid != tid) {
		i = (i + 1) & mask;
	}
	return &c->slots[i];
}

static int grow_thread_slots(struct cutter *c)
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
static int find_thread(struct cutter *c, const struct kt_record *r, size_t *out)
{
	uint32_t tid = 0;
	size_t *slot;
	int code;

	if (c->collector->unit == KT_WORD_THREAD) {
		tid = r->tid;
	} else if (c->collector->unit == KT_WORD_CHANNEL) {
		tid = r->mapping;
		if (tid == KT_NO_CHANNEL) {
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
		c->threads[c->n_threads++] =
			(struct thread){.tid = tid, .first = c->n_segments - 1};
		*slot = c->n_threads;
	}
	c->latest = *out = *slot - 1;
	c->threads[*out].last = c->n_segments - 1;
	return KT_OK;
}

/* --- runs and gaps --- */

/* Whether an event of a run rule gives its letter. */
static int is_run_letter(struct cutter *c, const struct kt_record *r, bool *out)
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

static int is_letter(struct cutter *c, const struct kt_record *r, bool *out)
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

static int open_segment(struct cutter *c, uint64_t missing, uint64_t first)
{
	uint64_t lost = c->n_segments ? c->segments[c->n_segments - 1].lost : 0;
	int code = kt_array_reserve(&c->segments, &c->segments_capacity, c->n_segments + 1);

	if (!code) {
		c->segments[c->n_segments++] = (struct segment){first, lost + missing};
		c->collector->totals.lost += missing;
		c->in_run = false;
	}
	return code;
}

/*
 * Keeps the records that are letters. Their `mapping`, no longer needed, becomes the index
 * of their thread; the runs are formed before letters are dealt out.
 */
static int compact(struct cutter *c)
{
	struct kt_record *records = c->process->records;
	uint64_t last = records[0].seq;
	size_t kept = 0;
	int code = open_segment(c, 0, records[0].seq);

	for (size_t i = 0; i < c->process->n && !code; i++) {
		struct kt_record r = records[i];
		size_t thread = 0;
		bool keep = false;

		/* Letters that were spelled have numbers of events before them. */
		if (i > 0 && r.seq > last + 1) {
			code = open_segment(c, r.seq - last - 1, r.seq);
		}
		last = r.seq > last ? r.seq : last;
		code = code ? code : is_letter(c, &r, &keep);
		code = code ? code : find_thread(c, &r, &thread);
		if (!code && keep) {
			r.mapping = (uint32_t)thread;
			c->threads[thread].n++;
			records[kept++] = r;
		}
	}
	c->process->n = kept;
	return code;
}

/* --- words --- */

static int name_word(char **out, const struct cutter *c, size_t thread, size_t fragment,
		     bool fragmented)
{
	const struct kt_process *p = c->process;
	char part[32] = "";
	char piece[32] = "";

	if (c->collector->unit == KT_WORD_THREAD) {
		snprintf(part, sizeof(part), ".t%zu", thread);
	} else if (c->collector->unit == KT_WORD_CHANNEL) {
		snprintf(part, sizeof(part), ".c%" PRIu32, c->threads[thread].tid);
	}
	if (fragmented) {
		snprintf(piece, sizeof(piece), ".%zu", fragment);
	}
	if (asprintf(out, "%s/%s.%zu%s%s", c->collector->trace, p->name, p->ordinal, part,
		     piece) < 0) {
		*out = NULL;
		return kt_error(KT_E_MEMORY, "cut words: out of memory");
	}
	return KT_OK;
}

static int add_word(struct cutter *c, const struct kt_record *letters, size_t n,
		    const struct kt_word_info *info)
{
	kt_collector *k = c->collector;
	int code = kt_array_reserve(&k->words, &k->words_capacity, k->n_words + 1);

	if (!code) {
		k->words[k->n_words++] = (struct kt_collected_word){*info, letters, n};
	}
	return code;
}

/* Names the words from..end of a thread once it is known whether there are several. */
static int name_words(struct cutter *c, size_t thread, size_t from)
{
	kt_collector *k = c->collector;
	size_t n = k->n_words - from;
	int code = KT_OK;

	for (size_t i = 0; i < n && !code; i++) {
		char *name;

		code = name_word(&name, c, thread, i, n > 1);
		k->words[from + i].info.name = name;
		k->totals.cut_begins += k->words[from + i].info.cut_begin;
		k->totals.cut_ends += k->words[from + i].info.cut_end;
	}
	return code;
}

static bool is_behind(const struct cutter *c, size_t segment, const struct kt_record *r)
{
	return segment + 1 < c->n_segments && r->seq >= c->segments[segment + 1].first;
}

/*
 * Makes the words of one thread from its letters. A fragment without letters is dropped;
 * its loss goes to the one after it, else to the one before.
 */
static int cut_thread(struct cutter *c, size_t thread, const struct kt_record *letters,
		      bool known_begin, bool known_end)
{
	const struct thread *t = &c->threads[thread];
	size_t from = c->collector->n_words;
	uint64_t counted = t->first ? c->segments[t->first - 1].lost : 0;
	size_t segment = t->first;
	int code = KT_OK;

	for (size_t i = 0; i < t->n && !code;) {
		struct kt_word_info info = KT_WORD_INFO_INIT;
		size_t n = 0;

		while (is_behind(c, segment, &letters[i])) {
			segment++;
		}
		while (i + n < t->n && !is_behind(c, segment, &letters[i + n])) {
			n++;
		}
		info.lost = c->segments[segment].lost - counted;
		counted = c->segments[segment].lost;
		info.cut_begin = segment > 0 || !known_begin;
		info.cut_end = segment + 1 < c->n_segments || !known_end;
		info.name = NULL;
		code = add_word(c, letters + i, n, &info);
		i += n;
	}
	if (!code && c->collector->n_words > from) {
		c->collector->words[c->collector->n_words - 1].info.lost +=
			c->segments[t->last].lost - counted;
	}
	return code ? code : name_words(c, thread, from);
}

/* Sorts the letters by thread, keeping their order. */
static int deal_out(struct cutter *c)
{
	struct kt_process *p = c->process;
	struct kt_record *dealt;
	size_t *at;
	size_t sum = 0;

	if (c->n_threads < 2) {
		return KT_OK;
	}
	dealt = malloc((p->n + 1) * sizeof(*dealt));
	at = malloc(c->n_threads * sizeof(*at));
	if (!dealt || !at) {
		free(dealt);
		free(at);
		return kt_error(KT_E_MEMORY, "cut words: out of memory");
	}
	for (size_t i = 0; i < c->n_threads; i++) {
		at[i] = sum;
		sum += c->threads[i].n;
	}
	for (size_t i = 0; i < p->n; i++) {
		dealt[at[p->records[i].mapping]++] = p->records[i];
	}
	free(at);
	kt_process_set_records(p, dealt, p->n + 1);
	return KT_OK;
}

static int cut(struct cutter *c)
{
	struct kt_process *p = c->process;
	bool known_begin = p->records[0].seq == 0;
	bool known_end = p->records[p->n - 1].kind == KT_EVENT_END;
	size_t at = 0;
	int code = compact(c);

	code = code ? code : deal_out(c);
	for (size_t i = 0; i < c->n_threads && !code; i++) {
		code = cut_thread(c, i, p->records + at, known_begin, known_end);
		at += c->threads[i].n;
	}
	return code;
}

int kt_collector_cut(kt_collector *collector, struct kt_process *process)
{
	struct cutter c = {.collector = collector, .process = process};
	int code = cut(&c);

	free(c.segments);
	free(c.threads);
	free(c.slots);
	free(c.stamps);
	return code;
}
