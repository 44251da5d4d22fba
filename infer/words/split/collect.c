/* SPDX-License-Identifier: MIT */
/* Collects events by process instance, and makes words of them after the last event. */
#include "infer/words/split/collector.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "base/utf8.h"
#include "infer/words/split/both.h"
#include "infer/words/split/sources.h"
#include "infer/words/split/trace-filter.h"

static const char *const unit_names[] = {KT_WORD_UNIT_NAMES};

const char *kt_word_unit_name(enum kt_word_unit unit)
{
	return unit_names[unit];
}

enum kt_word_unit kt_word_unit_within(enum kt_word_unit unit,
				      const struct kt_trace_filter *part)
{
	return kt_trace_filter_by_calls(part) && unit == KT_WORD_PROCESS ? KT_WORD_THREAD
									 : unit;
}

int kt_word_unit_of(const char *name, enum kt_word_unit *out)
{
	for (size_t i = 0; i < sizeof(unit_names) / sizeof(unit_names[0]); i++) {
		if (strcmp(name, unit_names[i]) == 0) {
			*out = (enum kt_word_unit)i;
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "a word must be process, thread or channel, not '%s'",
			name);
}

int kt_word_unit_check(enum kt_word_unit unit, const kt_alphabet *alphabet)
{
	if (unit == KT_WORD_CHANNEL && !kt_alphabet_has_channels(alphabet)) {
		return kt_error(
			KT_E_USAGE,
			"a word can be a channel only with the alphabets submission "
			"and methods, not with %s",
			alphabet->name);
	}
	return KT_OK;
}

int kt_collector_new(kt_collector **out, const char *trace, enum kt_word_unit unit,
		     enum kt_source source)
{
	kt_collector *c = calloc(1, sizeof(*c));

	*out = NULL;
	if (c) {
		c->trace = kt_utf8_printable_copy(trace);
		c->unit = unit;
		c->source = source;
		c->deadline = INT64_MAX;
		c->instances.size = sizeof(struct kt_process);
	}
	if (!c || !c->trace) {
		free(c);
		return kt_no_memory("collect words");
	}
	*out = c;
	return KT_OK;
}

void kt_collector_free(kt_collector *collector)
{
	if (!collector) {
		return;
	}
	for (size_t i = 0; i < collector->instances.n; i++) {
		struct kt_process *process = kt_collector_process(collector, i);

		kt_process_set_records(process, NULL, 0);
		kt_stream_free(process->stream, collector);
	}
	kt_instances_free(&collector->instances);
	for (size_t i = 0; i < collector->n_pid_names; i++) {
		free(collector->pid_names[i].name);
	}
	for (size_t i = 0; i < collector->n_words; i++) {
		free((void *)(uintptr_t)collector->words[i].info.name);
	}
	kt_filtering_clear(&collector->filtering);
	free(collector->pid_names);
	free(collector->words);
	free(collector->streamed);
	free(collector->irqs);
	free(collector->irq_origins);
	free(collector->trace);
	free(collector);
}

/* --- events --- */

int kt_collector_pass_time(kt_collector *c, int64_t now)
{
	return now <= c->deadline ? KT_OK : kt_stream_expire(c, now);
}

int kt_collector_arrive(kt_collector *c, const struct kt_origin *origin,
			const struct kt_record *record, struct kt_arrival *out)
{
	if (c->totals.events++ == 0) {
		c->first_time = record->time;
	}
	return kt_instances_take(&c->instances, origin, record->seq,
				 (enum kt_event_kind)record->kind, record->time, out);
}

int kt_collector_put(kt_collector *c, const struct kt_arrival *arrival,
		     const struct kt_record *record)
{
	struct kt_record own = *record;
	struct kt_process *p = (struct kt_process *)arrival->instance;

	if (arrival->opens && c->listener && c->source != KT_SOURCE_BOTH) {
		KT_TRY(kt_stream_new(&p->stream));
		if (p->instance.before) {
			KT_TRY(kt_stream_close(c, (struct kt_process *)p->instance.before));
		}
	}
	own.seq = arrival->seq;
	if (p->stream) {
		KT_TRY(kt_stream_add(c, p, &own));
	} else {
		if (p->n == p->capacity) {
			KT_TRY(kt_process_grow(p));
		}
		p->records[p->n++] = own;
	}
	return kt_collector_pass_time(c, record->time);
}

int kt_collector_add(kt_collector *c, const struct kt_origin *origin,
		     const struct kt_record *record)
{
	struct kt_arrival arrival;

	KT_TRY(kt_collector_arrive(c, origin, record, &arrival));
	return kt_collector_put(c, &arrival, record);
}

bool kt_collector_reads_both(const kt_collector *collector)
{
	return collector->source == KT_SOURCE_BOTH;
}

bool kt_collector_leaves_out(const kt_collector *collector, const struct kt_origin *origin)
{
	return origin->kernel == (collector->source != KT_SOURCE_KERNEL);
}

bool kt_collector_keeps_others(const kt_collector *collector)
{
	bool keeps = false;

	for (size_t i = 0; i < collector->instances.n; i++) {
		const struct kt_instance *instance = collector->instances.items[i];

		keeps = keeps || (kt_collector_leaves_out(collector, &instance->origin) &&
				  instance->acts && !instance->dropped);
	}
	return keeps;
}

struct kt_instance *kt_collector_instance(const kt_collector *collector)
{
	return collector->instances.last;
}

/* --- after the last event --- */

static int compare_records(const void *a, const void *b)
{
	uint64_t x = ((const struct kt_record *)a)->seq;
	uint64_t y = ((const struct kt_record *)b)->seq;

	return (x > y) - (x < y);
}

void kt_collector_set_encoding(kt_collector *collector, const struct kt_encoding *encoding,
			       void *context)
{
	collector->encoding = encoding;
	collector->encoding_context = context;
}

void kt_collector_set_filter(kt_collector *collector, const struct kt_letter_filter *filter,
			     const kt_letters *letters)
{
	collector->filtering.filter = filter;
	collector->letters = letters;
}

void kt_collector_select(kt_collector *collector, const struct kt_trace_filter *filter)
{
	collector->wanted = filter && filter->any ? filter : NULL;
	collector->unit = kt_word_unit_within(collector->unit, collector->wanted);
}

void kt_collector_listen(kt_collector *collector, const struct kt_word_listener *listener)
{
	collector->listener = listener;
}

bool kt_collector_listens(const kt_collector *collector)
{
	return collector->listener;
}

/*
 * Sorts the records of a process. Events are usually at most a few positions out of order,
 * so insertion sort is fast. If it needs more than 8 moves per record on average, qsort()
 * takes over.
 */
static void sort_records(struct kt_process *p)
{
	size_t budget = 8 * p->n;

	for (size_t j = 1; p->instance.numbers.unsorted && j < p->n; j++) {
		struct kt_record r = p->records[j];
		size_t to = j;

		while (to > 0 && p->records[to - 1].seq > r.seq && budget > 0) {
			p->records[to] = p->records[to - 1];
			to--;
			budget--;
		}
		p->records[to] = r;
		if (budget == 0) {
			qsort(p->records, p->n, sizeof(*p->records), compare_records);
			break;
		}
	}
	p->instance.numbers.unsorted = false;
}

/* Reports the words of a process, from c->words[from] on, to the listener. */
static int report_words(kt_collector *c, const struct kt_process *p, size_t from)
{
	for (size_t i = from; i < c->n_words; i++) {
		struct kt_collected_word *word = &c->words[i];
		const struct kt_streamed_word streamed = {.number = i,
							  .pid = p->instance.origin.pid,
							  .cut_begin =
								  word->info.cut_begin};

		KT_TRY(c->listener->begin(c->listener->context, &streamed));
		for (uint64_t j = 0; j < word->n; j++) {
			KT_TRY(c->listener->letter(c->listener->context, i,
						   &word->letters[j]));
		}
		KT_TRY(c->listener->end(c->listener->context, i));
		word->letters = NULL;
	}
	return KT_OK;
}

int kt_collector_finish(kt_collector *c)
{
	const bool both = c->source == KT_SOURCE_BOTH;

	KT_TRY(kt_sources_choose(c->instances.items, c->instances.n, c->source));
	KT_TRY(kt_collector_name_processes(c));
	if (both) {
		KT_TRY(kt_both_prepare(c));
	}
	for (size_t i = 0; i < c->instances.n; i++) {
		struct kt_process *p = kt_collector_process(c, i);
		const size_t first = c->n_words;

		if (p->instance.dropped) {
			continue;
		}
		if (p->stream) {
			KT_TRY(kt_stream_close(c, p));
			KT_TRY(kt_stream_cut(c, p));
			continue;
		}
		if (c->wanted &&
		    !kt_trace_filter_process(c->wanted, p->name, p->instance.origin.pid)) {
			kt_process_set_records(p, NULL, 0);
			continue;
		}
		sort_records(p);
		if (c->encoding) {
			struct kt_record *encoded = NULL;
			size_t n = 0;

			KT_TRY(c->encoding->all(c->encoding_context, p->records, p->n,
						&encoded, &n));
			kt_process_set_records(p, encoded, n);
			p->n = n;
		}
		for (struct kt_process *part = p->parts; part; part = part->next) {
			sort_records(part);
		}
		if (both) {
			KT_TRY(kt_both_merge(c, p));
		}
		KT_TRY(kt_collector_cut(c, p));
		if (both && c->listener) {
			KT_TRY(report_words(c, p, first));
		}
	}
	return KT_OK;
}

size_t kt_collector_count(const kt_collector *collector)
{
	return collector->n_words;
}

const struct kt_collected_word *kt_collector_word(const kt_collector *collector, size_t i)
{
	return i < collector->n_words ? &collector->words[i] : NULL;
}

const struct kt_collect_totals *kt_collector_totals(const kt_collector *collector)
{
	return &collector->totals;
}
