/* SPDX-License-Identifier: MIT */
/* Tests how distilled machines are read, refused and arranged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"
#include "tests/suite.h"
#include "viz/plots/arrange-distilled.h"
#include "viz/plots/plot-distilled.h"

#define HEAD                                                                               \
	"{\"format\": \"ktail-distilled/1\", \"k\": 20, \"traces\": [\"a\", \"b\"], "      \
	"\"words\": 2, \"ended\": 1, \"letters\": 9, \"unplaced\": 3, \"calls\": true, "
#define BEGIN                                                                              \
	"{\"id\": 0, \"name\": \"begin\", \"paper\": true, \"visits\": 2, "                \
	"\"phases\": {}, \"system\": [], \"letters\": [], \"user\": [], \"merged\": []}"
#define RUN                                                                                \
	"{\"id\": 1, \"name\": \"run\", \"paper\": false, \"visits\": 9, "                 \
	"\"phases\": {\"INIT\": 2, \"USE\": 7}, "                                          \
	"\"system\": [{\"label\": \"submit: launch\", \"count\": 8}, "                     \
	"{\"label\": null, \"count\": 1}, {\"more\": 4}], "                                \
	"\"letters\": [{\"letter\": \"W:reg\", \"count\": 9}], "                           \
	"\"user\": [{\"name\": \"cuLaunchKernel\", \"calls\": 3, \"letters\": 9}], "       \
	"\"merged\": [{\"state\": 4, \"visits\": 5}, {\"state\": 4, \"visits\": 1}, "      \
	"{\"state\": 7, \"visits\": 3}]}"
#define END                                                                                \
	"{\"id\": 2, \"name\": \"end\", \"paper\": true, \"visits\": 1, "                  \
	"\"phases\": {}, \"system\": [], \"letters\": [], \"user\": [], \"merged\": []}"
#define ARROWS                                                                             \
	"\"transitions\": [{\"from\": 0, \"to\": 1, \"count\": 2}, "                       \
	"{\"from\": 1, \"to\": 1, \"count\": 7}, {\"from\": 1, \"to\": 2, \"count\": 1}]}"
#define GOOD HEAD "\"states\": [" BEGIN ", " RUN ", " END "], " ARROWS

#define ARROW(FROM, TO, COUNT)                                                             \
	{                                                                                  \
		.from = (FROM), .to = (TO), .count = (COUNT)                               \
	}

static int parse(struct kt_distilled_view **out, const char *text)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	code = kt_distilled_from_json(out, root, "x.json", KT_NAMES_ON);
	json_decref(root);
	return code;
}

static void reads_what_is_written(void)
{
	struct kt_distilled_view *view = NULL;
	const struct kt_distilled_box *run;

	CU_ASSERT_EQUAL_FATAL(parse(&view, GOOD), KT_OK);
	CU_ASSERT_EQUAL(view->k, 20);
	CU_ASSERT_EQUAL(view->n_traces, 2);
	CU_ASSERT_EQUAL(view->unplaced, 3);
	CU_ASSERT_EQUAL_FATAL(view->user.n_states, 3);
	CU_ASSERT_EQUAL_FATAL(view->user.n_arrows, 3);
	run = &view->user.states[1];
	CU_ASSERT_FALSE(run->paper);
	CU_ASSERT_EQUAL_FATAL(run->phases.n, 2);
	CU_ASSERT_STRING_EQUAL(run->phases.items[1].text, "USE");
	CU_ASSERT_EQUAL(run->merged, 2);
	CU_ASSERT_EQUAL_FATAL(run->system.n, 2);
	CU_ASSERT_EQUAL(run->system.more, 4);
	CU_ASSERT_PTR_NULL(run->system.items[1].text);
	CU_ASSERT_STRING_EQUAL(run->user.items[0].text, "cuLaunchKernel");
	CU_ASSERT_EQUAL(run->user.items[0].calls, 3);
	CU_ASSERT_EQUAL(run->user.items[0].count, 9);
	CU_ASSERT_EQUAL(view->user.states[2].phases.n, 0);
	kt_distilled_view_free(view);
}

/* Replaces the first `old` in GOOD; the result must be refused with `reason`. */
static void expect_refusal(const char *old, const char *new, const char *reason)
{
	struct kt_distilled_view *view = NULL;
	const char *match = strstr(GOOD, old);
	char text[4096];

	CU_ASSERT_PTR_NOT_NULL_FATAL(match);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(match - GOOD), GOOD, new,
		 match + strlen(old));
	CU_ASSERT_EQUAL(parse(&view, text), KT_E_MALFORMED);
	CU_ASSERT_PTR_NULL(view);
	CU_ASSERT_EQUAL(strncmp(kt_error_message(), "read x.json: ", 13), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), reason));
	if (!strstr(kt_error_message(), reason)) {
		fprintf(stderr, "'%s' for '%s': %s\n", new, old, kt_error_message());
	}
}

