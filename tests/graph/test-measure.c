/* SPDX-License-Identifier: MIT */
/* Tests measures of machines: by hand, with a slow oracle, and on a large machine. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/graph/igraph-adapter.h"
#include "measure-oracle.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define TRANSITIONS_MAX 64

/* Letters of the machines: the second and third are doorbells. */
static char letters[][20] = {"R:sys", "W:reg", "W:doorbell:unpolled"};

/* A machine to which tests add transitions, in order of their source states. */
struct small {
	struct kt_fsm fsm;
	struct kt_fsm_state states[ORACLE_STATES];
	struct kt_fsm_transition transitions[TRANSITIONS_MAX];
	char *letters[3];
};

static void begin(struct small *small, size_t n_states)
{
	memset(small, 0, sizeof(*small));
	small->fsm.states = small->states;
	small->fsm.n_states = n_states;
	small->fsm.transitions = small->transitions;
	small->fsm.letters = small->letters;
	small->fsm.n_letters = 3;
	for (size_t i = 0; i < 3; i++) {
		small->letters[i] = letters[i];
	}
}

static void add(struct small *small, uint32_t from, uint32_t to, uint64_t count)
{
	struct kt_fsm_transition *t = &small->transitions[small->fsm.n_transitions++];

	t->from = from;
	t->letter = (uint32_t)(small->fsm.n_transitions - 1) % 3;
	t->to = to;
	t->count = count;
}

static void check(const struct kt_fsm *fsm, struct kt_measures expected)
{
	struct kt_measures m;

	CU_ASSERT_EQUAL(kt_measure(&m, fsm), KT_OK);
	CU_ASSERT_EQUAL(m.components, expected.components);
	CU_ASSERT_EQUAL(m.shortest_cycle, expected.shortest_cycle);
	CU_ASSERT_EQUAL(m.cycle_states, expected.cycle_states);
	CU_ASSERT_EQUAL(m.letters, expected.letters);
	CU_ASSERT_EQUAL(m.self_loops, expected.self_loops);
	CU_ASSERT_EQUAL(m.mixed, expected.mixed);
	CU_ASSERT_EQUAL(m.doorbells, expected.doorbells);
	CU_ASSERT_EQUAL(m.looping_doorbells, expected.looping_doorbells);
	CU_ASSERT_EQUAL(m.cycles, expected.cycles);
	CU_ASSERT_EQUAL(m.kinds, expected.kinds);
	CU_ASSERT_EQUAL(m.kinds_in_cycles, expected.kinds_in_cycles);
}

static void test_nothing(void)
{
	struct small small;

	begin(&small, 0);
	check(&small.fsm, (struct kt_measures){0});
	begin(&small, 3);
	check(&small.fsm, (struct kt_measures){0});
}

static void test_self_loops(void)
{
	struct small small;

	begin(&small, 2);
	add(&small, 0, 0, 5);
	add(&small, 0, 0, 7);
	add(&small, 0, 0, 2);
	add(&small, 0, 1, 1);
	add(&small, 1, 1, 9);
	check(&small.fsm, (struct kt_measures){.letters = 24,
					       .self_loops = 23,
					       .mixed = 7,
					       .doorbells = 18,
					       .looping_doorbells = 18,
					       .kinds = 3});
}

/* A cycle of three states, and a path to a cycle of two, one of which has a self-loop. */
static void test_cycles(void)
{
	struct small small;

	begin(&small, 7);
	add(&small, 0, 1, 10);
	add(&small, 0, 3, 4);
	add(&small, 1, 2, 10);
	add(&small, 2, 0, 10);
	add(&small, 3, 4, 4);
	add(&small, 4, 4, 2);
	add(&small, 4, 5, 6);
	add(&small, 5, 4, 3);
	add(&small, 5, 6, 1);
	check(&small.fsm, (struct kt_measures){.components = 2,
					       .shortest_cycle = 2,
					       .cycle_states = 5,
					       .letters = 50,
					       .self_loops = 2,
					       .doorbells = 24,
					       .looping_doorbells = 2,
					       .cycles = 39,
					       .kinds = 3,
					       .kinds_in_cycles = 2});
}

