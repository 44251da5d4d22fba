/* SPDX-License-Identifier: MIT */
/*
 * From a process's events, sorted, to its words: cut where events are missing, runs of
 * accesses formed, dealt out to threads or channels if that is asked for.
 */
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/split/cutter.h"

struct cut {
	kt_collector *collector;    /* Weak */
	struct kt_process *process; /* Weak */
	struct kt_cutter cutter;
};

/*
 * Keeps the records that are letters. Their `mapping`, no longer needed, becomes the index
 * of their thread; the runs are formed before letters are dealt out.
 */
static int compact(struct cut *c)
{
	struct kt_record *records = c->process->records;
	size_t kept = 0;
	int code = KT_OK;

	for (size_t i = 0; i < c->process->n && !code; i++) {
		struct kt_record r = records[i];
		size_t thread;
		bool keep;

		code = kt_cutter_take(&c->cutter, &r, &thread, &keep);
		if (!code && keep) {
			r.mapping = (uint32_t)thread;
			records[kept++] = r;
		}
	}
	c->process->n = kept;
	return code;
}

/* --- words --- */

static int add_word(struct cut *c, const struct kt_record *letters, size_t n,
		    const struct kt_word_info *info)
{
	kt_collector *k = c->collector;
	int code = kt_array_reserve(&k->words, &k->words_capacity, k->n_words + 1);

	if (!code) {
		k->words[k->n_words] =
			(struct kt_collected_word){.info = *info,
						   .letters = letters,
						   .n = n,
						   .number = k->n_words,
						   .process = c->process->number};
		k->n_words++;
	}
	return code;
}

static bool is_behind(const struct kt_cutter *c, size_t segment, const struct kt_record *r)
{
	return segment + 1 < c->n_segments && r->seq >= c->segments[segment + 1].first;
}

/*
 * Makes the words of one thread from its letters. A fragment without letters is dropped;
 * its loss goes to the one after it, else to the one before.
 */
static int cut_thread(struct cut *c, size_t thread, const struct kt_record *letters,
		      bool known_end)
{
	const struct kt_cut_thread *t = &c->cutter.threads[thread];
	kt_collector *k = c->collector;
	size_t from = k->n_words;
	size_t segment = t->first;
	int code = KT_OK;

	for (size_t i = 0; i < t->n && !code;) {
		struct kt_word_info info = KT_WORD_INFO_INIT;
		size_t n = 0;

		while (is_behind(&c->cutter, segment, &letters[i])) {
			segment++;
		}
		while (i + n < t->n && !is_behind(&c->cutter, segment, &letters[i + n])) {
			n++;
		}
		kt_cutter_begin_word(&c->cutter, thread, segment, &info);
		info.cut_end = kt_cutter_cuts_end(&c->cutter, segment, known_end);
		info.name = NULL;
		code = add_word(c, letters + i, n, &info);
		i += n;
	}
	if (!code && k->n_words > from) {
		k->words[k->n_words - 1].info.lost +=
			kt_cutter_lost_behind(&c->cutter, thread);
	}
	return code ? code
		    : kt_cutter_name_words(&c->cutter, k, c->process, thread,
					   k->words + from, k->n_words - from);
}

/* Sorts the letters by thread, keeping their order. */
static int deal_out(struct cut *c)
{
	struct kt_process *p = c->process;
	struct kt_record *dealt;
	size_t *at;
	size_t sum = 0;

	if (c->cutter.n_threads < 2) {
		return KT_OK;
	}
	dealt = malloc((p->n + 1) * sizeof(*dealt));
	at = malloc(c->cutter.n_threads * sizeof(*at));
	if (!dealt || !at) {
		free(dealt);
		free(at);
		return kt_error(KT_E_MEMORY, "cut words: out of memory");
	}
	for (size_t i = 0; i < c->cutter.n_threads; i++) {
		at[i] = sum;
		sum += c->cutter.threads[i].n;
	}
	for (size_t i = 0; i < p->n; i++) {
		dealt[at[p->records[i].mapping]++] = p->records[i];
	}
	free(at);
	kt_process_set_records(p, dealt, p->n + 1);
	return KT_OK;
}

static int cut(struct cut *c)
{
	struct kt_process *p = c->process;
	bool known_end = p->records[p->n - 1].kind == KT_EVENT_END;
	size_t at = 0;
	int code = compact(c);

	code = code ? code : deal_out(c);
	for (size_t i = 0; i < c->cutter.n_threads && !code; i++) {
		code = cut_thread(c, i, p->records + at, known_end);
		at += c->cutter.threads[i].n;
	}
	if (c->cutter.n_segments > 0) {
		c->collector->totals.lost +=
			c->cutter.segments[c->cutter.n_segments - 1].lost;
	}
	return code;
}

int kt_collector_cut(kt_collector *collector, struct kt_process *process)
{
	struct cut c = {.collector = collector,
			.process = process,
			.cutter = {.unit = collector->unit}};
	int code = cut(&c);

	kt_cutter_clear(&c.cutter);
	return code;
}
