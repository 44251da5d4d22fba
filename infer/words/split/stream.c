/* SPDX-License-Identifier: MIT */
/*
 * Makes a process's words as its events arrive, keeping only events that wait for a missing
 * earlier one.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/split/splitter.h"
#include "infer/words/split/pending.h"
#include "infer/words/split/phase-cut.h"
#include "infer/words/split/trace-filter.h"

#define NONE SIZE_MAX

/* A word, finished or still growing. */
struct fragment {
	size_t number; /* number by which the listener knows the word */
	size_t thread;
	size_t ordinal; /* among the fragments of the thread */
	size_t piece;   /* kt_splitter_piece() */
	size_t next;    /* next fragment of the thread; NONE: none yet */
	uint64_t n;     /* number of letters */
	uint64_t lost;
	bool cut_begin;
};

/* First and last fragment of a thread; NONE: no fragment. */
struct ends {
	size_t first;
	size_t last;
	bool open; /* the last fragment may get more letters */
};

struct kt_stream {
	struct kt_splitter splitter;
	struct kt_phase_cut phases; /* with --phase */
	void *encoder; /* Owned by this; made by the collector's encoding; NULL: none yet */
	bool ended;    /* the latest record was a process_end */
	bool closed;   /* no more records arrive */
	bool judged;   /* `unwanted` is known */
	bool unwanted; /* --process does not select the process */
	int64_t over;  /* the ended process is closed after this time; INT64_MAX: never */
	struct kt_pending pending;  /* items: struct kt_record */
	struct fragment *fragments; /* Owned by this */
	size_t n_fragments;
	size_t fragments_capacity;
	struct ends *ends; /* Owned by this; index: thread */
	size_t n_ends;
	size_t ends_capacity;
};

int kt_stream_new(struct kt_stream **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_no_memory("collect words");
	}
	(*out)->over = INT64_MAX;
	return KT_OK;
}

/* Frees the data needed only while records arrive. */
static void shrink(struct kt_stream *s, const kt_collector *c)
{
	if (s->encoder) {
		c->encoding->end(s->encoder);
	}
	s->encoder = NULL;
	kt_pending_clear(&s->pending);
	kt_phase_cut_clear(&s->phases);
}

void kt_stream_free(struct kt_stream *stream, const kt_collector *collector)
{
	if (stream) {
		shrink(stream, collector);
		kt_splitter_clear(&stream->splitter);
		free(stream->fragments);
		free(stream->ends);
		free(stream);
	}
}

/* --- letters --- */

static int end_word(kt_collector *c, struct kt_stream *s, struct ends *ends)
{
	if (!ends->open) {
		return KT_OK;
	}
	ends->open = false;
	return c->listener->end(c->listener->context, s->fragments[ends->last].number);
}

/* Begins a word for the latest piece of a thread. */
static int begin_word(kt_collector *c, struct kt_process *p, size_t thread)
{
	struct kt_stream *s = p->stream;
	struct ends *ends = &s->ends[thread];
	struct kt_word_info info = KT_WORD_INFO_INIT;
	struct fragment f = {.number = c->n_streamed,
			     .thread = thread,
			     .piece = kt_splitter_piece(&s->splitter, thread),
			     .next = NONE};
	struct kt_streamed_word word = {.number = f.number, .pid = p->instance.origin.pid};

	KT_TRY(end_word(c, s, ends));
	kt_splitter_begin_word(&s->splitter, thread, f.piece, &info);
	f.lost = info.lost;
	word.cut_begin = f.cut_begin = info.cut_begin;
	word.provisional = p->instance.origin.kernel == (c->source != KT_SOURCE_KERNEL);
	f.ordinal = ends->last == NONE ? 0 : s->fragments[ends->last].ordinal + 1;
	KT_TRY(kt_array_reserve(&s->fragments, &s->fragments_capacity, s->n_fragments + 1));
	KT_TRY(kt_array_reserve(&c->streamed, &c->streamed_capacity, c->n_streamed + 1));
	c->streamed[c->n_streamed++] = (struct kt_streamed){p, s->n_fragments};
	if (ends->last == NONE) {
		ends->first = s->n_fragments;
	} else {
		s->fragments[ends->last].next = s->n_fragments;
	}
	ends->last = s->n_fragments;
	ends->open = true;
	s->fragments[s->n_fragments++] = f;
	return c->listener->begin(c->listener->context, &word);
}

/* --- records in order --- */

/* Returns whether --process selects the process, by its name at the first letter. */
static bool is_wanted(const kt_collector *c, struct kt_process *p)
{
	struct kt_stream *s = p->stream;

	if (!s->judged) {
		s->judged = true;
		s->unwanted = !kt_trace_filter_process(
			c->wanted, kt_collector_name_of(c, &p->instance),
			p->instance.origin.pid);
	}
	return !s->unwanted;
}

