/* SPDX-License-Identifier: MIT */
/*
 * Tests phases by structure: machines built by hand, and random machines, which are
 * compared with a slow application of the definition.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/phases/phases-structure.h"
#include "infer/graph/dominators.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define STATES_MAX      10
#define TRANSITIONS_MAX 40

static char read_memory[] = "R:sys";
static char doorbell[] = "W:reg";
static char allocate[] = "ioctl:0x2b";
static char launch[] = "submit:launch";
static char *letters[] = {read_memory, doorbell, allocate, launch};

struct small {
	struct kt_fsm fsm;
	struct kt_fsm_state states[STATES_MAX];
	struct kt_fsm_transition transitions[TRANSITIONS_MAX];
};

static void begin(struct small *small, size_t n_states, uint32_t end)
{
	memset(small, 0, sizeof(*small));
	small->fsm.letters = letters;
	small->fsm.n_letters = 4;
	small->fsm.states = small->states;
	small->fsm.n_states = n_states;
	small->fsm.transitions = small->transitions;
	small->states[end].ends = 1;
}

static void add(struct small *small, uint32_t from, uint32_t letter, uint32_t to,
		uint64_t count)
{
	small->transitions[small->fsm.n_transitions++] = (struct kt_fsm_transition){
		.from = from, .letter = letter, .to = to, .count = count};
}

/* Compares the phases with texts that have one character for each: C, I, U, D or -. */
static void check(const struct small *small, const char *states, const char *transitions)
{
	struct kt_structure structure;
	char text[TRANSITIONS_MAX + 1] = "";

	CU_ASSERT_EQUAL_FATAL(kt_structure_find(&structure, &small->fsm), KT_OK);
	for (size_t i = 0; i < small->fsm.n_states; i++) {
		text[i] = kt_api_phase_name(structure.states[i])[0];
	}
	CU_ASSERT_STRING_EQUAL(text, states);
	for (size_t i = 0; i < small->fsm.n_transitions; i++) {
		text[i] = kt_api_phase_name(structure.transitions[i])[0];
	}
	text[small->fsm.n_transitions] = '\0';
	CU_ASSERT_STRING_EQUAL(text, transitions);
	kt_structure_clear(&structure);
	CU_ASSERT_PTR_NULL(structure.states);
}

/*
 * 0 -> 1: created; 1 -> 2 -> 1 writes the doorbell 20 times; 1 -> 3 -> 1 maps memory; 1
 * -> 4 -> 1 writes the doorbell once; 1 -> 5 -> 6: torn down.
 */
static void make_cycle(struct small *small)
{
	begin(small, 7, 6);
	add(small, 0, 2, 1, 1);
	add(small, 1, 0, 2, 20);
	add(small, 2, 1, 1, 20);
	add(small, 1, 2, 3, 1);
	add(small, 3, 0, 1, 1);
	add(small, 1, 1, 4, 1);
	add(small, 4, 0, 1, 1);
	add(small, 1, 2, 5, 1);
	add(small, 5, 0, 6, 1);
}

static void test_cycle(void)
{
	struct small small;
	struct kt_structure structure;

	make_cycle(&small);
	check(&small, "CUUIUDD", "UUUIUUUDD");
	CU_ASSERT_EQUAL_FATAL(kt_structure_find(&structure, &small.fsm), KT_OK);
	CU_ASSERT(structure.repeats);
	CU_ASSERT_EQUAL(structure.doorbells, 21);
	CU_ASSERT_EQUAL(structure.threshold, 3);
	CU_ASSERT_EQUAL(structure.work_states, 2);
	CU_ASSERT_EQUAL(structure.gate, 1);
	CU_ASSERT_EQUAL(structure.exit, 1);
	kt_structure_clear(&structure);
}

/* Without cycles, the work is everything between two doorbells. */
static void test_chain(void)
{
	struct small small;

	begin(&small, 6, 5);
	add(&small, 0, 0, 1, 1);
	add(&small, 1, 1, 2, 1);
	add(&small, 2, 0, 3, 1);
	add(&small, 3, 1, 4, 1);
	add(&small, 4, 0, 5, 1);
	check(&small, "CCUUDD", "CUUUD");
}

