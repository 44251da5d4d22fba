/* SPDX-License-Identifier: MIT */
/* Tests how sweeps are read, and where numbers lie on the axes of their plots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"
#include "tests/suite.h"
#include "viz/plots/plot-groups.h"
#include "viz/plots/plot-sweep.h"
#include "viz/plots/scale.h"

#define HEAD                                                                               \
	"{\"format\": \"ktail-sweep/1\", \"machine\": \"chains\", \"word\": \"process\", " \
	"\"alphabet\": null, \"words\": 5, \"events\": 12866, "
#define ROWS                                                                               \
	"\"rows\": [{\"k\": 3, \"states\": 9, \"transitions\": 12, \"complex\": 4, "       \
	"\"components\": null, \"shortest_cycle\": null, \"cycle_states\": null, "         \
	"\"self_loops\": null}, "                                                          \
	"{\"k\": 4, \"states\": 10, \"transitions\": 13, \"complex\": 0, "                 \
	"\"components\": 1, \"shortest_cycle\": 2, \"cycle_states\": 2, "                  \
	"\"self_loops\": 0.25}, "                                                          \
	"{\"k\": 7, \"states\": 11, \"transitions\": 14, \"complex\": 2}], "
#define PLATEAUS                                                                           \
	"\"plateaus\": [{\"from\": 3, \"to\": 4, \"states\": 9, \"candidate\": true, "     \
	"\"reason\": \"why\"}, {\"from\": 5, \"to\": 7, \"candidate\": false}], "
#define AUTO "\"auto\": {\"k\": 4, \"reason\": \"because\"}}"
#define GOOD HEAD ROWS PLATEAUS AUTO

static int parse(struct kt_sweep_table **out, const char *text)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	code = kt_sweep_from_json(out, root, "x.json");
	json_decref(root);
	return code;
}

static void reads_what_is_written(void)
{
	struct kt_sweep_table *sweep = NULL;

	CU_ASSERT_EQUAL_FATAL(parse(&sweep, GOOD), KT_OK);
	CU_ASSERT_STRING_EQUAL(sweep->machine, "chains");
	CU_ASSERT_STRING_EQUAL(sweep->word, "process");
	CU_ASSERT_EQUAL(sweep->words, 5);
	CU_ASSERT_EQUAL(sweep->events, 12866);
	CU_ASSERT_EQUAL_FATAL(sweep->n_rows, 3);
	CU_ASSERT_EQUAL(sweep->rows[1].transitions, 13);
	CU_ASSERT_FALSE(sweep->rows[0].has_shortest);
	CU_ASSERT_TRUE(sweep->rows[1].has_shortest);
	CU_ASSERT_EQUAL(sweep->rows[1].shortest, 2);
	CU_ASSERT_EQUAL(sweep->rows[1].self_loops, 0.25);
	CU_ASSERT_FALSE(sweep->rows[2].has_self_loops);
	CU_ASSERT_EQUAL_FATAL(sweep->n_plateaus, 2);
	CU_ASSERT_TRUE(sweep->plateaus[0].candidate);
	CU_ASSERT_STRING_EQUAL(sweep->plateaus[0].reason, "why");
	CU_ASSERT_STRING_EQUAL(sweep->plateaus[1].reason, "");
	CU_ASSERT_TRUE(sweep->has_auto);
	CU_ASSERT_EQUAL(sweep->auto_k, 4);
	CU_ASSERT_STRING_EQUAL(sweep->auto_reason, "because");
	CU_ASSERT_PTR_EQUAL(kt_sweep_row_of(sweep, 7), &sweep->rows[2]);
	CU_ASSERT_PTR_NULL(kt_sweep_row_of(sweep, 5));
	kt_sweep_table_free(sweep);
}

static void reads_without_a_choice(void)
{
	struct kt_sweep_table *sweep = NULL;

	CU_ASSERT_EQUAL_FATAL(parse(&sweep, HEAD ROWS "\"plateaus\": [], \"auto\": null}"),
			      KT_OK);
	CU_ASSERT_FALSE(sweep->has_auto);
	CU_ASSERT_EQUAL(sweep->n_plateaus, 0);
	kt_sweep_table_free(sweep);
}

/* Replaces the first `old` in GOOD; the result must be refused with `reason`. */
static void expect_refusal(const char *old, const char *new, const char *reason)
{
	struct kt_sweep_table *sweep = NULL;
	const char *match = strstr(GOOD, old);
	char text[2048];

	CU_ASSERT_PTR_NOT_NULL_FATAL(match);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(match - GOOD), GOOD, new,
		 match + strlen(old));
	CU_ASSERT_EQUAL(parse(&sweep, text), KT_E_MALFORMED);
	CU_ASSERT_PTR_NULL(sweep);
	CU_ASSERT_EQUAL(strncmp(kt_error_message(), "read x.json: ", 13), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), reason));
	if (!strstr(kt_error_message(), reason)) {
		fprintf(stderr, "'%s' for '%s': %s\n", new, old, kt_error_message());
	}
}

