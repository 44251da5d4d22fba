/* SPDX-License-Identifier: MIT */
/*
 * The collector, fed with records directly: lives of processes, gaps, runs, threads. All of
 * it twice: with records kept, and with a listener that writes them down.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/collect.h"
#include "tests/suite.h"

enum { NONE = KT_NO_LETTER };

static kt_collector *collector;
static int64_t now;

/* --- who listens --- */

struct heard {
	struct kt_record *letters;
	size_t n;
	bool cut_begin;
	bool provisional;
	bool ended;
};

static bool listening;
static struct heard heard[1024];
static size_t n_heard;

static int hear_begin(void *context, const struct kt_streamed_word *word)
{
	(void)context;
	CU_ASSERT_EQUAL_FATAL(word->number, n_heard);
	CU_ASSERT_FATAL(n_heard < 1024);
	heard[n_heard++] = (struct heard){.cut_begin = word->cut_begin,
					  .provisional = word->provisional};
	return KT_OK;
}

static int hear_letter(void *context, size_t number, const struct kt_record *record)
{
	struct heard *h = &heard[number];

	(void)context;
	CU_ASSERT_FATAL(number < n_heard && !h->ended);
	if ((h->n & (h->n + 1)) == 0) {
		h->letters = realloc(h->letters, 2 * (h->n + 1) * sizeof(*h->letters));
	}
	h->letters[h->n++] = *record;
	return KT_OK;
}

static int hear_end(void *context, size_t number)
{
	(void)context;
	CU_ASSERT_FALSE(heard[number].ended);
	heard[number].ended = true;
	return KT_OK;
}

static const struct kt_word_listener listener = {hear_begin, hear_letter, hear_end, NULL};

/* The letters of a word, whoever has them. */
static const struct kt_record *letters_of(const struct kt_collected_word *w)
{
	if (!listening) {
		return w->letters;
	}
	CU_ASSERT_PTR_NULL(w->letters);
	CU_ASSERT_FATAL(w->number < n_heard);
	CU_ASSERT_EQUAL_FATAL(heard[w->number].n, w->n);
	CU_ASSERT_EQUAL(heard[w->number].cut_begin, w->info.cut_begin);
	CU_ASSERT(heard[w->number].ended);
	return heard[w->number].letters;
}

/* --- what is fed --- */

static void begin_unit(enum kt_word_unit unit, enum kt_source source)
{
	now = 0;
	CU_ASSERT_EQUAL_FATAL(kt_collector_new(&collector, "trace", unit, source), KT_OK);
	if (listening) {
		kt_collector_listen(collector, &listener);
	}
}

static void begin(void)
{
	begin_unit(KT_WORD_PROCESS, KT_SOURCE_USER);
}

static void add_record(struct kt_origin origin, struct kt_record record)
{
	record.time = ++now;
	CU_ASSERT_EQUAL_FATAL(kt_collector_add(collector, &origin, &record), KT_OK);
}

/* An event with a letter, or NONE. */
static void add(uint32_t pid, uint64_t seq, uint32_t letter)
{
	add_record((struct kt_origin){.pid = pid},
		   (struct kt_record){
			   .seq = seq, .tid = pid, .letter = letter & KT_NO_LETTER});
}

static void add_begin(uint32_t pid, const char *name)
{
	add_record((struct kt_origin){.pid = pid},
		   (struct kt_record){.tid = pid, .letter = NONE, .kind = KT_EVENT_BEGIN});
	CU_ASSERT_EQUAL_FATAL(kt_collector_name(collector, name, true), KT_OK);
}

static void add_end(uint32_t pid, uint64_t seq)
{
	add_record((struct kt_origin){.pid = pid},
		   (struct kt_record){
			   .seq = seq, .tid = pid, .letter = NONE, .kind = KT_EVENT_END});
}

static void add_access(uint32_t tid, uint64_t seq, enum kt_run run, uint32_t mapping,
		       uint32_t letter)
{
	add_record((struct kt_origin){.pid = 1},
		   (struct kt_record){.seq = seq,
				      .tid = tid,
				      .letter = letter & KT_NO_LETTER,
				      .mapping = mapping,
				      .run = run});
}

