/* SPDX-License-Identifier: MIT */
/* Which call each letter was in, against the oracle: random processes. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/alphabet/letters.h"
#include "infer/words/split/letter-calls.h"
#include "tests/suite.h"
#include "tests/words/call-oracle.h"

#define EVENTS 60

static uint64_t drawing;

static uint32_t draw(uint32_t n)
{
	drawing ^= drawing >> 12;
	drawing ^= drawing << 25;
	drawing ^= drawing >> 27;
	return (uint32_t)((drawing * UINT64_C(0x2545f4914f6cdd1d) >> 32) * n >> 32);
}

struct drawn {
	struct oracle_event events[EVENTS];
	struct kt_record records[EVENTS];
	char names[EVENTS][16];
};

/* Calls that return as they should, those that do not, returns out of nowhere. */
static void draw_process(struct drawn *out, uint64_t seed)
{
	const uint32_t chaos = (uint32_t)(seed % 5);
	uint64_t open[3][EVENTS];
	size_t depth[3] = {0};
	uint64_t seq = draw(2) * draw(9);

	for (size_t i = 0; i < EVENTS; i++, seq++) {
		struct oracle_event *e = &out->events[i];
		uint32_t t = draw(3);
		uint32_t what = draw(8);

		seq += chaos && draw(25) == 0 ? 1 + draw(3) : 0;
		*e = (struct oracle_event){.seq = seq, .tid = 10 + t};
		if (what < 3) {
			e->kind = ORACLE_ENTER;
			e->correlation = chaos > 2 ? draw(12) : 100 + i;
			open[t][depth[t]++] = e->correlation;
		} else if (what < 6 && depth[t] > 0) {
			e->kind = ORACLE_EXIT;
			e->correlation = open[t][--depth[t]];
			if (chaos && draw(6) == 0) {
				e->correlation = open[t][draw((uint32_t)depth[t] + 1)];
			}
		} else if (chaos > 1 && draw(10) == 0) {
			e->kind = ORACLE_EXIT;
			e->correlation = draw(120);
		} else if (chaos > 1 && draw(30) == 0) {
			e->kind = ORACLE_END;
		}
	}
}

static void make_record(struct kt_letter_calls *calls, struct drawn *d, size_t i)
{
	const struct oracle_event *e = &d->events[i];
	struct kt_record *r = &d->records[i];

	*r = (struct kt_record){.seq = e->seq,
				.tid = e->tid,
				.letter = draw(4) ? draw(9) : KT_NO_LETTER,
				.detail = calls->details ? 1000 + (uint32_t)i : 0};
	snprintf(d->names[i], sizeof(d->names[i]), "call%zu", i);
	if (e->kind == ORACLE_END) {
		r->kind = KT_EVENT_END;
	} else if (e->kind != ORACLE_OTHER) {
		CU_ASSERT_EQUAL_FATAL(kt_letter_calls_add(calls, e->kind == ORACLE_ENTER,
							  e->correlation, d->names[i], r),
				      KT_OK);
	}
}

static bool is_call(const struct kt_letter_calls *calls, const struct drawn *d,
		    const struct kt_call_event *call, size_t expected)
{
	if (!call || expected == NO_CALL) {
		return !call && expected == NO_CALL;
	}
	return strcmp(calls->names.items[call->name], d->names[expected]) == 0 &&
	       call->correlation == d->events[expected].correlation;
}

static size_t count_wrong(const struct kt_letter_calls *calls, const struct drawn *d)
{
	size_t wrong = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		const struct kt_record *r = &d->records[i];
		const struct kt_call_event *call;

		if (r->letter == KT_NO_LETTER) {
			continue;
		}
		call = kt_letter_calls_call(calls, r->detail);
		wrong += !is_call(calls, d, call, oracle_innermost(d->events, i));
		if (call) {
			wrong += !is_call(calls, d,
					  kt_letter_calls_event(calls, call->outermost),
					  oracle_outermost(d->events, i));
		}
		wrong += calls->n > 0 && kt_letter_calls_detail(calls, r->detail) !=
						 (calls->details ? 1000 + i : 0);
	}
	return wrong;
}

static void compare(uint64_t seed)
{
	static struct drawn drawn;
	struct kt_letter_calls calls = {.details = seed % 2};

	drawing = seed * UINT64_C(0x9e3779b97f4a7c15);
	draw_process(&drawn, seed);
	for (size_t i = 0; i < EVENTS; i++) {
		make_record(&calls, &drawn, i);
	}
	oracle_match(drawn.events, EVENTS);
	CU_ASSERT_EQUAL_FATAL(kt_letter_calls_follow(&calls, drawn.records, EVENTS), KT_OK);
	CU_ASSERT_EQUAL(count_wrong(&calls, &drawn), 0);
	kt_letter_calls_free(&calls);
}

static void test_random(void)
{
	for (uint64_t seed = 1; seed <= 4000; seed++) {
		compare(seed);
	}
}

static void test_none(void)
{
	struct kt_letter_calls calls = {.details = true};
	struct kt_record record = {.letter = 1, .detail = 7};

	CU_ASSERT_EQUAL(kt_letter_calls_follow(&calls, &record, 1), KT_OK);
	CU_ASSERT_EQUAL(kt_letter_calls_detail(&calls, record.detail), 7);
	CU_ASSERT_PTR_NULL(kt_letter_calls_call(&calls, record.detail));
	CU_ASSERT_PTR_NULL(calls.besides);
	kt_letter_calls_free(&calls);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"no calls, nothing is kept", test_none},
		{"random processes", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("letter-calls", tests);
}
