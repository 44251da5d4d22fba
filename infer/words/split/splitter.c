/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/split/splitter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/split/trace-filter.h"

/*
 * Finds the thread or channel of a record, or adds it. If words are those of processes, all
 * records of a process have the same struct kt_cut_thread.
 */
static int find_thread(struct kt_splitter *c, const struct kt_record *r, size_t *out)
{
	struct kt_hash_probe probe;
	uint32_t tid = 0;
	uint32_t i;

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
	probe = kt_hash_probe(&c->by_tid, kt_hash_number(tid));
	*out = c->n_threads;
	while (*out == c->n_threads && kt_hash_next(&c->by_tid, &probe, &i)) {
		*out = c->threads[i].tid == tid ? i : *out;
	}
	if (*out == c->n_threads) {
		KT_TRY(kt_array_reserve(&c->threads, &c->threads_capacity,
					c->n_threads + 1));
		KT_TRY(kt_hash_add(&c->by_tid, kt_hash_number(tid), c->n_threads));
		c->threads[c->n_threads++] = (struct kt_cut_thread){
			.tid = tid,
			.first = c->n_segments - 1,
			.counted = c->n_segments > 1 ? c->segments[c->n_segments - 2].lost
						     : 0};
	}
	c->latest = *out;
	c->threads[*out].last = c->n_segments - 1;
	return KT_OK;
}

void kt_splitter_set_up(struct kt_splitter *c, kt_collector *k)
{
	c->unit = k->unit;
	c->filtering = k->filtering.filter ? &k->filtering : NULL;
	c->letters = k->letters;
	c->wanted = k->wanted;
	c->first_time = k->first_time;
}

/* Applies --without and --runs. A gap or cut ends a run of equal letters. */
static int filter(struct kt_splitter *c, struct kt_cut_thread *t, uint32_t letter,
		  bool *keep)
{
	if (t->last_kept != c->uncut) {
		t->last_kept = c->uncut;
		t->letter = KT_NO_LETTER;
	}
	return kt_filtering_take(c->filtering, letter, kt_letters_name(c->letters, letter),
				 &t->letter, keep);
}

/*
 * From one event to the next, times may step back a little. --from T therefore selects
 * every event from the first one at or after T on, and --to T every event before the first
 * one after T. The stretches of --to T and --from T + 1 ns neither share nor miss an event.
 */
static void pass_time(struct kt_splitter *c, int64_t time)
{
	const uint64_t since =
		time > c->first_time ? kt_time_between(c->first_time, time) : 0;

	c->begun = c->begun || since >= c->wanted->begin;
	c->over = c->over || since > c->wanted->end;
	c->outside = !c->begun || c->over;
}

static bool has_stretches(const struct kt_splitter *c)
{
	return kt_trace_filter_by_calls(c->wanted);
}

/*
 * Begins a stretch of a thread if a call or phase begins, or if the thread's latest stretch
 * is in an earlier segment.
 */
static int continue_stretch(struct kt_splitter *c, struct kt_cut_thread *t, bool begins,
			    bool at_begin)
{
	if (begins || c->stretches[t->stretch].segment != c->n_segments - 1) {
		KT_TRY(kt_array_reserve(&c->stretches, &c->stretches_capacity,
					c->n_stretches + 1));
		t->stretch = c->n_stretches++;
		c->stretches[t->stretch] =
			(struct kt_stretch){c->n_segments - 1, at_begin, true};
	}
	return KT_OK;
}

/*
 * Determines whether a record is within a selected call of its thread. After a gap no call
 * is known to be open.
 */
static int pass_call(struct kt_splitter *c, struct kt_cut_thread *t,
		     const struct kt_record *r, bool *within)
{
	bool begins = false;

	if (t->in_whole != c->whole) {
		t->in_whole = c->whole;
		t->depth = 0;
	}
	if (r->kind == KT_EVENT_ENTER) {
		begins = t->depth++ == 0;
	}
	*within = t->depth > 0;
	if (*within) {
		KT_TRY(continue_stretch(c, t, begins, false));
	}
	/*
	 * If a gap came after the beginning of a call, the call is no longer known to be
	 * open, and its return changes nothing.
	 */
	if (*within && r->kind == KT_EVENT_RETURN && r->mapping <= t->depth) {
		t->depth -= r->mapping;
		c->stretches[t->stretch].open = t->depth > 0;
	}
	return KT_OK;
}