static void finish(size_t words)
{
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(collector), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_collector_count(collector), words);
}

/* "name [lost N] [cut-begin] [cut-end]: letters as small numbers" */
static void expect(size_t i, const char *text)
{
	const struct kt_collected_word *w = kt_collector_word(collector, i);
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(w->info.name, out);
	if (w->info.lost) {
		fprintf(out, " lost %llu", (unsigned long long)w->info.lost);
	}
	fprintf(out, "%s%s:", w->info.cut_begin ? " cut-begin" : "",
		w->info.cut_end ? " cut-end" : "");
	for (size_t j = 0; j < w->n; j++) {
		fprintf(out, " %u", (unsigned)letters_of(w)[j].letter);
	}
	fclose(out);
	if (strcmp(got, text) != 0) {
		printf("\n    got '%s', expected '%s'\n", got, text);
	}
	CU_ASSERT_STRING_EQUAL(got, text);
	free(got);
}

static void end(void)
{
	kt_collector_free(collector);
	collector = NULL;
	while (n_heard > 0) {
		free(heard[--n_heard].letters);
	}
}

static void test_whole(void)
{
	begin();
	add_begin(7, "app");
	add(7, 1, NONE);
	add(7, 2, 5);
	add_begin(8, "app");
	add(7, 3, 6);
	add(8, 1, 9);
	add_end(7, 4);
	add_end(8, 2);
	add_begin(9, "idle");
	add_end(9, 1);
	add_begin(10, "app");
	add(10, 1, 1);
	finish(3);
	expect(0, "trace/app.0: 5 6");
	expect(1, "trace/app.1: 9");
	expect(2, "trace/app.2 cut-end: 1");
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->processes, 4);
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->events, 12);
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->cut_ends, 1);
	CU_ASSERT_PTR_NULL(kt_collector_word(collector, 3));
	end();
}

static void test_out_of_order(void)
{
	begin();
	add_begin(7, "app");
	add(7, 3, 3);
	add(7, 1, 1);
	add_end(7, 5);
	add(7, 2, 2);
	add(7, 4, 4);
	finish(1);
	expect(0, "trace/app.0: 1 2 3 4");
	end();
}

static void test_gaps(void)
{
	begin();
	add_begin(7, "app");
	add(7, 1, 1);
	add(7, 4, 2);
	add(7, 5, 3);
	add(7, 10, NONE); /* no letters here: dropped, its loss goes to the next */
	add(7, 12, 4);
	add(7, 20, NONE); /* nothing behind: its loss goes to the one before */
	add_end(7, 21);
	finish(3);
	expect(0, "trace/app.0.0 cut-end: 1");
	expect(1, "trace/app.0.1 lost 2 cut-begin cut-end: 2 3");
	expect(2, "trace/app.0.2 lost 12 cut-begin cut-end: 4");
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->lost, 14);
	end();

	begin();
	add_begin(7, "app"); /* dropped as well */
	add(7, 3, 1);
	add_end(7, 4);
	finish(1);
	expect(0, "trace/app.0 lost 2 cut-begin: 1");
	end();
}

static void test_late(void)
{
	begin();
	add(7, 102, 2); /* attached late, and the first two in the wrong order */
	add(7, 101, 1);
	add_end(7, 103);
	finish(1);
	expect(0, "trace/unknown.0 cut-begin: 1 2");
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->lost, 0);
	end();
}

static void test_exec(void)
{
	begin();
	add_begin(7, "sh");
	add(7, 1, 1);
	add_end(7, 2);
	add_begin(7, "app");
	add(7, 1, 2);
	add_end(7, 2);
	finish(2);
	expect(0, "trace/sh.0: 1");
	expect(1, "trace/app.0: 2");
	end();

	begin(); /* one that fails goes on */
	add_begin(7, "sh");
	add(7, 1, 1);
	add_end(7, 2);
	add(7, 3, 2);
	finish(1);
	expect(0, "trace/sh.0 cut-end: 1 2");
	end();
}