static void refuses_nonsense(void)
{
	expect_refusal("ktail-sweep/1", "ktail-sweep/2",
		       "format: must be \"ktail-sweep/1\", not \"ktail-sweep/2\"");
	expect_refusal("\"chains\"", "7", "machine: must be a string, not 7");
	expect_refusal("\"process\"", "null", "word: must be a string, not null");
	expect_refusal(
		"\"words\": 5", "\"words\": -5",
		"words: must be a whole number from 0 to 9223372036854775807, not -5");
	expect_refusal(
		"\"events\": 12866", "\"events\": 1.5",
		"events: must be a whole number from 0 to 9223372036854775807, not 1.5");
	expect_refusal("\"rows\": [", "\"rows\": 7, \"x\": [",
		       "rows: must be an array, not 7");
	expect_refusal("\"rows\": [", "\"rows\": [], \"x\": [", "rows: is empty");
	expect_refusal(
		"\"rows\": [", "\"rows\": [null, ",
		"rows[0].k: is missing, must be a whole number from 0 to 1000000000");
	expect_refusal("\"k\": 4", "\"k\": 3",
		       "rows[1].k: must be greater than that of the previous row");
	expect_refusal("\"k\": 7", "\"k\": 1",
		       "rows[2].k: must be greater than that of the previous row");
	expect_refusal(
		"\"k\": 7", "\"k\": 1000000001",
		"rows[2].k: must be a whole number from 0 to 1000000000, not 1000000001");
	expect_refusal("\"states\": 9", "\"states\": null",
		       "rows[0].states: must be a whole number from 0 to "
		       "9223372036854775807, not null");
	expect_refusal("\"transitions\": 12, ", "",
		       "rows[0].transitions: is missing, must be a whole number from 0 to "
		       "9223372036854775807");
	expect_refusal("\"complex\": 4", "\"complex\": 10",
		       "rows[0].complex: must be at most \"states\", not 10");
	expect_refusal("\"components\": 1", "\"components\": true",
		       "rows[1].components: must be a whole number from 0 to "
		       "9223372036854775807, not true");
	expect_refusal("\"shortest_cycle\": 2", "\"shortest_cycle\": -2",
		       "rows[1].shortest_cycle: must be a whole number from 0 to "
		       "9223372036854775807, not -2");
	expect_refusal("\"self_loops\": 0.25", "\"self_loops\": 1.25",
		       "rows[1].self_loops: must be a number from 0 to 1, not 1.25");
	expect_refusal("\"self_loops\": 0.25", "\"self_loops\": \"a\"",
		       "rows[1].self_loops: must be a number from 0 to 1, not \"a\"");
	expect_refusal("\"plateaus\": [", "\"plateaus\": {}, \"x\": [",
		       "plateaus: must be an array, not an object");
	expect_refusal("\"from\": 3", "\"from\": 2",
		       "plateaus[0]: \"from\" and \"to\" are outside the k of \"rows\"");
	expect_refusal("\"to\": 7", "\"to\": 8",
		       "plateaus[1]: \"from\" and \"to\" are outside the k of \"rows\"");
	expect_refusal("\"from\": 5", "\"from\": 8",
		       "plateaus[1]: \"from\" and \"to\" are outside the k of \"rows\"");
	expect_refusal("\"from\": 5", "\"from\": 4",
		       "plateaus[1].from: must be greater than \"to\" of the previous one");
	expect_refusal("\"candidate\": true", "\"candidate\": 1",
		       "plateaus[0].candidate: must be true or false, not 1");
	expect_refusal("\"why\"", "7", "plateaus[0].reason: must be a string, not 7");
	expect_refusal("{\"k\": 4, \"reason\"", "{\"k\": 5, \"reason\"",
		       "auto.k: no row has k = 5");
	expect_refusal("{\"k\": 4, \"reason\": \"because\"}", "4",
		       "auto: must be an object or null, not 4");
	expect_refusal("{\"k\": 4, \"reason\": \"because\"}", "{}",
		       "auto.k: is missing, must be a whole number from 0 to 1000000000");
}

