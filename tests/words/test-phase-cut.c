/* SPDX-License-Identifier: MIT */
/*
 * Tests the phases of records: those of processes written by hand, and those of random
 * processes, for which the rule is also applied to all records at once.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/split/phase-cut.h"
#include "infer/words/split/trace-filter.h"
#include "tests/suite.h"

#define MOST 400

static struct {
	struct kt_record records[MOST];
	size_t n;
	bool within[MOST]; /* whether take() got the record as selected */
	size_t taken;
	size_t waited; /* the largest number of records that waited */
} process;

static int take(void *context, const struct kt_record *record, bool within)
{
	(void)context;
	CU_ASSERT_EQUAL(record->seq, process.records[process.taken].seq);
	process.within[process.taken++] = within;
	return KT_OK;
}

static void run(const char *phases, bool ended)
{
	struct kt_trace_filter filter = {.phase = phases};
	struct kt_phase_cut cut = {.begun = false};

	CU_ASSERT_EQUAL_FATAL(kt_trace_filter_settle(&filter), KT_OK);
	process.taken = process.waited = 0;
	for (size_t i = 0; i < process.n; i++) {
		CU_ASSERT_EQUAL(
			kt_phase_cut_put(&cut, &filter, &process.records[i], take, NULL),
			KT_OK);
		process.waited =
			cut.n_waiting > process.waited ? cut.n_waiting : process.waited;
	}
	CU_ASSERT_EQUAL(kt_phase_cut_finish(&cut, &filter, ended, take, NULL), KT_OK);
	CU_ASSERT_EQUAL(process.taken, process.n);
	kt_phase_cut_clear(&cut);
	kt_trace_filter_clear(&filter);
}

/*
 * Sets the records that a text describes: "[" begins a call with a wanted phase and "(" a
 * call with another phase, "]" returns from the innermost call and "}" from the call around
 * it, "." is any other event, "!" is a missing event. A digit is the thread of the records
 * after it.
 */
static void set(const char *text)
{
	uint64_t seq = 0;
	uint32_t tid = 0;

	process.n = 0;
	for (; *text; text++) {
		struct kt_record *r = &process.records[process.n];

		if (*text == '!') {
			seq++;
		} else if (*text >= '0' && *text <= '9') {
			tid = (uint32_t)(*text - '0');
		} else {
			*r = (struct kt_record){.seq = seq++, .tid = tid};
			r->kind = *text == '['          ? KT_EVENT_ENTER
				  : *text == '('        ? KT_EVENT_ENTER_OTHER
				  : strchr("]}", *text) ? KT_EVENT_RETURN
							: KT_EVENT_OTHER;
			r->mapping = *text == '}' ? 2 : 1;
			process.n++;
		}
	}
}

/* `wanted` has 1 for each record that must be selected, and 0 for each other one. */
static void expect(const char *text, const char *phases, bool ended, const char *wanted)
{
	char got[MOST + 1];

	set(text);
	run(phases, ended);
	for (size_t i = 0; i < process.n; i++) {
		got[i] = process.within[i] ? '1' : '0';
	}
	got[process.n] = '\0';
	CU_ASSERT_STRING_EQUAL(got, wanted);
}

static void test_calls(void)
{
	expect("...", "CREATE", true, "000");
	expect("..[.].", "USE", false, "001111");
	expect("..[.].", "USE", true, "001110");
	expect("..[.].", "CREATE,USE", true, "111110");
	expect("..[.].", "USE,DESTROY", true, "001111");
	expect("..(.].", "DESTROY", true, "000001");
	expect("..(.].", "DESTROY", false, "000000");
	expect("..(.].", "CREATE", true, "110000");
	/* The innermost call decides; between two calls the earlier one decides. */
	expect("[.(.].].(].", "USE", false, "11000111000");
	expect("[].(]..[]", "USE", false, "111000011");
}

static void test_threads(void)
{
	/* Outside of calls, the phase is that of the process's last event within a call. */
	expect("0[.1..0].1.", "USE", false, "1111111");
	expect("0[1(0.1]0]1.", "USE", false, "101011");
}

static void test_gaps(void)
{
	/* After a gap, no call counts as open, because its return may be missing. */
	expect("[.!.(].", "USE", false, "111000");
	expect("(!..", "DESTROY", true, "011");
	/* A return from a call whose beginning is missing changes nothing. */
	expect("[!].(].", "USE", false, "111000");
}