static void test_pid_used_again(void)
{
	begin();
	add_begin(7, "one");
	add(7, 1, 1);
	add_begin(7, "two"); /* the first was killed */
	add(7, 1, 2);
	add_end(7, 2);
	add(7, 1, 3); /* a third whose beginning was lost */
	add_end(7, 2);
	finish(3);
	expect(0, "trace/one.0 cut-end: 1");
	expect(1, "trace/two.0: 2");
	expect(2, "trace/unknown.0 cut-begin: 3");
	end();

	begin();
	add(7, 100, 1);
	add_end(7, 101);
	add(7, 3, 2); /* from before the first: another life */
	finish(2);
	expect(0, "trace/unknown.0 cut-begin: 1");
	expect(1, "trace/unknown.1 cut-begin cut-end: 2");
	end();
}

enum { R = 0, W = 1, OTHER = 2, R2 = 3, W2 = 4 };

static void test_runs(void)
{
	uint64_t seq = 0;

	begin();
	add_begin(1, "app");
	add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	add_access(1, ++seq, KT_RUN_ONCE, 1, W);
	add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	add_access(1, ++seq, KT_RUN_ONCE, 1, W); /* R W so far */
	add_access(1, ++seq, KT_RUN_ONCE, 2, W2);
	add_access(1, ++seq, KT_RUN_OPEN, 2, R2); /* a write opened it: W only */
	add(1, ++seq, NONE);                      /* no letter: the run goes on */
	add_access(1, ++seq, KT_RUN_ONCE, 2, W2);
	add_access(1, ++seq, KT_RUN_ONCE, 1, W); /* back: a new run */
	add(1, ++seq, OTHER);                    /* a letter ends it */
	add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	seq++; /* so does a gap */
	add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	add_end(1, ++seq);
	finish(2);
	expect(0, "trace/app.0.0 cut-end: 0 1 4 1 2 0");
	expect(1, "trace/app.0.1 lost 1 cut-begin: 0");
	end();
}

static void test_threads(void)
{
	begin_unit(KT_WORD_THREAD, KT_SOURCE_USER);
	add_begin(1, "app");
	add_access(1, 1, KT_RUN_OPEN, 1, R);
	add_access(2, 2, KT_RUN_OPEN, 1, R); /* the same run, whoever goes on with it */
	add_access(2, 3, KT_RUN_ONCE, 1, W);
	add_access(1, 4, KT_RUN_ONCE, 1, W);
	add_access(3, 5, KT_RUN_NONE, 0, OTHER);
	add_access(1, 9, KT_RUN_NONE, 0, OTHER);
	add_access(4, 10, KT_RUN_NONE, 0, OTHER);
	add_end(1, 11);
	finish(5);
	expect(0, "trace/app.0.t0.0 cut-end: 0");
	expect(1, "trace/app.0.t0.1 lost 3 cut-begin: 2");
	expect(2, "trace/app.0.t1 cut-end: 1");
	expect(3, "trace/app.0.t2 cut-end: 2");
	expect(4, "trace/app.0.t3 lost 3 cut-begin: 2");
	end();

	begin_unit(KT_WORD_THREAD, KT_SOURCE_USER);
	add_begin(1, "app");
	for (uint32_t i = 0; i < 1000; i++) {
		add_access(1000 + i % 500, 1 + i, KT_RUN_NONE, 0, i);
	}
	add_end(1, 1001);
	finish(500);
	expect(0, "trace/app.0.t1: 0 500");
	expect(499, "trace/app.0.t500: 499 999");
	end();
}

static void add_both(void)
{
	add_begin(1, "app");
	add(1, 1, 1);
	add_end(1, 2);
	add_record((struct kt_origin){.pid = 1, .kernel = true, .no_seq = true},
		   (struct kt_record){.letter = 2});
	add_record((struct kt_origin){.pid = 5, .kernel = true, .no_seq = true},
		   (struct kt_record){.letter = 3});
	add_record((struct kt_origin){.pid = 5, .kernel = true, .no_seq = true},
		   (struct kt_record){.letter = 4});
}