static void refuses_nonsense(void)
{
	expect_refusal("ktail-distilled/1", "ktail-distilled/2",
		       "format: must be \"ktail-distilled/1\", not \"ktail-distilled/2\"");
	expect_refusal("\"k\": 20", "\"k\": -1",
		       "k: must be a whole number from 0 to 9223372036854775807, not -1");
	expect_refusal(
		"\"words\": 2", "\"words\": 2.5",
		"words: must be a whole number from 0 to 9223372036854775807, not 2.5");
	expect_refusal("\"words\": 2", "\"words\": 3",
		       "states[0].visits: 2, but it is entered 3 times and left 2");
	expect_refusal("\"ended\": 1", "\"ended\": 0",
		       "the \"count\" of \"transitions\" adds up to 10, but "
		       "\"letters\" and \"ended\" to 9");
	expect_refusal("\"letters\": 9", "\"letters\": 8",
		       "the \"count\" of \"transitions\" adds up to 10, but "
		       "\"letters\" and \"ended\" to 9");
	expect_refusal("\"calls\": true", "\"calls\": 1",
		       "calls: must be true or false, not 1");
	expect_refusal("\"traces\": [\"a\"", "\"traces\": [7",
		       "traces[0]: must be a string, not 7");
	expect_refusal("\"traces\": [", "\"traces\": {}, \"x\": [",
		       "traces: must be an array, not an object");
	expect_refusal("\"states\": [", "\"states\": [], \"x\": [",
		       "states: has 0 elements, must have 1 to 64");
	expect_refusal("\"id\": 1", "\"id\": 2", "states[1].id: must be 1, not 2");
	expect_refusal("\"run\"", "null", "states[1].name: must be a string, not null");
	expect_refusal("\"run\"", "\"begin\"",
		       "states[1].name: must not be that of states[0]");
	expect_refusal("\"letter\": \"W:reg\"", "\"letter\": \"W:reg\", \"name\": 5",
		       "states[1].letters[0].name: must be a string, not 5");
	expect_refusal("\"k\": 20", "\"k\": 20, \"machines\": [\"a\"]",
		       "states[0].in: is missing, must be an array");
	expect_refusal("\"paper\": false", "\"paper\": 0",
		       "states[1].paper: must be true or false, not 0");
	expect_refusal("\"visits\": 9", "\"visits\": 10",
		       "states[1].visits: 10, but it is entered 9 times and left 8");
	expect_refusal("\"label\": null", "\"label\": 5",
		       "states[1].system[1].label: must be a string, not 5");
	expect_refusal("\"count\": 8", "\"count\": true",
		       "states[1].system[0].count: must be a whole number from 0 to "
		       "9223372036854775807, not true");
	expect_refusal("{\"more\": 4}", "{\"more\": -4}",
		       "states[1].system[2].more: must be a whole number from 0 to "
		       "9223372036854775807, not -4");
	expect_refusal("\"calls\": 3", "\"call\": 3",
		       "states[1].user[0].calls: is missing, must be a whole number from 0 "
		       "to 9223372036854775807");
	expect_refusal("\"state\": 7", "\"state\": \"7\"",
		       "states[1].merged[2].state: must be a whole number from 0 to "
		       "9223372036854775807, not \"7\"");
	expect_refusal("\"to\": 2", "\"to\": 3",
		       "transitions[2].to: must be a whole number from 0 to 2, not 3");
	expect_refusal("\"count\": 7", "\"count\": 0",
		       "transitions[1].count: must not be 0");
	expect_refusal("\"from\": 1, \"to\": 1", "\"from\": 0, \"to\": 1",
		       "transitions[1]: not sorted by from and to, or a duplicate");
	expect_refusal("\"count\": 7", "\"count\": 9223372036854775807",
		       "states[1].visits: 9, but it is entered 9223372036854775809 times "
		       "and left 9223372036854775808");
}