/* --- groups --- */

#define GROUPS_HEAD                                                                        \
	"{\"format\": \"ktail-sweeps/1\", \"machine\": \"pta\", \"word\": \"thread\", "
#define GROUP(name, k)                                                                     \
	"{\"group\": " name ", \"words\": 2, \"events\": 7, " ROWS PLATEAUS                \
	"\"auto\": {\"k\": " k "}}"

static int parse_groups(struct kt_sweep_groups **out, const char *text)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	code = kt_sweep_groups_from_json(out, root, "x.json");
	json_decref(root);
	return code;
}

static void reads_groups(void)
{
	struct kt_sweep_groups *groups = NULL;

	CU_ASSERT_EQUAL_FATAL(
		parse_groups(&groups, GROUPS_HEAD "\"groups\": [" GROUP(
					      "\"a\"", "4") ", " GROUP("\"b\"", "7") "]}"),
		KT_OK);
	CU_ASSERT_STRING_EQUAL(groups->machine, "pta");
	CU_ASSERT_STRING_EQUAL(groups->word, "thread");
	CU_ASSERT_EQUAL_FATAL(groups->n, 2);
	CU_ASSERT_STRING_EQUAL(groups->items[0]->group, "a");
	CU_ASSERT_EQUAL(groups->items[0]->auto_k, 4);
	CU_ASSERT_STRING_EQUAL(groups->items[1]->group, "b");
	CU_ASSERT_EQUAL(groups->items[1]->auto_k, 7);
	CU_ASSERT_EQUAL(groups->items[1]->n_rows, 3);
	kt_sweep_groups_free(groups);
}

static void expect_groups_refused(const char *text, const char *message)
{
	struct kt_sweep_groups *groups = NULL;

	CU_ASSERT_EQUAL(parse_groups(&groups, text), KT_E_MALFORMED);
	CU_ASSERT_PTR_NULL(groups);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), message);
}

static void refuses_groups(void)
{
	expect_groups_refused(GROUPS_HEAD "\"groups\": []}",
			      "read x.json: groups: is empty");
	expect_groups_refused(GROUPS_HEAD "\"groups\": 1}",
			      "read x.json: groups: must be an array, not 1");
	expect_groups_refused(GROUPS_HEAD "\"groups\": [" GROUP("7", "4") "]}",
			      "read x.json: groups[0].group: must be a string, not 7");
	expect_groups_refused(GROUPS_HEAD "\"groups\": [" GROUP("\"a\"", "4") ", " GROUP(
				      "\"b\"", "5") "]}",
			      "read x.json: groups[1].auto.k: no row has k = 5");
	expect_groups_refused(GOOD, "read x.json: format: must be \"ktail-sweeps/1\", not "
				    "\"ktail-sweep/1\"");
}