static void test_sources(void)
{
	begin_unit(KT_WORD_PROCESS, KT_SOURCE_USER);
	add_both();
	finish(2);
	expect(0, "trace/app.0: 1");
	expect(1, "trace/unknown.0 cut-begin cut-end: 3 4");
	end();
	begin_unit(KT_WORD_PROCESS, KT_SOURCE_KERNEL);
	add_both();
	finish(2);
	expect(0, "trace/unknown.0 cut-begin cut-end: 2");
	expect(1, "trace/unknown.1 cut-begin cut-end: 3 4");
	end();
}

/* Machines of their own, each with a process 7, at the same time. */
static void test_traces(void)
{
	enum { ONE = 1, TWO = 2 };

	begin();
	for (uint32_t seq = 0; seq < 4; seq++) {
		for (uint32_t trace = 1; trace <= 2; trace++) {
			enum kt_event_kind kind = seq == 0   ? KT_EVENT_BEGIN
						  : seq == 3 ? KT_EVENT_END
							     : KT_EVENT_OTHER;

			add_record(
				(struct kt_origin){.pid = 7, .trace = trace},
				(struct kt_record){.seq = seq,
						   .letter = kind ? NONE : 10 * trace + seq,
						   .kind = kind});
			if (seq == 0) {
				kt_collector_name(collector, trace == 1 ? "one" : "two",
						  true);
			}
		}
	}
	finish(2);
	expect(0, "trace/one.0: 11 12");
	expect(1, "trace/two.0: 21 22");
	end();

	begin(); /* the kernel's events of a pid are those of user space on that host */
	add_record((struct kt_origin){.pid = 7, .host = ONE},
		   (struct kt_record){.letter = 1});
	add_record((struct kt_origin){.pid = 7, .trace = 1, .host = ONE, .kernel = true},
		   (struct kt_record){.letter = 2});
	add_record((struct kt_origin){.pid = 7, .trace = 2, .host = TWO, .kernel = true},
		   (struct kt_record){.letter = 3});
	kt_collector_name_pid(collector,
			      &(struct kt_origin){.pid = 7, .trace = 3, .host = TWO},
			      "dumped");
	finish(2);
	expect(0, "trace/unknown.0 cut-end: 1");
	expect(1, "trace/dumped.0 cut-end: 3");
	end();
}

static void test_names(void)
{
	begin();
	CU_ASSERT_FALSE(kt_collector_wants_name(collector));
	add(1, 5, 1);
	CU_ASSERT_TRUE(kt_collector_wants_name(collector));
	kt_collector_name(collector, "context", false);
	CU_ASSERT_FALSE(kt_collector_wants_name(collector));
	kt_collector_name(collector, "later", false);
	add(2, 5, 1);
	kt_collector_name_pid(collector, &(struct kt_origin){.pid = 2, .trace = 1},
			      "elsewhere");
	kt_collector_name_pid(collector, &(struct kt_origin){.pid = 2}, "dumped");
	kt_collector_name_pid(collector, &(struct kt_origin){.pid = 2}, "again");
	add_begin(3, "a\nb\xff\xc2\x80\xc3\xa9");
	add(3, 1, 1);
	add_begin(4, "");
	add(4, 1, 1);
	finish(4);
	expect(0, "trace/context.0 cut-begin cut-end: 1");
	expect(1, "trace/dumped.0 cut-begin cut-end: 1");
	expect(2, "trace/a?b???\xc3\xa9.0 cut-end: 1");
	expect(3, "trace/unknown.0 cut-end: 1");
	end();
}

