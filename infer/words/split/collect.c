/* SPDX-License-Identifier: MIT */
/* Takes events in and tells the lives of processes apart. */
#include "infer/words/split/collector.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"
#include "infer/words/split/sides.h"

int kt_word_unit_of(const char *name, enum kt_word_unit *out)
{
	static const char *const names[] = {
		[KT_WORD_PROCESS] = "process",
		[KT_WORD_THREAD] = "thread",
		[KT_WORD_CHANNEL] = "channel",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			*out = (enum kt_word_unit)i;
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "a word must be process, thread or channel, not '%s'",
			name);
}

int kt_source_of(const char *name, enum kt_source *out)
{
	bool kernel = strcmp(name, "kernel") == 0;

	*out = kernel ? KT_SOURCE_KERNEL : KT_SOURCE_USER;
	return kernel || strcmp(name, "user") == 0
		       ? KT_OK
		       : kt_error(
				 KT_E_USAGE,
				 "parse options: --source must be user or kernel, not '%s'",
				 name);
}

int kt_word_unit_check(enum kt_word_unit unit, const kt_alphabet *alphabet)
{
	if (unit == KT_WORD_CHANNEL && alphabet->commands == KT_COMMANDS_NONE) {
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
	}
	if (!c || !c->trace) {
		free(c);
		return kt_error(KT_E_MEMORY, "collect words: out of memory");
	}
	*out = c;
	return KT_OK;
}

void kt_collector_free(kt_collector *collector)
{
	if (!collector) {
		return;
	}
	for (size_t i = 0; i < collector->n_processes; i++) {
		free(collector->processes[i].name);
		kt_process_set_records(&collector->processes[i], NULL, 0);
		kt_life_numbers_free(&collector->processes[i].numbers);
		kt_stream_free(collector->processes[i].stream, collector);
	}
	for (size_t i = 0; i < collector->n_pid_names; i++) {
		free(collector->pid_names[i].name);
	}
	for (size_t i = 0; i < collector->n_words; i++) {
		free((void *)(uintptr_t)collector->words[i].info.name);
	}
	free(collector->processes);
	free(collector->slots);
	free(collector->pid_names);
	free(collector->words);
	free(collector->streamed);
	free(collector->trace);
	free(collector);
}

/* --- from an origin to its youngest process --- */

static bool same_origin(const struct kt_origin *a, const struct kt_origin *b)
{
	return a->pid == b->pid && a->trace == b->trace && a->kernel == b->kernel;
}

static size_t *find_slot(kt_collector *c, const struct kt_origin *origin)
{
	size_t mask = c->n_slots - 1;
	uint32_t hash = origin->pid * 2654435761u + origin->trace * 2246822519u;
	size_t i = ((hash >> 8) + origin->kernel) & mask;

	while (c->slots[i] && !same_origin(&c->processes[c->slots[i] - 1].origin, origin)) {
		i = (i + 1) & mask;
	}
	return &c->slots[i];
}

/* Keeps the table at most half full, were every process of an origin of its own. */
static int grow_slots(kt_collector *c)
{
	size_t n = c->n_slots ? 2 * c->n_slots : 64;
	size_t *slots;

	if (2 * (c->n_processes + 1) <= c->n_slots) {
		return KT_OK;
	}
	slots = calloc(n, sizeof(*slots));
	if (!slots) {
		return kt_error(KT_E_MEMORY, "collect words: out of memory");
	}
	free(c->slots);
	c->slots = slots;
	c->n_slots = n;
	for (size_t i = 0; i < c->n_processes; i++) {
		*find_slot(c, &c->processes[i].origin) = i + 1;
	}
	return KT_OK;
}

static int open_process(kt_collector *c, const struct kt_origin *origin)
{
	struct kt_process *p;
	int code =
		kt_array_reserve(&c->processes, &c->processes_capacity, c->n_processes + 1);

	code = code ? code : grow_slots(c);
	if (code) {
		return code;
	}
	p = &c->processes[c->n_processes];
	memset(p, 0, sizeof(*p));
	p->origin = *origin;
	p->first_time = INT64_MAX;
	if (c->listener) {
		code = kt_stream_new(&p->stream);
		if (code) {
			return code;
		}
	}
	c->last = c->n_processes++;
	*find_slot(c, origin) = c->n_processes;
	return KT_OK;
}

/* --- one event --- */

static int append(struct kt_process *p, const struct kt_record *record)
{
	int code = p->n == p->capacity ? kt_process_grow(p) : KT_OK;

	if (!code) {
		p->records[p->n++] = *record;
	}
	return code;
}

/* Keeps a record of the process of that event, or tells of it. */
static int keep(kt_collector *c, const struct kt_record *record, uint64_t seq)
{
	struct kt_process *p = &c->processes[c->last];
	struct kt_record own = *record;

	own.seq = seq;
	p->first_time = p->first_time < record->time ? p->first_time : record->time;
	p->last_time = record->time;
	return p->stream ? kt_stream_add(c, c->last, &own) : append(p, &own);
}

/* Moves c->last to the youngest process of an origin; false if there is none. */
static bool find_process(kt_collector *c, const struct kt_origin *origin)
{
	size_t slot;

	if (c->n_processes == 0) {
		return false;
	}
	if (same_origin(&c->processes[c->last].origin, origin)) {
		return true;
	}
	slot = *find_slot(c, origin);
	c->last = slot ? slot - 1 : c->last;
	return slot != 0;
}