static bool has_phases(const kt_collector *c)
{
	return c->wanted && c->wanted->phase;
}

struct taker {
	kt_collector *collector;
	struct kt_process *process;
};

/* Reports the letter of a record to the listener if it belongs to a word. */
static int take(void *context, const struct kt_record *record, bool in_phase)
{
	const struct taker *taker = context;
	kt_collector *c = taker->collector;
	struct kt_process *p = taker->process;
	struct kt_stream *s = p->stream;
	struct fragment *f;
	size_t thread;
	bool keep;

	KT_TRY(kt_splitter_take(&s->splitter, record, in_phase, &thread, &keep));
	if (!keep || (c->wanted && !is_wanted(c, p))) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&s->ends, &s->ends_capacity, thread + 1));
	while (s->n_ends <= thread) {
		s->ends[s->n_ends++] = (struct ends){NONE, NONE, false};
	}
	if (!s->ends[thread].open || s->fragments[s->ends[thread].last].piece !=
					     kt_splitter_piece(&s->splitter, thread)) {
		KT_TRY(begin_word(c, p, thread));
	}
	f = &s->fragments[s->ends[thread].last];
	f->n++;
	return c->listener->letter(c->listener->context, f->number, record);
}

/* Encodes the next record (NULL after the last one) and reports the letters. */
static int encode(kt_collector *c, struct kt_process *p, const struct kt_record *record,
		  bool gap)
{
	struct kt_stream *s = p->stream;
	struct taker taker = {c, p};
	const bool by_phase = has_phases(c);
	const struct kt_record *encoded = record;
	size_t n = record != NULL;

	if (c->encoding && !s->encoder) {
		KT_TRY(c->encoding->begin(c->encoding_context, &s->encoder));
	}
	if (c->encoding) {
		KT_TRY(c->encoding->take(s->encoder, record, gap, &encoded, &n));
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY(by_phase ? kt_phase_cut_put(&s->phases, c->wanted, &encoded[i], take,
						   &taker)
				: take(&taker, &encoded[i], false));
	}
	return !record && by_phase
		       ? kt_phase_cut_finish(&s->phases, c->wanted, s->ended, take, &taker)
		       : KT_OK;
}

static int64_t deadline_of(const struct kt_record *record)
{
	return record->time > INT64_MAX - KT_STREAM_PATIENCE
		       ? INT64_MAX
		       : record->time + KT_STREAM_PATIENCE;
}

static int give_out(kt_collector *c, struct kt_process *p, const struct kt_record *record)
{
	struct kt_stream *s = p->stream;
	bool gap = kt_pending_pass(&s->pending, record->seq) > 0;
	int64_t deadline = deadline_of(record);
	int64_t up = KT_STREAM_PATIENCE - 1 - (deadline - 1) % KT_STREAM_PATIENCE;

	kt_splitter_set_up(&s->splitter, c);
	s->ended = record->kind == KT_EVENT_END;
	/*
	 * The encoder of a process is large, so it is freed a while after the process ends;
	 * records that still wait for a phase then get the phase of the process's end.
	 * Finding processes to close takes O(processes), so deadlines are rounded up to
	 * multiples of KT_STREAM_PATIENCE: one search then finds many.
	 */
	s->over = INT64_MAX;
	if ((c->encoding || has_phases(c)) && s->ended && deadline > 0 &&
	    deadline <= INT64_MAX - up) {
		s->over = deadline + up;
		c->deadline = s->over < c->deadline ? s->over : c->deadline;
	}
	return encode(c, p, record, gap);
}

/* Releases records that need not wait at `now`; at most `window` stay pending. */
static int release(kt_collector *c, struct kt_process *p, size_t window, int64_t now)
{
	struct kt_pending *pending = &p->stream->pending;

	while (pending->n > 0) {
		const struct kt_record *r = kt_pending_at(pending, 0, sizeof(*r));
		const int64_t deadline = deadline_of(r);

		if (!kt_pending_ready(pending, window, sizeof(*r)) && now <= deadline) {
			c->deadline = deadline < c->deadline ? deadline : c->deadline;
			break;
		}
		kt_pending_drop(pending);
		KT_TRY(give_out(c, p, r));
	}
	return KT_OK;
}