/* Events in a random order within a window give the same words as in order. */
static void test_shuffled(void)
{
	enum { N = 3000 };
	static uint64_t seqs[N];
	uint64_t seed = 1;
	size_t n = 0;

	begin();
	for (uint64_t seq = 1; n < N; seq++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		if (seed >> 60 != 0) {
			seqs[n++] = seq;
		}
	}
	for (size_t i = 0; i + 20 < N; i++) {
		size_t j = i + (size_t)(seed >> 33) % 20;
		uint64_t swap = seqs[i];

		seqs[i] = seqs[j];
		seqs[j] = swap;
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	}
	add_begin(7, "app");
	for (size_t i = 0; i < N; i++) {
		add(7, seqs[i], (uint32_t)seqs[i]);
	}
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(collector), KT_OK);
	n = 0;
	for (size_t i = 0; i < kt_collector_count(collector); i++) {
		const struct kt_collected_word *w = kt_collector_word(collector, i);
		const struct kt_record *letters = letters_of(w);

		for (size_t j = 0; j < w->n; j++, n++) {
			CU_ASSERT_EQUAL(letters[j].letter, letters[j].seq);
			CU_ASSERT_TRUE(j == 0 || letters[j].seq == letters[j - 1].seq + 1);
		}
		CU_ASSERT_TRUE(i == 0 || w->info.lost > 0);
	}
	CU_ASSERT_EQUAL(n, N);
	end();
}

/* Far out of order: every event of a long life, backwards. */
static void test_backwards(void)
{
	begin();
	add_begin(7, "app");
	for (uint32_t i = 4000; i > 0; i--) {
		add(7, i, i);
	}
	finish(1);
	CU_ASSERT_EQUAL(kt_collector_word(collector, 0)->n, 4000);
	CU_ASSERT_EQUAL(letters_of(kt_collector_word(collector, 0))[3999].letter, 4000);
	end();
}

/* --- at random --- */

/* An event of a random trace. */
struct drawn {
	struct kt_origin origin;
	struct kt_record record;
	const char *name; /* of a process_begin */
};

static uint64_t drawing;

static uint32_t draw(uint32_t n)
{
	drawing ^= drawing >> 12;
	drawing ^= drawing << 25;
	drawing ^= drawing >> 27;
	return (uint32_t)((drawing * UINT64_C(0x2545f4914f6cdd1d) >> 32) * n >> 32);
}

static struct kt_record draw_record(uint64_t seq)
{
	struct kt_record r = {.seq = seq,
			      .tid = 1 + draw(3),
			      .letter = draw(5) ? draw(6) : NONE,
			      .run = draw(3),
			      .mapping = 1 + draw(2)};

	r.run = r.letter == NONE ? KT_RUN_NONE : r.run;
	return r;
}

/* One life of a process: perhaps without its beginning, its end, and some between. */
static size_t draw_life(struct drawn *out, uint32_t pid, bool kernel)
{
	static const char *const names[] = {"app", "tool", "sh"};
	struct kt_origin origin = {.pid = pid, .trace = pid % 2, .kernel = kernel};
	uint64_t seq = draw(4) ? 0 : 1 + draw(40);
	uint32_t n = draw(60);
	uint32_t lossy = draw(3) ? 0 : 1 + draw(10);
	size_t made = 0;

	if (seq == 0) {
		out[made++] =
			(struct drawn){origin,
				       {.tid = 1, .letter = NONE, .kind = KT_EVENT_BEGIN},
				       names[draw(3)]};
		seq++;
	}
	for (uint32_t i = 0; i < n; i++, seq++) {
		if (lossy == 0 || draw(20) >= lossy) {
			out[made++] = (struct drawn){origin, draw_record(seq), NULL};
		}
	}
	if (draw(4)) {
		out[made++] = (struct drawn){
			origin,
			{.seq = seq, .tid = 1, .letter = NONE, .kind = KT_EVENT_END},
			NULL};
	}
	return made;
}