/* Every arrow begins and ends at its boxes, and no two arrows share a part of a lane. */
static void arranges_without_overlaps(void)
{
	static struct kt_distilled_arrow arrows[400];
	static struct kt_distilled_box boxes[20];
	static const double heights[20];
	struct kt_drawn_column view = {.states = boxes, .n_states = 20, .arrows = arrows};
	struct kt_arrangement at;

	for (uint32_t i = 0; i < 400; i++) {
		arrows[view.n_arrows] = (struct kt_distilled_arrow)ARROW(i / 20, i % 20, 5);
		view.n_arrows += (i * 7) % 3 > 0;
	}
	CU_ASSERT_EQUAL_FATAL(kt_arrange_distilled(&at, &view, view.n_arrows, heights, 10),
			      KT_OK);
	CU_ASSERT(at.n_arrows > 200);
	for (size_t i = 0; i < at.n_arrows; i++) {
		const struct kt_placed_arrow *a = &at.arrows[i];
		const struct kt_placed_box *from = &at.boxes[a->arrow->from];
		const struct kt_placed_box *to = &at.boxes[a->arrow->to];

		CU_ASSERT(a->from >= from->top && a->from <= from->top + from->height);
		CU_ASSERT(a->to >= to->top && a->to <= to->top + to->height);
		for (size_t j = 0; j < i; j++) {
			const struct kt_placed_arrow *b = &at.arrows[j];

			CU_ASSERT(a->margin != b->margin || a->margin == KT_LANE_NONE ||
				  a->lane != b->lane ||
				  fmin(a->from, a->to) > fmax(b->from, b->to) ||
				  fmin(b->from, b->to) > fmax(a->from, a->to));
		}
	}
	kt_arrangement_clear(&at);
}

/*
 * A rare arrow is drawn if it is the most frequent arrow into or out of a box. Arrows that
 * are not drawn are counted.
 */
static void leaves_out_what_is_seldom(void)
{
	struct kt_distilled_arrow arrows[] = {ARROW(0, 1, 1), ARROW(1, 2, 1000),
					      ARROW(1, 3, 1), ARROW(2, 1, 999),
					      ARROW(2, 3, 1), ARROW(3, 1, 1)};
	struct kt_distilled_box boxes[4] = {0};
	const double heights[4] = {0};
	struct kt_drawn_column view = {
		.states = boxes, .n_states = 4, .arrows = arrows, .n_arrows = 6};
	struct kt_arrangement at;

	CU_ASSERT_EQUAL_FATAL(kt_arrange_distilled(&at, &view, 2003, heights, 0), KT_OK);
	CU_ASSERT_EQUAL(at.n_arrows, 5);
	CU_ASSERT_EQUAL(at.left_out, 1);
	CU_ASSERT_EQUAL(at.left_out_counts, 1);
	kt_arrangement_clear(&at);
}

static bool is_drawn(const struct kt_arrangement *at, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < at->n_arrows; i++) {
		if (at->arrows[i].arrow->from == from && at->arrows[i].arrow->to == to) {
			return true;
		}
	}
	return false;
}

/*
 * Boxes 1 and 2 are connected by frequent arrows, and so are boxes 3 and 4. Rare arrows
 * connect the two pairs, and the second pair with the last box: of each kind, the most
 * frequent arrow is drawn.
 */
static void draws_ways_to_all(void)
{
	struct kt_distilled_arrow arrows[] = {
		ARROW(0, 1, 1),    ARROW(1, 2, 1000), ARROW(1, 3, 2),   ARROW(1, 4, 1),
		ARROW(2, 1, 1000), ARROW(2, 3, 1),    ARROW(3, 4, 900), ARROW(3, 5, 2),
		ARROW(4, 3, 900),  ARROW(4, 5, 1)};
	struct kt_distilled_box boxes[6] = {0};
	const double heights[6] = {0};
	struct kt_drawn_column view = {
		.states = boxes, .n_states = 6, .arrows = arrows, .n_arrows = 10};
	struct kt_arrangement at;

	CU_ASSERT_EQUAL_FATAL(kt_arrange_distilled(&at, &view, 3807, heights, 0), KT_OK);
	CU_ASSERT(is_drawn(&at, 0, 1));
	CU_ASSERT(is_drawn(&at, 1, 3));
	CU_ASSERT(is_drawn(&at, 3, 5));
	CU_ASSERT_EQUAL(at.n_arrows, 7);
	CU_ASSERT_EQUAL(at.left_out, 3);
	kt_arrangement_clear(&at);
}

#define BOXES 8

/*
 * Computes, by Floyd and Warshall, the strength of the strongest way between any two boxes.
 * The strength of a way is the count of its rarest arrow; 0: there is no way.
 */