/* The life before it, if any, is over. */
static int open_next(kt_collector *c, const struct kt_origin *origin, bool follows)
{
	int code = follows && c->listener ? kt_stream_close(c, c->last) : KT_OK;

	return code ? code : open_process(c, origin);
}

int kt_collector_pass_time(kt_collector *c, int64_t now)
{
	return now <= c->deadline ? KT_OK : kt_stream_expire(c, now);
}

/* Finds out which life an event is of, and its number there. */
static int take_number(kt_collector *c, const struct kt_origin *origin,
		       const struct kt_record *record, uint64_t *seq)
{
	enum kt_event_kind kind = (enum kt_event_kind)record->kind;
	bool known = find_process(c, origin);
	struct kt_life_numbers *life = known ? &c->processes[c->last].numbers : NULL;
	bool fits = known;
	int code = KT_OK;

	*seq = kt_life_number(life, origin, record->seq, kind);
	if (life) {
		code = kt_life_numbers_take(life, *seq, kind, &fits);
	}
	if (code || fits) {
		return code;
	}
	code = open_next(c, origin, known);
	return code ? code
		    : kt_life_numbers_take(&c->processes[c->last].numbers, *seq, kind,
					   &fits);
}

int kt_collector_add(kt_collector *c, const struct kt_origin *origin,
		     const struct kt_record *record)
{
	uint64_t seq;
	int code;

	c->totals.events++;
	code = take_number(c, origin, record, &seq);
	code = code ? code : keep(c, record, seq);
	return code ? code : kt_collector_pass_time(c, record->time);
}

void kt_collector_set_vpid(kt_collector *collector, uint32_t vpid)
{
	collector->processes[collector->last].vpid = vpid;
}

void kt_collector_saw_driver(kt_collector *collector)
{
	collector->processes[collector->last].acts = true;
}

/* --- after the last event --- */

static int compare_records(const void *a, const void *b)
{
	uint64_t x = ((const struct kt_record *)a)->seq;
	uint64_t y = ((const struct kt_record *)b)->seq;

	return (x > y) - (x < y);
}

/* Events are a few places off at most, as a rule: insert, and give up when it gets long. */
int kt_process_sort(struct kt_process *p)
{
	size_t budget = 8 * p->n;

	for (size_t i = 1; p->numbers.unsorted && i < p->n; i++) {
		struct kt_record r = p->records[i];
		size_t j = i;

		while (j > 0 && p->records[j - 1].seq > r.seq && budget > 0) {
			p->records[j] = p->records[j - 1];
			j--;
			budget--;
		}
		p->records[j] = r;
		if (budget == 0) {
			qsort(p->records, p->n, sizeof(*p->records), compare_records);
			break;
		}
	}
	p->numbers.unsorted = false;
	return KT_OK;
}

void kt_collector_set_spell(kt_collector *collector, const struct kt_spelling *spelling,
			    void *context)
{
	collector->spelling = spelling;
	collector->spell_context = context;
}

void kt_collector_set_follow(kt_collector *collector, kt_follow_fn *follow, void *context)
{
	collector->follow = follow;
	collector->follow_context = context;
}

void kt_collector_listen(kt_collector *collector, const struct kt_word_listener *listener)
{
	collector->listener = listener;
}

bool kt_collector_listens(const kt_collector *collector)
{
	return collector->listener;
}

static int spell(kt_collector *c, struct kt_process *p)
{
	struct kt_record *spelled = NULL;
	size_t n = 0;
	int code;

	if (!c->spelling) {
		return KT_OK;
	}
	code = c->spelling->all(c->spell_context, p->records, p->n, &spelled, &n);
	if (!code) {
		kt_process_set_records(p, spelled, n);
		p->n = n;
	}
	return code;
}

static int cut(kt_collector *c, size_t i)
{
	struct kt_process *p = &c->processes[i];
	int code;

	if (p->stream) {
		code = kt_stream_close(c, i);
		return code ? code : kt_stream_cut(c, i);
	}
	code = kt_process_sort(p);
	code = code ? code : spell(c, p);
	if (!code && c->follow) {
		code = c->follow(c->follow_context, p->records, p->n);
	}
	return code ? code : kt_collector_cut(c, p);
}

static int choose_source(kt_collector *c)
{
	struct kt_sighting *seen = malloc((c->n_processes + 1) * sizeof(*seen));
	size_t kept = 0;
	int code;

	if (!seen) {
		return kt_error(KT_E_MEMORY, "collect words: out of memory");
	}
	for (size_t i = 0; i < c->n_processes; i++) {
		const struct kt_process *p = &c->processes[i];

		seen[i] = (struct kt_sighting){.origin = p->origin,
					       .vpid = p->vpid,
					       .name = p->name,
					       .certain = p->certain,
					       .acts = p->acts,
					       .first_time = p->first_time,
					       .last_time = p->last_time};
	}
	code = kt_sides_choose(seen, c->n_processes, c->source);
	for (size_t i = 0; i < c->n_processes && !code; i++) {
		c->processes[i].dropped = seen[i].dropped;
		c->processes[i].number = kept;
		kept += !seen[i].dropped;
	}
	free(seen);
	return code;
}

int kt_collector_finish(kt_collector *c)
{
	int code = choose_source(c);

	code = code ? code : kt_collector_name_processes(c);
	for (size_t i = 0; i < c->n_processes && !code; i++) {
		if (!c->processes[i].dropped) {
			code = cut(c, i);
		}
	}
	return code;
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