/* After a single doorbell no work can follow, but the doorbell itself is USE. */
static void test_one_doorbell(void)
{
	struct small small;

	begin(&small, 3, 2);
	add(&small, 0, 0, 1, 1);
	add(&small, 1, 3, 2, 1);
	check(&small, "CCD", "CU");
}

/* A doorbell is written once before the work and once after the work. */
static void test_around(void)
{
	struct small small;

	begin(&small, 8, 7);
	add(&small, 0, 2, 1, 1);
	add(&small, 1, 1, 2, 1);
	add(&small, 2, 0, 3, 1);
	add(&small, 3, 1, 3, 50);
	add(&small, 3, 0, 4, 1);
	add(&small, 4, 1, 5, 1);
	add(&small, 5, 0, 6, 1);
	add(&small, 6, 2, 7, 1);
	check(&small, "CCIUUDDD", "CIUUUUDD");
}

/*
 * A program that only queries, next to a program that works; and a state at which
 * truncated words begin.
 */
static void test_beside_the_work(void)
{
	struct small small;

	begin(&small, 6, 3);
	small.states[5].ends = 1;
	add(&small, 0, 0, 1, 2);
	add(&small, 1, 1, 1, 30);
	add(&small, 0, 2, 2, 1);
	add(&small, 1, 2, 3, 2);
	add(&small, 2, 2, 5, 1);
	add(&small, 4, 0, 1, 1);
	check(&small, "CU-DI-", "UU-D-U");
}

static void test_refuses(void)
{
	struct kt_structure structure;
	struct small small;

	begin(&small, 2, 1);
	add(&small, 0, 0, 1, 1);
	CU_ASSERT_EQUAL(kt_structure_find(&structure, &small.fsm), KT_E_EMPTY);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "no letter of this machine"));
	CU_ASSERT_PTR_NULL(structure.states);
	CU_ASSERT(kt_letter_is_doorbell("W:reg") && kt_letter_is_doorbell("submit:launch"));
	CU_ASSERT_FALSE(kt_letter_is_doorbell("W:regs"));
	CU_ASSERT_FALSE(kt_letter_is_doorbell("R:reg"));
}

/* --- the definition --- */

struct slow {
	const struct kt_fsm *fsm;
	bool work[STATES_MAX];
};

/*
 * Returns whether a is b or a path leads from a to b. Unless `inside`, all states of the
 * path, a and b included, must be outside of the work.
 */
static bool way_outside(const struct slow *slow, uint32_t a, uint32_t b, bool inside)
{
	bool seen[STATES_MAX] = {false};

	if ((slow->work[a] || slow->work[b]) && !inside) {
		return false;
	}
	seen[a] = true;
	for (size_t round = 0; round < slow->fsm->n_states; round++) {
		for (size_t i = 0; i < slow->fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &slow->fsm->transitions[i];

			seen[t->to] = seen[t->to] ||
				      (seen[t->from] && (inside || !slow->work[t->to]));
		}
	}
	return seen[b];
}

static bool is_doorbell(const struct kt_fsm_transition *t)
{
	return t->letter == 1 || t->letter == 3;
}

static bool goes_round(const struct kt_fsm *fsm, uint32_t a, uint32_t b)
{
	const struct slow slow = {.fsm = fsm};

	return way_outside(&slow, a, b, true) && way_outside(&slow, b, a, true);
}

/* Returns how many doorbell writes the component of a state has, -1 if it has none. */
static int64_t doorbell_in(const struct kt_fsm *fsm, uint32_t state)
{
	int64_t sum = -1;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (is_doorbell(t) && goes_round(fsm, t->from, t->to) &&
		    goes_round(fsm, state, t->from)) {
			sum = (sum < 0 ? 0 : sum) + (int64_t)t->count;
		}
	}
	return sum;
}

static void keep_often(struct small *busy, const struct kt_fsm *fsm, int64_t most)
{
	begin(busy, fsm->n_states, 0);
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if ((int64_t)t->count * 10 >= most && goes_round(fsm, t->from, t->to)) {
			add(busy, t->from, t->letter, t->to, t->count);
		}
	}
}