static void find_strengths(uint64_t strength[BOXES][BOXES])
{
	for (int k = 0; k < BOXES; k++) {
		for (int i = 0; i < BOXES; i++) {
			for (int j = 0; j < BOXES; j++) {
				uint64_t way = strength[i][k] < strength[k][j]
						       ? strength[i][k]
						       : strength[k][j];

				strength[i][j] =
					way > strength[i][j] ? way : strength[i][j];
			}
		}
	}
}

/*
 * In random columns, the strongest ways from the first box and to the last are as strong
 * among the arrows that are drawn as among all arrows.
 */
static void draws_strongest_ways(void)
{
	unsigned seed = 5;
	bool same = true;

	for (int round = 0; round < 2000 && same; round++) {
		struct kt_distilled_arrow arrows[BOXES * BOXES];
		struct kt_distilled_box boxes[BOXES] = {0};
		const double heights[BOXES] = {0};
		struct kt_drawn_column column = {
			.states = boxes, .n_states = BOXES, .arrows = arrows};
		uint64_t all[BOXES][BOXES] = {{0}};
		uint64_t drawn[BOXES][BOXES] = {{0}};
		struct kt_arrangement at;

		for (uint32_t i = 0; i < BOXES * BOXES; i++) {
			uint32_t from = i / BOXES;
			uint32_t to = i % BOXES;

			if (to > 0 && from + 1 < BOXES && rand_r(&seed) % 3 == 0) {
				uint64_t count = 1 + (uint64_t)rand_r(&seed) % 9;

				arrows[column.n_arrows++] =
					(struct kt_distilled_arrow)ARROW(from, to, count);
				all[from][to] = from == to ? 0 : count;
			}
		}
		CU_ASSERT_EQUAL_FATAL(
			kt_arrange_distilled(&at, &column, 1000000, heights, 0), KT_OK);
		for (size_t i = 0; i < at.n_arrows; i++) {
			const struct kt_distilled_arrow *a = at.arrows[i].arrow;

			drawn[a->from][a->to] = a->count;
		}
		kt_arrangement_clear(&at);
		find_strengths(all);
		find_strengths(drawn);
		for (int i = 0; i < BOXES; i++) {
			same = same && drawn[0][i] == all[0][i] &&
			       drawn[i][BOXES - 1] == all[i][BOXES - 1];
		}
	}
	CU_ASSERT(same);
}

static void reads_the_system(void)
{
	static const char system[] =
		", \"system\": {\"states\": [" BEGIN ", "
		"{\"id\": 1, \"name\": \"accessed\", \"paper\": true, \"visits\": 9, "
		"\"phases\": {}, \"system\": [], \"letters\": [], \"user\": [], "
		"\"during\": [{\"name\": \"run\", \"count\": 9}], \"merged\": []}, " END
		"], \"transitions\": [{\"from\": 0, \"to\": 1, \"count\": %d, \"letters\": "
		"[{\"letter\": \"W:reg\", \"count\": 2}]}, {\"from\": 1, \"to\": 1, "
		"\"count\": 7}, {\"from\": 1, \"to\": 2, \"count\": 1}]}}";
	struct kt_distilled_view *view = NULL;
	char text[8192];
	int n = (int)strlen(GOOD) - 1;

	CU_ASSERT_EQUAL_FATAL(parse(&view, GOOD), KT_OK);
	CU_ASSERT_EQUAL(view->system.n_states, 0);
	kt_distilled_view_free(view);
	memcpy(text, GOOD, (size_t)n);
	snprintf(text + n, sizeof(text) - (size_t)n, system, 2);
	CU_ASSERT_EQUAL_FATAL(parse(&view, text), KT_OK);
	CU_ASSERT_EQUAL_FATAL(view->system.n_states, 3);
	CU_ASSERT_STRING_EQUAL(view->system.states[1].during.items[0].text, "run");
	CU_ASSERT_EQUAL(view->system.arrows[0].letters.n, 1);
	CU_ASSERT_EQUAL(view->system.arrows[1].letters.n, 0);
	kt_distilled_view_free(view);
	snprintf(text + n, sizeof(text) - (size_t)n, system, 3);
	CU_ASSERT_EQUAL(parse(&view, text), KT_E_MALFORMED);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "read x.json: system.states[0].visits: 2, but it is entered "
			       "2 times and left 3");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reads what is written", reads_what_is_written},
		{"refuses nonsense", refuses_nonsense},
		{"arranges without overlaps", arranges_without_overlaps},
		{"leaves out what is seldom", leaves_out_what_is_seldom},
		{"draws ways to all", draws_ways_to_all},
		{"draws strongest ways", draws_strongest_ways},
		{"reads the system", reads_the_system},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("distilled machines", tests);
}
