/* SPDX-License-Identifier: MIT */
#include "infer/words/split/both.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* --- interrupts --- */

/*
 * Finds the origin of a trace's interrupts, or adds it. Origins that have the same clock
 * get the same clock_zero, so that times of interrupts can be compared. O(traces with
 * interrupts).
 */
static int find_origin(kt_collector *c, const struct kt_origin *origin, uint32_t *out)
{
	size_t i = c->n_irq_origins;

	while (i > 0 && c->irq_origins[i - 1].trace != origin->trace) {
		i--;
	}
	if (i == 0) {
		KT_TRY(kt_array_reserve(&c->irq_origins, &c->irq_origins_capacity,
					c->n_irq_origins + 1));
		c->irq_origins[c->n_irq_origins] = *origin;
		while (c->irq_origins[i].clock != origin->clock) {
			i++;
		}
		c->irq_origins[c->n_irq_origins].clock_zero = c->irq_origins[i].clock_zero;
		i = ++c->n_irq_origins;
	}
	*out = (uint32_t)(i - 1);
	return KT_OK;
}

static const struct kt_origin *origin_of(const kt_collector *c, const struct kt_irq *irq)
{
	return &c->irq_origins[irq->origin];
}

int kt_collector_add_irq(kt_collector *c, const struct kt_origin *origin, uint32_t line,
			 const struct kt_record *record)
{
	struct kt_irq irq = {.record = *record, .line = line};

	KT_TRY(find_origin(c, origin, &irq.origin));
	KT_TRY(kt_array_reserve(&c->irqs, &c->irqs_capacity, c->n_irqs + 1));
	irq.record.time =
		kt_time_add(record->time, kt_clock_shift(origin, origin_of(c, &irq)));
	c->irqs[c->n_irqs++] = irq;
	return KT_OK;
}

/* Orders by line, then by number. */
static int compare_lines(const void *a, const void *b)
{
	const struct kt_irq *x = a;
	const struct kt_irq *y = b;

	if (x->origin != y->origin) {
		return x->origin < y->origin ? -1 : 1;
	}
	if (x->line != y->line) {
		return x->line < y->line ? -1 : 1;
	}
	return (x->record.seq > y->record.seq) - (x->record.seq < y->record.seq);
}

static int compare_times(const void *a, const void *b)
{
	const struct kt_irq *x = a;
	const struct kt_irq *y = b;

	return x->record.time != y->record.time ? (x->record.time > y->record.time ? 1 : -1)
						: compare_lines(a, b);
}

/* Returns whether a process used the device between two times of an origin's clock. */
static bool uses(const struct kt_process *p, const struct kt_origin *origin, int64_t from,
		 int64_t to)
{
	const struct kt_instance *instance = &p->instance;
	const int64_t shift = kt_clock_shift(origin, &instance->origin);

	return !instance->dropped && instance->acts &&
	       kt_time_add(to, shift) >= instance->first_act &&
	       kt_time_add(from, shift) <= instance->last_act &&
	       kt_same_host(&instance->origin, origin);
}

/*
 * Adds the interrupts that are missing between two interrupts of a line. They may have come
 * at any time between the two, so they are missing in each process that used the device in
 * that time. Their time is that of the second interrupt or, if earlier, that of the
 * process's last use.
 */
static int add_missing(kt_collector *c, size_t first, size_t second)
{
	struct kt_irq gap = c->irqs[second];
	const struct kt_origin *origin = origin_of(c, &gap);
	const int64_t before = c->irqs[first].record.time;
	const int64_t after = gap.record.time;
	const int64_t from = before < after ? before : after;
	const int64_t to = before < after ? after : before;

	gap.missing = gap.record.seq - c->irqs[first].record.seq - 1;
	gap.record.seq--;
	gap.record.letter = KT_NO_LETTER;
	for (size_t i = 0; i < c->instances.n; i++) {
		struct kt_process *p = kt_collector_process(c, i);
		const int64_t last = kt_time_add(
			p->instance.last_act, kt_clock_shift(&p->instance.origin, origin));

		if (uses(p, origin, from, to)) {
			gap.process = p;
			gap.record.time = last < to ? last : to;
			KT_TRY(kt_array_reserve(&c->irqs, &c->irqs_capacity,
						c->n_irqs + 1));
			c->irqs[c->n_irqs++] = gap;
		}
	}
	return KT_OK;
}