static void find_work_slowly(struct slow *slow)
{
	const struct kt_fsm *fsm = slow->fsm;
	const struct slow all = {.fsm = fsm};
	struct small busy;
	int64_t most = -1;
	bool any = false;

	for (uint32_t s = 0; s < fsm->n_states; s++) {
		most = doorbell_in(fsm, s) > most ? doorbell_in(fsm, s) : most;
	}
	keep_often(&busy, fsm, most);
	for (uint32_t s = 0; s < fsm->n_states && most >= 0; s++) {
		slow->work[s] = doorbell_in(&busy.fsm, s) >= 0;
		any = any || slow->work[s];
	}
	for (uint32_t s = 0; s < fsm->n_states && !any; s++) {
		bool after = false;
		bool front = false;

		for (size_t i = 0; i < fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm->transitions[i];

			after = after ||
				(is_doorbell(t) && way_outside(&all, t->to, s, true));
			front = front ||
				(is_doorbell(t) && way_outside(&all, s, t->from, true));
		}
		slow->work[s] = after && front;
	}
}

static char judge_slowly(const struct slow *slow, uint32_t s)
{
	const struct kt_fsm *fsm = slow->fsm;
	bool before = way_outside(slow, fsm->start, s, false);
	bool doorbell_before = false;
	bool ringing = false;
	bool leading = false;
	bool after = false;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		doorbell_before = doorbell_before ||
				  (is_doorbell(t) && way_outside(slow, t->to, s, false));
		ringing =
			ringing || (is_doorbell(t) && way_outside(slow, s, t->from, false));
	}
	for (uint32_t other = 0; other < fsm->n_states; other++) {
		leading =
			leading || (slow->work[other] && way_outside(slow, s, other, true));
		after = after ||
			(fsm->states[other].ends && way_outside(slow, s, other, false));
	}
	after = after || !leading;
	if (slow->work[s]) {
		return 'U';
	}
	if (before && leading) {
		return doorbell_before ? 'I' : 'C';
	}
	if (before) {
		return doorbell_before ? 'D' : ringing ? 'C' : '-';
	}
	if (after && !ringing) {
		return 'D';
	}
	return after || doorbell_before || ringing ? 'U' : 'I';
}

static void draw(struct small *small, struct random *random)
{
	uint32_t n = 2 + random_below(random, STATES_MAX - 1);

	begin(small, n, random_below(random, n));
	small->fsm.start = random_below(random, 3) ? 0 : random_below(random, n);
	for (uint32_t from = 0; from < n; from++) {
		uint32_t degree = random_below(random, 4);

		for (uint32_t i = 0; i < degree; i++) {
			uint32_t near = (from + 1) % n;

			add(small, from, i,
			    random_below(random, 2) ? near : random_below(random, n),
			    random_below(random, 4) ? random_below(random, 5) : 40);
		}
	}
}

/* Returns true if the result agrees with the definition, or is refused correctly. */
static bool same_as_slow(const struct small *small)
{
	struct slow slow = {.fsm = &small->fsm};
	struct kt_structure structure;
	bool rings = false;
	bool same;

	for (size_t i = 0; i < small->fsm.n_transitions; i++) {
		rings = rings || is_doorbell(&small->transitions[i]);
	}
	if (!rings) {
		return kt_structure_find(&structure, &small->fsm) == KT_E_EMPTY;
	}
	find_work_slowly(&slow);
	same = kt_structure_find(&structure, &small->fsm) == KT_OK;
	for (uint32_t s = 0; s < small->fsm.n_states && same; s++) {
		char phase = judge_slowly(&slow, s);

		same = kt_api_phase_name(structure.states[s])[0] == phase;
		if (!same) {
			printf("state %u is %s, not %c\n", s,
			       kt_api_phase_name(structure.states[s]), phase);
		}
	}
	kt_structure_clear(&structure);
	return same;
}

static void test_random(void)
{
	struct random random = {.state = 17};
	bool same = true;

	for (int i = 0; i < 1500 && same; i++) {
		struct small small;

		draw(&small, &random);
		same = same_as_slow(&small);
		if (!same) {
			printf("machine %d differs\n", i);
		}
	}
	CU_ASSERT(same);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"a cycle with detours", test_cycle},
		{"a chain", test_chain},
		{"one doorbell", test_one_doorbell},
		{"doorbells around the work", test_around},
		{"beside the work", test_beside_the_work},
		{"no doorbell", test_refuses},
		{"random machines", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("phases from structure", tests);
}