/* Lives of a few pids after each other, mixed; events of one are off by a few places. */
static size_t draw_trace(struct drawn *out)
{
	static struct drawn lives[6][4 * 70];
	size_t n[6];
	size_t at[6] = {0};
	size_t left = 0;
	size_t made = 0;

	for (uint32_t p = 0; p < 6; p++) {
		n[p] = 0;
		for (uint32_t life = 1 + draw(3); life > 0; life--) {
			size_t from = n[p];

			n[p] += draw_life(lives[p] + n[p], p % 4 + 1, p >= 4);
			/* Behind its first event, which opens it. */
			for (size_t i = from + 1; i + 3 < n[p]; i++) {
				size_t j = i + draw(8) / 6 * draw(3);
				struct drawn swap = lives[p][i];

				lives[p][i] = lives[p][j];
				lives[p][j] = swap;
			}
		}
		left += n[p];
	}
	for (; left > 0; left--) {
		uint32_t p = draw(6);

		while (at[p] == n[p]) {
			p = (p + 1) % 6;
		}
		out[made++] = lives[p][at[p]++];
	}
	return made;
}

static kt_collector *collect(const struct drawn *drawn, size_t n, enum kt_word_unit unit,
			     enum kt_source source)
{
	begin_unit(unit, source);
	for (size_t i = 0; i < n; i++) {
		add_record(drawn[i].origin, drawn[i].record);
		if (drawn[i].name) {
			kt_collector_name(collector, drawn[i].name, true);
		}
	}
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(collector), KT_OK);
	return collector;
}

static bool same_word(const struct kt_collected_word *a, const struct kt_collected_word *b)
{
	const struct kt_record *letters = letters_of(b);
	bool same = strcmp(a->info.name, b->info.name) == 0 && a->n == b->n &&
		    a->info.lost == b->info.lost && a->info.cut_end == b->info.cut_end &&
		    a->info.cut_begin == b->info.cut_begin;

	for (size_t i = 0; i < a->n && same; i++) {
		same = a->letters[i].letter == letters[i].letter &&
		       a->letters[i].seq == letters[i].seq &&
		       a->letters[i].tid == letters[i].tid &&
		       a->letters[i].time == letters[i].time;
	}
	return same;
}

static bool same_totals(const struct kt_collect_totals *a,
			const struct kt_collect_totals *b)
{
	return a->events == b->events && a->lost == b->lost &&
	       a->cut_begins == b->cut_begins && a->cut_ends == b->cut_ends &&
	       a->processes == b->processes && b->late == 0;
}

/* What a listener hears is what is there in the end. */
static void compare_modes(uint64_t seed)
{
	static struct drawn drawn[6 * 4 * 70];
	enum kt_word_unit unit = seed % 2 ? KT_WORD_PROCESS : KT_WORD_THREAD;
	enum kt_source source = seed % 3 ? KT_SOURCE_USER : KT_SOURCE_KERNEL;
	kt_collector *kept;
	size_t n;

	drawing = seed * UINT64_C(0x9e3779b97f4a7c15);
	n = draw_trace(drawn);
	listening = false;
	kept = collect(drawn, n, unit, source);
	listening = true;
	collect(drawn, n, unit, source);
	CU_ASSERT_EQUAL_FATAL(kt_collector_count(kept), kt_collector_count(collector));
	for (size_t i = 0; i < kt_collector_count(kept); i++) {
		CU_ASSERT(same_word(kt_collector_word(kept, i),
				    kt_collector_word(collector, i)));
	}
	CU_ASSERT(same_totals(kt_collector_totals(kept), kt_collector_totals(collector)));
	kt_collector_free(kept);
	end();
}

static void test_random(void)
{
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		compare_modes(seed);
	}
}

/* --- what only a listener sees --- */

static void test_told_at_once(void)
{
	begin();
	add_begin(7, "app");
	add(7, 1, 1);
	CU_ASSERT_EQUAL_FATAL(n_heard, 1);
	CU_ASSERT_EQUAL(heard[0].n, 1);
	add(7, 3, 3);
	CU_ASSERT_EQUAL(heard[0].n, 1); /* it waits for number 2 */
	add(7, 2, 2);
	CU_ASSERT_EQUAL(heard[0].n, 3);
	CU_ASSERT_FALSE(heard[0].ended || heard[0].provisional);
	add_begin(7, "next");
	CU_ASSERT(heard[0].ended);
	finish(1);
	expect(0, "trace/app.0 cut-end: 1 2 3");
	end();
}

