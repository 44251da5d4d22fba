/* SPDX-License-Identifier: MIT */
/*
 * Makes words from a process's sorted events: splits at gaps, forms runs of accesses, and
 * distributes letters over threads or channels on request.
 */
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/split/phase-cut.h"
#include "infer/words/split/splitter.h"
#include "infer/words/split/trace-filter.h"

/*
 * Makes the words of one thread from its letters, each with the index of its piece in
 * `detail` (kt_splitter_piece()). A piece without letters makes no word: events lost before
 * it count in the thread's next word, or in the thread's last word if no word follows.
 */
static int cut_thread(kt_collector *k, const struct kt_process *p,
		      struct kt_splitter *splitter, size_t thread,
		      const struct kt_record *letters, bool known_end)
{
	const struct kt_cut_thread *t = &splitter->threads[thread];
	size_t from = k->n_words;
	size_t n;

	for (size_t i = 0; i < t->n; i += n) {
		struct kt_word_info info = KT_WORD_INFO_INIT;
		const size_t piece = letters[i].detail;

		n = 0;
		while (i + n < t->n && letters[i + n].detail == piece) {
			n++;
		}
		kt_splitter_begin_word(splitter, thread, piece, &info);
		info.cut_end = kt_splitter_cuts_end(splitter, piece, known_end);
		info.name = NULL;
		k->totals.truncated += kt_splitter_truncates(splitter, piece, known_end);
		KT_TRY(kt_array_reserve(&k->words, &k->words_capacity, k->n_words + 1));
		k->words[k->n_words] =
			(struct kt_collected_word){.info = info,
						   .letters = letters + i,
						   .n = n,
						   .number = k->n_words,
						   .process = p->instance.number};
		k->n_words++;
	}
	if (k->n_words > from) {
		k->words[k->n_words - 1].info.lost +=
			kt_splitter_lost_after(splitter, thread);
	}
	return kt_splitter_name_words(splitter, k, p, thread, k->words + from,
				      k->n_words - from);
}

/* The letters of a process so far: its first n records. */
struct letters {
	struct kt_splitter *splitter; /* Weak */
	struct kt_process *process;   /* Weak */
	size_t n;
};

/*
 * Keeps a record if its letter belongs to a word. `mapping` and `detail` of the record are
 * no longer needed and become the indices of thread and piece. Runs are formed here, before
 * letters are distributed over threads.
 */
static int keep(void *context, const struct kt_record *record, bool in_phase)
{
	struct letters *letters = context;
	struct kt_record r = *record;
	size_t thread;
	bool kept;

	KT_TRY(kt_splitter_take(letters->splitter, &r, in_phase, &thread, &kept));
	if (kept) {
		r.mapping = (uint32_t)thread;
		r.detail = (uint32_t)kt_splitter_piece(letters->splitter, thread);
		letters->process->records[letters->n++] = r;
	}
	return KT_OK;
}

int kt_collector_cut(kt_collector *collector, struct kt_process *p)
{
	struct kt_splitter splitter = {.n_segments = 0};
	struct kt_phase_cut phases = {.begun = false};
	struct letters letters = {.splitter = &splitter, .process = p};
	const bool by_phase = collector->wanted && collector->wanted->phase;
	const bool known_end = p->records[p->n - 1].kind == KT_EVENT_END;
	size_t at = 0;
	int code = KT_OK;

	kt_splitter_set_up(&splitter, collector);
	for (size_t i = 0; i < p->n; i++) {
		const struct kt_record r = p->records[i];

		KT_TRY_END(by_phase ? kt_phase_cut_put(&phases, collector->wanted, &r, keep,
						       &letters)
				    : keep(&letters, &r, false));
	}
	if (by_phase) {
		KT_TRY_END(kt_phase_cut_finish(&phases, collector->wanted, known_end, keep,
					       &letters));
	}
	p->n = letters.n;
	/* Sorts the letters by thread, keeping their order within each thread. */
	if (splitter.n_threads > 1) {
		struct kt_record *dealt = malloc((p->n + 1) * sizeof(*dealt));
		size_t *to = malloc(splitter.n_threads * sizeof(*to));
		size_t sum = 0;

		if (!dealt || !to) {
			free(dealt);
			free(to);
			code = kt_no_memory("split words");
			goto end;
		}
		for (size_t i = 0; i < splitter.n_threads; i++) {
			to[i] = sum;
			sum += splitter.threads[i].n;
		}
		for (size_t i = 0; i < p->n; i++) {
			dealt[to[p->records[i].mapping]++] = p->records[i];
		}
		free(to);
		kt_process_set_records(p, dealt, p->n + 1);
	}
	for (size_t i = 0; i < splitter.n_threads; i++) {
		KT_TRY_END(
			cut_thread(collector, p, &splitter, i, p->records + at, known_end));
		at += splitter.threads[i].n;
	}
	if (splitter.n_segments > 0) {
		collector->totals.lost += splitter.segments[splitter.n_segments - 1].lost;
	}
end:
	kt_phase_cut_clear(&phases);
	kt_splitter_clear(&splitter);
	return code;
}