int kt_stream_add(kt_collector *c, struct kt_process *p, const struct kt_record *record)
{
	struct kt_stream *s = p->stream;

	if (s->closed || record->seq < s->pending.next) {
		c->totals.late++;
		if (c->encoding) {
			c->encoding->drop(c->encoding_context, record);
		}
		return KT_OK;
	}
	/* Events without sequence numbers are taken in order of arrival. */
	if (p->instance.origin.no_seq || kt_pending_is_next(&s->pending, record->seq)) {
		return give_out(c, p, record);
	}
	KT_TRY(kt_pending_add(&s->pending, record, sizeof(*record)));
	return release(c, p, KT_STREAM_WINDOW, INT64_MIN);
}

int kt_stream_expire(kt_collector *c, int64_t now)
{
	if (!c->listener) {
		return KT_OK;
	}
	c->deadline = INT64_MAX;
	for (size_t i = 0; i < c->instances.n; i++) {
		struct kt_process *p = kt_collector_process(c, i);
		const struct kt_stream *s = p->stream;

		KT_TRY(release(c, p, KT_STREAM_WINDOW, now));
		if (s->over >= now && s->over < c->deadline) {
			c->deadline = s->over;
		}
		if (s->over < now && s->pending.n == 0) {
			KT_TRY(kt_stream_close(c, p));
		}
	}
	return KT_OK;
}

/* --- the end --- */

int kt_stream_close(kt_collector *c, struct kt_process *p)
{
	struct kt_stream *s = p->stream;
	int code;

	if (s->closed) {
		return KT_OK;
	}
	KT_TRY_END(release(c, p, 0, INT64_MAX));
	KT_TRY_END(encode(c, p, NULL, false));
	for (size_t i = 0; i < s->n_ends; i++) {
		KT_TRY_END(end_word(c, s, &s->ends[i]));
	}
end:
	for (size_t i = 0; i < s->splitter.n_threads && c->unit == KT_WORD_CHANNEL; i++) {
		if (s->encoder && s->splitter.threads[i].tid == KT_NO_CHANNEL) {
			s->splitter.threads[i].tid = c->encoding->strays(s->encoder);
		}
	}
	s->closed = true;
	shrink(s, c);
	return code;
}

int kt_stream_cut(kt_collector *c, struct kt_process *p)
{
	const struct kt_stream *s = p->stream;

	for (size_t thread = 0; thread < s->n_ends; thread++) {
		size_t from = c->n_words;

		for (size_t i = s->ends[thread].first; i != NONE;
		     i = s->fragments[i].next) {
			const struct fragment *f = &s->fragments[i];
			struct kt_collected_word word = {.number = f->number,
							 .n = f->n,
							 .process = p->instance.number};

			word.info.lost = f->lost;
			word.info.cut_begin = f->cut_begin;
			word.info.cut_end =
				kt_splitter_cuts_end(&s->splitter, f->piece, s->ended);
			c->totals.truncated +=
				kt_splitter_truncates(&s->splitter, f->piece, s->ended);
			KT_TRY(kt_array_reserve(&c->words, &c->words_capacity,
						c->n_words + 1));
			c->words[c->n_words++] = word;
		}
		if (c->n_words > from) {
			c->words[c->n_words - 1].info.lost +=
				kt_splitter_lost_after(&s->splitter, thread);
		}
		KT_TRY(kt_splitter_name_words(&s->splitter, c, p, thread, c->words + from,
					      c->n_words - from));
	}
	if (s->splitter.n_segments > 0 && !s->unwanted) {
		c->totals.lost += s->splitter.segments[s->splitter.n_segments - 1].lost;
	}
	return KT_OK;
}

int kt_collector_name_now(char **out, const kt_collector *c, size_t number)
{
	const struct kt_streamed *streamed = &c->streamed[number];
	const struct kt_instance *instance;
	const struct kt_stream *s;
	const struct fragment *f;
	const char *name;
	size_t part;
	size_t ordinal = 0;

	/*
	 * Words of both sources are reported when they are complete, so their names are
	 * final.
	 */
	if (c->source == KT_SOURCE_BOTH) {
		*out = strdup(c->words[number].info.name);
		return *out ? KT_OK : kt_no_memory("name words");
	}
	instance = &streamed->process->instance;
	s = streamed->process->stream;
	f = &s->fragments[streamed->fragment];
	name = kt_collector_name_of(c, instance);
	part = kt_splitter_part(&s->splitter, f->thread);
	for (size_t i = 0; i < instance->index; i++) {
		const struct kt_instance *other = c->instances.items[i];

		ordinal += !other->dropped &&
			   strcmp(kt_collector_name_of(c, other), name) == 0;
	}
	/* Letters of unknown channels get the ordinal after the last channel. */
	if (s->encoder && c->unit == KT_WORD_CHANNEL && part == KT_NO_CHANNEL) {
		part = c->encoding->strays(s->encoder);
	}
	return kt_splitter_name_word(out, c, name, ordinal, part, f->ordinal,
				     f->ordinal > 0);
}