/* As many events as may wait do; the next one, and the loss is taken for one. */
static void test_window(void)
{
	begin();
	add_begin(7, "app");
	for (uint32_t i = 0; i < KT_STREAM_WINDOW; i++) {
		add(7, 2 + i, i);
	}
	CU_ASSERT_EQUAL(n_heard, 0);
	add(7, 2 + KT_STREAM_WINDOW, 0);
	CU_ASSERT_EQUAL_FATAL(n_heard, 1);
	CU_ASSERT_EQUAL(heard[0].n, KT_STREAM_WINDOW + 1);
	CU_ASSERT(heard[0].cut_begin);
	add(7, 1, 5); /* too late */
	finish(1);
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->late, 1);
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->lost, 1);
	CU_ASSERT_EQUAL(kt_collector_word(collector, 0)->info.lost, 1);
	end();
}

/* None waits for long, whoever's event tells the time. */
static void test_patience(void)
{
	begin();
	add_begin(7, "app");
	add(7, 1, 1);
	add(7, 3, 3);
	now += KT_STREAM_PATIENCE - 1;
	add_begin(8, "other");
	CU_ASSERT_EQUAL(heard[0].n, 1);
	CU_ASSERT_EQUAL(n_heard, 1);
	add(8, 1, 1);
	CU_ASSERT_EQUAL_FATAL(n_heard, 3);
	CU_ASSERT_EQUAL(heard[2].n, 1);
	finish(3);
	expect(0, "trace/app.0.0 cut-end: 1");
	expect(1, "trace/app.0.1 lost 1 cut-begin cut-end: 3");
	expect(2, "trace/other.0 cut-end: 1");
	end();
}

static int forget_letter(void *context, size_t number, const struct kt_record *record)
{
	(void)number;
	*(uint64_t *)context += record->letter;
	return KT_OK;
}

/* Ten thousand events or half a million: the same memory. */
static void test_memory(void)
{
	uint64_t sum = 0;
	struct kt_word_listener silent = {hear_begin, forget_letter, hear_end, &sum};
	size_t used = 0;

	begin();
	kt_collector_listen(collector, &silent);
	add_begin(1, "app");
	for (uint32_t i = 1; i <= 500000; i++) {
		/* Every other pair comes in the wrong order. */
		add_access(1 + i % 5,
			   i % 4 == 1   ? i + 1
			   : i % 4 == 2 ? i - 1
					: i,
			   i % 3, 1, i % 7);
		used = i == 10000 ? mallinfo2().uordblks : used;
	}
	CU_ASSERT_EQUAL(mallinfo2().uordblks, used);
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(collector), KT_OK);
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->lost, 0);
	CU_ASSERT(sum > 0);
	end();
}

/* --- what spells --- */

static int n_spellers;

static int begin_speller(void *context, void **speller)
{
	*speller = context;
	n_spellers++;
	return KT_OK;
}

static int take_as_it_is(void *speller, const struct kt_record *record, bool behind_gap,
			 const struct kt_record **out, size_t *n)
{
	(void)speller;
	(void)behind_gap;
	*out = record;
	*n = record != NULL;
	return KT_OK;
}

static uint32_t strays(const void *speller)
{
	(void)speller;
	return 3;
}

static void end_speller(void *speller)
{
	(void)speller;
	n_spellers--;
}

static void drop_record(void *context, const struct kt_record *record)
{
	(void)record;
	++*(int *)context;
}

static const struct kt_spelling plain = {.begin = begin_speller,
					 .take = take_as_it_is,
					 .strays = strays,
					 .end = end_speller,
					 .drop = drop_record};