/* Begins, continues or ends the stretch of a thread in the selected phases. */
static int pass_phase(struct kt_splitter *c, struct kt_cut_thread *t, bool within)
{
	const bool at_begin = t->seen != c->n_segments;
	const bool begins = t->depth == 0;

	t->seen = c->n_segments;
	t->depth = within;
	/*
	 * A stretch of an earlier segment ended with that segment, not with its phase, so
	 * it stays `open`.
	 */
	if (!within && !begins && !at_begin) {
		c->stretches[t->stretch].open = false;
	}
	return within ? continue_stretch(c, t, begins, at_begin) : KT_OK;
}

size_t kt_splitter_piece(const struct kt_splitter *c, size_t thread)
{
	return has_stretches(c) ? c->threads[thread].stretch : c->n_segments - 1;
}

size_t kt_splitter_segment_of(const struct kt_splitter *c, size_t piece)
{
	return has_stretches(c) ? c->stretches[piece].segment : piece;
}

/*
 * Decides whether the letter of an access is kept: with run:open if the access begins a
 * run, with run:once if the letter is new in its run. Any other letter ends the run.
 */
static int pass_run(struct kt_splitter *c, const struct kt_record *r, bool *keep)
{
	bool opens = !c->in_run || c->mapping != r->mapping;

	if (r->run == KT_RUN_NONE) {
		c->in_run = false;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&c->stamps, &c->stamps_capacity, (size_t)r->letter + 1));
	while (c->n_stamps <= r->letter) {
		c->stamps[c->n_stamps++] = 0;
	}
	c->run += opens;
	c->in_run = true;
	c->mapping = r->mapping;
	*keep = r->run == KT_RUN_OPEN ? opens : c->stamps[r->letter] != c->run;
	c->stamps[r->letter] = c->run;
	return KT_OK;
}

int kt_splitter_take(struct kt_splitter *c, const struct kt_record *r, bool in_phase,
		     size_t *thread, bool *keep)
{
	const bool first = c->n_segments == 0;
	const bool gap = !first && r->seq > c->last + 1;
	const bool cut = kt_record_cuts(r);
	const bool gives_up = r->kind == KT_EVENT_GIVEN_UP;
	const bool was_outside = c->outside;
	/* Evaluated for every record, so that the filter knows all threads of the trace. */
	const bool chosen = !c->wanted || kt_trace_filter_thread(c->wanted, r->tid);

	*thread = 0;
	*keep = false;
	/*
	 * An encoded letter has the number of an earlier event, whose time was already
	 * handled.
	 */
	if (c->wanted && (first || r->seq > c->last)) {
		pass_time(c, r->time);
	}
	if (first || gap || cut || c->outside != was_outside) {
		/* Events missing outside of the selected stretch do not count as lost. */
		const bool misses = gap && !c->outside && !was_outside;
		uint64_t lost = 0;

		KT_TRY(kt_array_reserve(&c->segments, &c->segments_capacity,
					c->n_segments + 1));
		if (first) {
			c->known_begin = r->seq == 0;
			c->last = r->seq;
		} else {
			lost = c->segments[c->n_segments - 1].lost;
		}
		if (misses) {
			lost = kt_lost_add(lost, r->seq - c->last - 1);
		}
		c->segments[c->n_segments++] =
			(struct kt_segment){r->seq, lost, misses || gives_up};
	}
	if (first || gap || cut) {
		c->in_run = false;
		c->uncut++;
		c->whole += !cut || gap;
	}
	/*
	 * Keep the highest number so far, because an encoded letter has the number of an
	 * earlier event.
	 */
	c->last = r->seq > c->last ? r->seq : c->last;
	*keep = r->letter != KT_NO_LETTER;
	if (*keep) {
		KT_TRY(pass_run(c, r, keep));
	}
	KT_TRY(find_thread(c, r, thread));
	/*
	 * Letters of threads and channels that are not selected are dropped before --runs
	 * is applied, so they do not end a run of equal letters.
	 */
	*keep = *keep && chosen &&
		(!c->wanted || kt_trace_filter_channel(c->wanted, r->detail));
	if (*keep && c->filtering) {
		KT_TRY(filter(c, &c->threads[*thread], r->letter, keep));
	}
	if (has_stretches(c)) {
		struct kt_cut_thread *t = &c->threads[*thread];
		bool within = in_phase;

		KT_TRY(c->wanted->call ? pass_call(c, t, r, &within)
				       : pass_phase(c, t, within));
		*keep = *keep && within;
	}
	c->given_up = c->given_up || gives_up;
	*keep = *keep && !c->outside && !c->given_up;
	if (*keep) {
		c->threads[*thread].n++;
	}
	return KT_OK;
}