/* A call that is left by longjmp() ends with the call around it. */
static void test_left(void)
{
	expect("[.(.}.", "USE", false, "110011");
	expect("[.(.}.", "DESTROY", true, "110011");
	expect("(.[.}.", "USE", true, "001100");
	/* The beginning of the outer call may be before a gap. */
	expect("[!(.}.].", "USE", false,
	       "10000"
	       "00");
}

static void test_depth(void)
{
	char text[2 * 80 + 1];
	char wanted[2 * 80 + 1];

	memset(text, '[', 80);
	memset(text + 80, ']', 80);
	memset(wanted, '1', 160);
	text[160] = wanted[160] = '\0';
	expect(text, "USE", false, wanted);
	CU_ASSERT_EQUAL(process.waited, 0);
}

/* --- random processes --- */

static uint64_t drawing;

static uint32_t draw(uint32_t n)
{
	drawing ^= drawing >> 12;
	drawing ^= drawing << 25;
	drawing ^= drawing >> 27;
	return (uint32_t)((drawing * UINT64_C(0x2545f4914f6cdd1d) >> 32) * n >> 32);
}

/*
 * Returns where the innermost open call of the record's thread begins; SIZE_MAX if there is
 * none.
 */
static size_t innermost(size_t at)
{
	const struct kt_record *r = process.records;
	size_t closed = 0;

	if (r[at].kind == KT_EVENT_ENTER || r[at].kind == KT_EVENT_ENTER_OTHER) {
		return at;
	}
	for (size_t i = at; i-- > 0 && r[i + 1].seq == r[i].seq + 1;) {
		if (r[i].tid != r[at].tid) {
			continue;
		}
		if (r[i].kind == KT_EVENT_RETURN) {
			closed++;
		} else if (r[i].kind != KT_EVENT_OTHER && closed-- == 0) {
			return i;
		}
	}
	return SIZE_MAX;
}

/* Returns whether a record has a wanted phase, by looking at all records. */
static bool is_within(size_t at, const struct kt_trace_filter *filter, bool ended)
{
	size_t before = at;
	size_t after = at;

	if (innermost(at) != SIZE_MAX) {
		return process.records[innermost(at)].kind == KT_EVENT_ENTER;
	}
	while (before > 0 && innermost(before) == SIZE_MAX) {
		before--;
	}
	while (after < process.n && innermost(after) == SIZE_MAX) {
		after++;
	}
	if (innermost(before) == SIZE_MAX) {
		return after < process.n && (filter->phases & 1U << KT_API_PHASE_CREATE);
	}
	return after == process.n && ended
		       ? filter->phases & 1U << KT_API_PHASE_DESTROY
		       : process.records[innermost(before)].kind == KT_EVENT_ENTER;
}

static void test_random(void)
{
	static const char *const phases[] = {"CREATE", "USE", "DESTROY", "CREATE,DESTROY",
					     "CREATE,USE,DESTROY"};

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct kt_trace_filter filter = {.phase = phases[seed % 5]};
		const bool ended = seed % 3;
		uint32_t open[3] = {0};
		uint64_t seq = 0;

		drawing = seed * UINT64_C(0x9e3779b97f4a7c15);
		process.n = draw(60);
		for (size_t i = 0; i < process.n; i++) {
			const uint32_t tid = draw(1 + seed % 3);
			const uint32_t what = draw(8);
			struct kt_record *r = &process.records[i];

			if (i > 0 && draw(20) == 0) {
				seq++;
				memset(open, 0, sizeof(open));
			}
			*r = (struct kt_record){.seq = seq++, .tid = tid};
			if (what < 2) {
				r->kind = what ? KT_EVENT_ENTER : KT_EVENT_ENTER_OTHER;
				open[tid]++;
			} else if (what < 4 && open[tid] > 0) {
				r->kind = KT_EVENT_RETURN;
				r->mapping = 1;
				open[tid]--;
			}
		}
		run(phases[seed % 5], ended);
		CU_ASSERT_EQUAL_FATAL(kt_trace_filter_settle(&filter), KT_OK);
		for (size_t i = 0; i < process.n; i++) {
			CU_ASSERT_EQUAL_FATAL(process.within[i],
					      is_within(i, &filter, ended));
		}
		kt_trace_filter_clear(&filter);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"calls", test_calls}, {"threads", test_threads},
		{"gaps", test_gaps},   {"calls that do not return", test_left},
		{"depth", test_depth}, {"random processes", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("phase-cut", tests);
}