/* Finds missing interrupts, and sorts all by time. */
static int sort_irqs(kt_collector *c)
{
	const size_t n = c->n_irqs;

	if (n == 0) {
		return KT_OK;
	}
	qsort(c->irqs, n, sizeof(*c->irqs), compare_lines);
	for (size_t i = 1; i < n; i++) {
		const struct kt_irq *before = &c->irqs[i - 1];
		const struct kt_irq *irq = &c->irqs[i];

		if (irq->origin == before->origin && irq->line == before->line &&
		    irq->record.seq - before->record.seq > 1) {
			KT_TRY(add_missing(c, i - 1, i));
		}
	}
	qsort(c->irqs, c->n_irqs, sizeof(*c->irqs), compare_times);
	return KT_OK;
}

/*
 * Returns the number of processes that used the device at an interrupt, at most two, and
 * writes the last one to *out.
 */
static size_t find_users(const kt_collector *c, const struct kt_irq *irq,
			 struct kt_process **out)
{
	const int64_t time = irq->record.time;
	size_t n = 0;

	for (size_t i = 0; i < c->instances.n && n < 2; i++) {
		struct kt_process *p = kt_collector_process(c, i);

		if (uses(p, origin_of(c, irq), time, time)) {
			*out = p;
			n++;
		}
	}
	return n;
}

/* --- preparation --- */

static int refuse(const char *why)
{
	return kt_error(KT_E_USAGE, "--source both: %s", why);
}

int kt_both_prepare(kt_collector *c)
{
	bool user = false;
	bool kernel = false;
	bool merges = false;

	/*
	 * Go from the last instance to the first, and put each at the front of its list,
	 * which is then in order of first events.
	 */
	for (size_t i = c->instances.n; i-- > 0;) {
		struct kt_process *p = kt_collector_process(c, i);
		struct kt_process *whole = (struct kt_process *)p->instance.other;

		user = user || !p->instance.origin.kernel;
		kernel = kernel || p->instance.origin.kernel;
		if (p->instance.dropped) {
			p->next = whole->parts;
			whole->parts = p;
			merges = true;
		}
	}
	c->totals.both = true;
	if (!user && !kernel) {
		return KT_OK;
	}
	if (!user || !kernel) {
		return refuse(user ? "the trace has no events of the kernel"
				   : "the trace has no events of user space");
	}
	if (!merges) {
		return refuse("no process was recorded both from user space and by the "
			      "kernel");
	}
	KT_TRY(sort_irqs(c));
	for (size_t i = c->n_irqs; i-- > 0;) {
		struct kt_irq *irq = &c->irqs[i];

		if (!irq->missing) {
			struct kt_process *p = NULL;
			const size_t n = find_users(c, irq, &p);

			irq->process = n == 1 ? p : NULL;
			c->totals.shared += n > 1 && irq->record.letter != KT_NO_LETTER;
		}
		if (irq->process) {
			irq->next = irq->process->irqs;
			irq->process->irqs = irq;
		}
	}
	return KT_OK;
}

/* --- one process --- */

/* Records that are merged into those of a process, in order. */
struct more {
	struct kt_record *records; /* Owned by this; `time` is of the process's clock */
	uint64_t *missing;         /* Owned by this: events missing before each record */
	size_t n;
	size_t capacity;
	size_t missing_capacity;
	uint64_t letters; /* number of records with a letter */
};

/*
 * Adds a record, unless it would change nothing because it has no letter and no events are
 * missing before it.
 */