/* --- words --- */

/* Returns whether a piece begins with its call or phase, not with its segment. */
static bool is_chosen_begin(const struct kt_splitter *c, size_t piece)
{
	return has_stretches(c) && !c->stretches[piece].at_begin;
}

static bool is_chosen_end(const struct kt_splitter *c, size_t piece)
{
	return has_stretches(c) && !c->stretches[piece].open;
}

void kt_splitter_begin_word(struct kt_splitter *c, size_t thread, size_t piece,
			    struct kt_word_info *info)
{
	struct kt_cut_thread *t = &c->threads[thread];
	const size_t segment = kt_splitter_segment_of(c, piece);

	info->lost = c->segments[segment].lost - t->counted;
	t->counted = c->segments[segment].lost;
	info->cut_begin = segment > 0 || !c->known_begin || is_chosen_begin(c, piece);
}

uint64_t kt_splitter_lost_after(const struct kt_splitter *c, size_t thread)
{
	const struct kt_cut_thread *t = &c->threads[thread];

	return c->segments[t->last].lost - t->counted;
}

bool kt_splitter_cuts_end(const struct kt_splitter *c, size_t piece, bool known_end)
{
	return kt_splitter_segment_of(c, piece) + 1 < c->n_segments || !known_end ||
	       is_chosen_end(c, piece);
}

bool kt_splitter_truncates(const struct kt_splitter *c, size_t piece, bool known_end)
{
	const size_t segment = kt_splitter_segment_of(c, piece);
	const bool begin = segment == 0 ? !c->known_begin : c->segments[segment].after_gap;
	const bool end = segment + 1 < c->n_segments ? c->segments[segment + 1].after_gap
						     : !known_end;

	return (begin && !is_chosen_begin(c, piece)) || (end && !is_chosen_end(c, piece));
}

size_t kt_splitter_part(const struct kt_splitter *c, size_t thread)
{
	return c->unit == KT_WORD_CHANNEL ? c->threads[thread].tid : thread;
}

int kt_splitter_name_word(char **out, const kt_collector *k, const char *process,
			  size_t ordinal, size_t part, size_t fragment, bool fragmented)
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
	if (asprintf(out, "%s/%s.%zu%s%s", k->trace, process, ordinal, owner, piece) < 0) {
		*out = NULL;
		return kt_no_memory("name words");
	}
	return KT_OK;
}

int kt_splitter_name_words(const struct kt_splitter *c, kt_collector *k,
			   const struct kt_process *p, size_t thread,
			   struct kt_collected_word *words, size_t n)
{
	size_t part = n > 0 ? kt_splitter_part(c, thread) : 0;

	for (size_t i = 0; i < n; i++) {
		char *name;

		KT_TRY(kt_splitter_name_word(&name, k, p->name, p->ordinal, part, i,
					     n > 1));
		words[i].info.name = name;
		k->totals.cut_begins += words[i].info.cut_begin;
		k->totals.cut_ends += words[i].info.cut_end;
	}
	return KT_OK;
}

void kt_splitter_clear(struct kt_splitter *c)
{
	free(c->segments);
	free(c->stretches);
	free(c->threads);
	kt_hash_free(&c->by_tid);
	free(c->stamps);
	memset(c, 0, sizeof(*c));
}
