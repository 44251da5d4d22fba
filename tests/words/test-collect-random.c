/* SPDX-License-Identifier: MIT */
/*
 * Checks with random traces that the letters reported to a listener are those that the
 * collector has at the end.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/split/trace-filter.h"
#include "tests/suite.h"
#include "tests/words/collect-rig.h"

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

/* Draws the beginning or the return of an API call, as --phase marks them. */
static struct kt_record draw_call(uint64_t seq)
{
	static const enum kt_event_kind kinds[] = {KT_EVENT_ENTER, KT_EVENT_ENTER_OTHER,
						   KT_EVENT_RETURN};

	return (struct kt_record){.seq = seq,
				  .tid = 1 + draw(3),
				  .letter = NONE,
				  .kind = kinds[draw(3)],
				  .mapping = draw(8) ? 1 : 2};
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

/*
 * Draws one process instance; its beginning, its end and some events between may be
 * missing.
 */
static size_t draw_instance(struct drawn *out, uint32_t pid, bool kernel)
{
	static const char *const names[] = {"app", "tool", "sh"};
	struct kt_origin origin = {.pid = pid, .trace = pid % 2, .kernel = kernel};
	uint64_t seq = draw(4) ? 0 : 1 + draw(40);
	uint32_t n = draw(60);
	uint32_t lossy = draw(3) ? 0 : 1 + draw(10);
	size_t n_out = 0;

	if (seq == 0) {
		out[n_out++] =
			(struct drawn){origin,
				       {.tid = 1, .letter = NONE, .kind = KT_EVENT_BEGIN},
				       names[draw(3)]};
		seq++;
	}
	for (uint32_t i = 0; i < n; i++, seq++) {
		if (lossy == 0 || draw(20) >= lossy) {
			out[n_out++] = (struct drawn){
				origin, draw(6) ? draw_record(seq) : draw_call(seq), NULL};
		}
	}
	if (draw(4)) {
		out[n_out++] = (struct drawn){
			origin,
			{.seq = seq, .tid = 1, .letter = NONE, .kind = KT_EVENT_END},
			NULL};
	}
	return n_out;
}

/*
 * Draws successive instances of a few pids, interleaved; the events of an instance are up
 * to a few positions out of order.
 */
static size_t draw_trace(struct drawn *out)
{
	static struct drawn instances[6][4 * 70];
	size_t n[6];
	size_t at[6] = {0};
	size_t left = 0;
	size_t n_out = 0;

	for (uint32_t p = 0; p < 6; p++) {
		n[p] = 0;
		for (uint32_t instance = 1 + draw(3); instance > 0; instance--) {
			size_t from = n[p];

			n[p] += draw_instance(instances[p] + n[p], p % 4 + 1, p >= 4);
			/* Keeps the first event in place, since it begins the instance. */
			for (size_t i = from + 1; i + 3 < n[p]; i++) {
				size_t j = i + draw(8) / 6 * draw(3);
				struct drawn swap = instances[p][i];

				instances[p][i] = instances[p][j];
				instances[p][j] = swap;
			}
		}
		left += n[p];
	}
	for (; left > 0; left--) {
		uint32_t p = draw(6);

		while (at[p] == n[p]) {
			p = (p + 1) % 6;
		}
		out[n_out++] = instances[p][at[p]++];
	}
	return n_out;
}

static kt_collector *collect(const struct drawn *drawn, size_t n, enum kt_word_unit unit,
			     enum kt_source source, const struct kt_trace_filter *filter)
{
	rig_begin_unit(unit, source);
	kt_collector_select(rig.collector, filter);
	for (size_t i = 0; i < n; i++) {
		rig_add_record(drawn[i].origin, drawn[i].record);
		if (drawn[i].name) {
			kt_instance_name(kt_collector_instance(rig.collector),
					 drawn[i].name, true);
		}
	}
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(rig.collector), KT_OK);
	return rig.collector;
}

static bool same_word(const struct kt_collected_word *a, const struct kt_collected_word *b)
{
	const struct kt_record *letters = rig_letters_of(b);
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
	       a->truncated == b->truncated && a->processes == b->processes && b->late == 0;
}

/* Compares the letters reported to a listener with those of a collector without one. */
static void compare_modes(uint64_t seed)
{
	static struct drawn drawn[6 * 4 * 70];
	enum kt_word_unit unit = seed % 2 ? KT_WORD_PROCESS : KT_WORD_THREAD;
	enum kt_source source = seed % 3 ? KT_SOURCE_USER : KT_SOURCE_KERNEL;
	static const char *const phases[] = {"CREATE", "USE", "DESTROY", "CREATE,DESTROY"};
	struct kt_trace_filter filter = {.phase = seed % 5 ? NULL : phases[seed / 5 % 4]};
	kt_collector *kept;
	size_t n;

	/* With --phase, words are those of threads. */
	unit = kt_word_unit_within(unit, &filter);
	CU_ASSERT_EQUAL_FATAL(kt_trace_filter_settle(&filter), KT_OK);
	drawing = seed * UINT64_C(0x9e3779b97f4a7c15);
	n = draw_trace(drawn);
	rig.listening = false;
	kept = collect(drawn, n, unit, source, filter.any ? &filter : NULL);
	rig.listening = true;
	collect(drawn, n, unit, source, filter.any ? &filter : NULL);
	CU_ASSERT_EQUAL_FATAL(kt_collector_count(kept), kt_collector_count(rig.collector));
	for (size_t i = 0; i < kt_collector_count(kept); i++) {
		CU_ASSERT(same_word(kt_collector_word(kept, i),
				    kt_collector_word(rig.collector, i)));
	}
	CU_ASSERT(
		same_totals(kt_collector_totals(kept), kt_collector_totals(rig.collector)));
	kt_collector_free(kept);
	rig_end();
	kt_trace_filter_clear(&filter);
}

static void test_random(void)
{
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		compare_modes(seed);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random traces, kept and reported", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("collect-random", tests);
}