/* What spells a process's commands is large: it goes soon after the process. */
static void test_ended(void)
{
	int dropped = 0;

	begin();
	kt_collector_set_spell(collector, &plain, &dropped);
	add_begin(7, "app");
	add(7, 1, 1);
	add_end(7, 2);
	add(7, 3, 3); /* of another thread */
	add_end(7, 4);
	add_begin(8, "other");
	add(8, 1, 1);
	CU_ASSERT_EQUAL(n_spellers, 2);
	now += 3 * KT_STREAM_PATIENCE;
	add(8, 2, 2);
	CU_ASSERT_EQUAL(n_spellers, 1);
	CU_ASSERT(heard[0].ended && !heard[1].ended);
	add(7, 5, 5); /* too late */
	CU_ASSERT_EQUAL(dropped, 1);
	now += 3 * KT_STREAM_PATIENCE;
	add_begin(7, "next");
	add(7, 1, 1);
	finish(3);
	CU_ASSERT_EQUAL(kt_collector_totals(collector)->late, 1);
	expect(0, "trace/app.0: 1 3");
	expect(1, "trace/other.0 cut-end: 1 2");
	expect(2, "trace/next.0 cut-end: 1");
	CU_ASSERT_EQUAL(n_spellers, 0);
	end();
}

static void expect_now(size_t number, const char *name)
{
	char *got;

	CU_ASSERT_EQUAL_FATAL(kt_collector_name_now(&got, collector, number), KT_OK);
	CU_ASSERT_STRING_EQUAL(got, name);
	free(got);
}

static void test_names_now(void)
{
	begin();
	add_begin(1, "app");
	add(1, 1, 1);
	add_begin(2, "app");
	add(2, 1, 1);
	expect_now(0, "trace/app.0");
	expect_now(1, "trace/app.1");
	now += 2 * KT_STREAM_PATIENCE;
	add(2, 5, 1);
	now += 2 * KT_STREAM_PATIENCE;
	add(3, 1, 1);
	now += 2 * KT_STREAM_PATIENCE;
	add(2, 6, 1);
	expect_now(1, "trace/app.1"); /* app.1.0 in the end */
	expect_now(2, "trace/app.1.1");
	expect_now(3, "trace/unknown.0");
	finish(4);
	expect(1, "trace/app.1.0 cut-end: 1");
	expect(2, "trace/app.1.1 lost 3 cut-begin cut-end: 1 1");
	end();
}

/* Letters of no channel are told of as those of one more than there is so far. */
static void test_strays_now(void)
{
	int dropped = 0;

	begin_unit(KT_WORD_CHANNEL, KT_SOURCE_USER);
	kt_collector_set_spell(collector, &plain, &dropped);
	add_begin(1, "app");
	add_access(1, 1, KT_RUN_NONE, 2, 5);
	add_access(1, 2, KT_RUN_NONE, KT_NO_CHANNEL, 6);
	expect_now(0, "trace/app.0.c2");
	expect_now(1, "trace/app.0.c3");
	finish(2);
	expect(1, "trace/app.0.c3 cut-end: 6");
	end();
}

static void test_provisional(void)
{
	begin();
	add_both();
	CU_ASSERT_EQUAL_FATAL(n_heard, 3);
	CU_ASSERT(!heard[0].provisional && heard[1].provisional && heard[2].provisional);
	finish(2);
	CU_ASSERT_EQUAL(kt_collector_word(collector, 1)->number, 2);
	end();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"whole processes", test_whole},
		{"out of order", test_out_of_order},
		{"gaps", test_gaps},
		{"attached late", test_late},
		{"exec", test_exec},
		{"a pid used again", test_pid_used_again},
		{"runs of accesses", test_runs},
		{"threads", test_threads},
		{"user and kernel events", test_sources},
		{"several traces", test_traces},
		{"names", test_names},
		{"shuffled", test_shuffled},
		{"backwards", test_backwards},
		CU_TEST_INFO_NULL,
	};

	CU_TestInfo listeners[] = {
		{"random traces, kept and told", test_random},
		{"letters are told at once", test_told_at_once},
		{"the window", test_window},
		{"patience", test_patience},
		{"names on the way", test_names_now},
		{"words of no channel on the way", test_strays_now},
		{"words of the other source", test_provisional},
		{"memory", test_memory},
		{"memory of processes that are over", test_ended},
		CU_TEST_INFO_NULL,
	};
	int status = kt_run_suite("collect", tests);

	listening = true;
	status |= kt_run_suite("collect, with a listener", tests);
	return status | kt_run_suite("listeners", listeners);
}