static void draw(struct small *small, struct random *random)
{
	uint32_t n = 1 + random_below(random, ORACLE_STATES);
	uint32_t density = random_below(random, 4);

	begin(small, n);
	for (uint32_t from = 0; from < n; from++) {
		uint32_t degree = random_below(random, 2 + density);

		for (uint32_t i = 0; i < degree; i++) {
			uint32_t kind = random_below(random, 4);
			uint32_t to = kind == 0   ? from
				      : kind == 1 ? (from + 1) % n
						  : random_below(random, n);

			add(small, from, to, random_below(random, 100));
		}
	}
}

static void test_random(void)
{
	struct random random = {.state = 6};
	bool same = true;

	for (int i = 0; i < 20000 && same; i++) {
		struct small small;
		struct kt_measures expected;
		struct kt_measures m;

		draw(&small, &random);
		measure_slowly(&expected, &small.fsm);
		same = kt_measure(&m, &small.fsm) == KT_OK &&
		       memcmp(&m, &expected, sizeof(m)) == 0;
		if (!same) {
			printf("machine %d differs\n", i);
		}
	}
	CU_ASSERT(same);
}

/* A chain that leads into a large ring: too many states for a search from each of them. */
static void test_large(void)
{
	const uint32_t n = 400000;
	struct kt_fsm fsm = {.n_states = n, .n_transitions = n};
	struct kt_measures m;

	fsm.transitions = calloc(n, sizeof(*fsm.transitions));
	CU_ASSERT_PTR_NOT_NULL_FATAL(fsm.transitions);
	for (uint32_t i = 0; i < n; i++) {
		fsm.transitions[i].from = i;
		fsm.transitions[i].to = i + 1 < n ? i + 1 : n / 2;
		fsm.transitions[i].count = 1;
	}
	CU_ASSERT_EQUAL(kt_measure(&m, &fsm), KT_OK);
	CU_ASSERT_EQUAL(m.components, 1);
	CU_ASSERT_EQUAL(m.shortest_cycle, n / 2);
	CU_ASSERT_EQUAL(m.cycle_states, n / 2);
	CU_ASSERT_EQUAL(m.cycles, n / 2);
	free(fsm.transitions);
}

static void handle(const char *reason, const char *file, int line, igraph_error_t error)
{
	(void)reason;
	(void)file;
	(void)line;
	(void)error;
}

static void warn(const char *reason, const char *file, int line)
{
	(void)reason;
	(void)file;
	(void)line;
}

static void test_handlers(void)
{
	igraph_error_handler_t *error = igraph_set_error_handler(handle);
	igraph_warning_handler_t *warning = igraph_set_warning_handler(warn);
	struct kt_igraph_guard guard;

	test_cycles();
	kt_igraph_begin(&guard);
	CU_ASSERT_PTR_EQUAL(guard.error, handle);
	CU_ASSERT_PTR_EQUAL(guard.warning, warn);
	CU_ASSERT_EQUAL(kt_igraph_status(IGRAPH_ENOMEM, "try"), KT_E_MEMORY);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "try: out of memory");
	CU_ASSERT_EQUAL(kt_igraph_status(IGRAPH_EINVAL, "try"), KT_E_INTERNAL);
	kt_igraph_end(&guard);
	CU_ASSERT_PTR_EQUAL(igraph_set_error_handler(error), handle);
	CU_ASSERT_PTR_EQUAL(igraph_set_warning_handler(warning), warn);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"nothing", test_nothing},
		{"self-loops", test_self_loops},
		{"cycles", test_cycles},
		{"random machines", test_random},
		{"a large ring", test_large},
		{"igraph's handlers", test_handlers},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("measures", tests);
}