static int add(struct more *more, const struct kt_record *record, int64_t shift,
	       uint64_t missing)
{
	if (record->letter == KT_NO_LETTER && missing == 0) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&more->records, &more->capacity, more->n + 1));
	KT_TRY(kt_array_reserve(&more->missing, &more->missing_capacity, more->n + 1));
	more->records[more->n] = *record;
	more->records[more->n].time = kt_time_add(record->time, shift);
	more->records[more->n].kind = KT_EVENT_KERNEL;
	more->missing[more->n++] = missing;
	more->letters += record->letter != KT_NO_LETTER;
	return KT_OK;
}

/* Adds the events of one of the kernel's instances, without letters that user space gives.
 */
static int add_part(struct more *more, const struct kt_process *part, int64_t shift)
{
	uint64_t next = 0;

	for (size_t i = 0; i < part->n; i++) {
		struct kt_record record = part->records[i];
		const uint64_t missing = record.seq > next ? record.seq - next : 0;

		next = record.seq + 1;
		if (record.kind != KT_EVENT_KERNEL) {
			record.letter = KT_NO_LETTER;
		}
		KT_TRY(add(more, &record, shift,
			   part->instance.origin.no_seq ? 0 : missing));
	}
	return KT_OK;
}

/*
 * Merges `more` into the records of a process, and frees `more`. The first record stays the
 * first one, since its number says whether the beginning of the process was recorded.
 */
static int merge(struct kt_process *p, struct more *more)
{
	struct kt_record *out = malloc((p->n + more->n + 1) * sizeof(*out));
	uint64_t last = p->records[0].seq - 1; /* number of the latest merged record */
	uint64_t before = last;                /* number of the latest record of `p` */
	size_t i = 0;
	size_t j = 0;

	if (!out) {
		return kt_no_memory("merge the events of both sources");
	}
	while (i < p->n || j < more->n) {
		struct kt_record *next = &out[i + j];

		if (i == 0 || j == more->n ||
		    (i < p->n && p->records[i].time <= more->records[j].time)) {
			*next = p->records[i++];
			last += next->seq - before;
			before = next->seq;
		} else {
			*next = more->records[j];
			last += more->missing[j++] + 1;
		}
		next->seq = last;
	}
	kt_process_set_records(p, out, p->n + more->n + 1);
	p->n += more->n;
	return KT_OK;
}

static void clear(struct more *more)
{
	free(more->records);
	free(more->missing);
	*more = (struct more){.n = 0};
}

int kt_both_merge(kt_collector *c, struct kt_process *p)
{
	struct more more = {.n = 0};
	struct kt_record *last = &p->records[p->n - 1];
	bool ended = last->kind == KT_EVENT_END;
	int code = KT_OK;

	/*
	 * This process_end from user space is not the last event: the kernel records later
	 * ones.
	 */
	last->kind = ended ? KT_EVENT_OTHER : last->kind;
	for (struct kt_process *part = p->parts; part; part = part->next) {
		KT_TRY_END(add_part(
			&more, part,
			kt_clock_shift(&part->instance.origin, &p->instance.origin)));
		ended = ended && part->records[part->n - 1].kind == KT_EVENT_END;
		kt_process_set_records(part, NULL, 0);
		part->n = 0;
	}
	KT_TRY_END(merge(p, &more));
	c->totals.pins += more.letters;
	clear(&more);
	for (const struct kt_irq *irq = p->irqs; irq; irq = irq->next) {
		KT_TRY_END(add(&more, &irq->record,
			       kt_clock_shift(origin_of(c, irq), &p->instance.origin),
			       irq->missing));
	}
	KT_TRY_END(merge(p, &more));
	c->totals.irqs += more.letters;
	last = &p->records[p->n - 1];
	last->kind = ended ? KT_EVENT_END : last->kind;
end:
	clear(&more);
	return code;
}