/* A larger k lies further to the right; the axis extends half a k beyond both ends. */
static void check_k(uint64_t first, uint64_t last)
{
	struct kt_scale scale = kt_scale_of_k(first, last, 100, 900);
	uint64_t step = last - first > 1000 ? (last - first) / 1000 : 1;
	double before = 100;

	CU_ASSERT_DOUBLE_EQUAL(kt_scale_k(&scale, (double)first - 0.5), 100, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(kt_scale_k(&scale, (double)last + 0.5), 900, 1e-6);
	for (uint64_t k = first; k <= last; k += step) {
		CU_ASSERT_TRUE(kt_scale_k(&scale, (double)k) > before);
		before = kt_scale_k(&scale, (double)k);
	}
	CU_ASSERT_TRUE(before < 900);
}

/* Labels lie on the axis, at least 30 points apart. */
static void check_written_k(uint64_t first, uint64_t last)
{
	struct kt_scale scale = kt_scale_of_k(first, last, 100, 900);
	double before = 0;
	size_t n = 0;

	for (uint64_t k = kt_scale_next_k(&scale, -1, 30); k != UINT64_MAX;
	     k = kt_scale_next_k(&scale, (double)k, 30)) {
		double match = kt_scale_k(&scale, (double)k);

		CU_ASSERT_TRUE_FATAL(k >= first && k <= last);
		CU_ASSERT_TRUE(match > 100 && match < 900);
		CU_ASSERT_TRUE_FATAL(n == 0 || match - before >= 29.99);
		before = match;
		n++;
	}
	CU_ASSERT_TRUE(n >= 1 || (last - first < 100 && first > 0));
	CU_ASSERT_TRUE(n >= 3 || last - first < 3 || last > 100000);
}

static void positions_every_k(void)
{
	const uint64_t ends[] = {0,  1,   2,    3,    7,     10,      19,       20,
				 40, 100, 101,  102,  150,   999,     1000,     1001,
				 54, 613, 2048, 9999, 12345, 1000000, 99999999, 1000000000};
	const size_t n = sizeof(ends) / sizeof(ends[0]);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			if (ends[i] <= ends[j]) {
				check_k(ends[i], ends[j]);
				check_written_k(ends[i], ends[j]);
			}
		}
	}
	CU_ASSERT_FALSE(kt_scale_of_k(1, 40, 0, 1).logarithmic);
	CU_ASSERT_TRUE(kt_scale_of_k(0, 1000, 0, 1).logarithmic);
	CU_ASSERT_FALSE(kt_scale_of_k(900, 1100, 0, 1).logarithmic);
}

/* A larger size lies higher up; size 0 lies at the lower end of the axis. */
static void positions_every_size(void)
{
	for (uint64_t largest = 1; largest < UINT64_MAX / 4; largest *= 3) {
		for (int zero = 0; zero < 2; zero++) {
			struct kt_scale scale =
				kt_scale_of_sizes(1, largest, zero, 400, 50);

			CU_ASSERT_DOUBLE_EQUAL(kt_scale_size(&scale, 1), zero ? 378 : 400,
					       1e-6);
			CU_ASSERT_EQUAL(kt_scale_size(&scale, 0), 400);
			CU_ASSERT_TRUE(kt_scale_size(&scale, largest) >= 50);
			CU_ASSERT_TRUE(kt_scale_size(&scale, largest) <= 400);
			CU_ASSERT_TRUE(largest < 3 ||
				       kt_scale_size(&scale, largest) <
					       kt_scale_size(&scale, largest / 3));
		}
	}
}

/* Everything drawn lies within the picture. */
static void stays_in_the_picture(void)
{
	struct kt_sweep_table *sweep = NULL;
	struct kt_scene scene = {0};
	size_t texts = 0;

	CU_ASSERT_EQUAL_FATAL(parse(&sweep, GOOD), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_plot_sweep(&scene, sweep, "a title"), KT_OK);
	for (size_t i = 0; i < scene.n_shapes; i++) {
		const struct kt_shape *s = &scene.shapes[i];

		texts += s->kind == KT_SHAPE_TEXT;
		CU_ASSERT_TRUE(s->x >= 0 && s->x <= scene.width);
		CU_ASSERT_TRUE(s->y >= 0 && s->y <= scene.height);
		for (size_t j = 0; j < s->n_points; j++) {
			CU_ASSERT_TRUE(s->points[j].x >= 0 &&
				       s->points[j].x <= scene.width);
			CU_ASSERT_TRUE(s->points[j].y >= 0 &&
				       s->points[j].y <= scene.height);
		}
	}
	CU_ASSERT_TRUE(texts > 15);
	kt_scene_clear(&scene);
	kt_sweep_table_free(sweep);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reads what is written", reads_what_is_written},
		{"reads without a choice", reads_without_a_choice},
		{"refuses nonsense", refuses_nonsense},
		{"reads groups", reads_groups},
		{"refuses groups", refuses_groups},
		{"places every k", positions_every_k},
		{"places every size", positions_every_size},
		{"stays in the picture", stays_in_the_picture},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("sweep", tests);
}
