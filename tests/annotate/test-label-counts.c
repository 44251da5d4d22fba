/* SPDX-License-Identifier: MIT */
/*
 * Compares counts, times, examples, ranges and semaphores with simple, slow counts.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/memory/ranges.h"
#include "annotate/events/times.h"
#include "annotate/labels/unfinished.h"
#include "annotate/meaning/counts.h"
#include "annotate/meaning/evidence.h"
#include "tests/suite.h"

#define OWNERS 7
#define TEXTS  30

static void counts_are_sums(void)
{
	uint64_t sums[OWNERS][TEXTS] = {{0}};
	kt_counts *counts = NULL;
	unsigned seed = 3;

	CU_ASSERT_EQUAL_FATAL(kt_counts_new(&counts), KT_OK);
	for (int i = 0; i < 5000; i++) {
		uint32_t owner = (uint32_t)rand_r(&seed) % OWNERS;
		int text = rand_r(&seed) % TEXTS * (owner != 3);
		uint64_t n = (uint64_t)rand_r(&seed) % 4;
		char name[16];

		snprintf(name, sizeof(name), "text %d", text);
		sums[owner][text] += n;
		CU_ASSERT_EQUAL(kt_counts_add(counts, owner, name, n), KT_OK);
	}
	CU_ASSERT_EQUAL(kt_counts_sort(counts), KT_OK);
	for (uint32_t owner = 0; owner < OWNERS; owner++) {
		size_t n;
		const struct kt_counted *list = kt_counts_of(counts, owner, &n);

		CU_ASSERT_EQUAL(n, owner == 3 ? 1 : TEXTS);
		for (size_t i = 0; i < n; i++) {
			CU_ASSERT_EQUAL(list[i].count, sums[owner][atoi(list[i].text + 5)]);
			CU_ASSERT_TRUE(i == 0 || list[i - 1].count > list[i].count ||
				       (list[i - 1].count == list[i].count &&
					strcmp(list[i - 1].text, list[i].text) < 0));
		}
	}
	kt_counts_free(counts);
}

static void lists_are_short(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "e",
					    "f", "g", "h", "i", "j"};
	kt_counts *counts = NULL;
	json_t *object = json_object();
	char *text;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(kt_counts_new(&counts), KT_OK);
	for (size_t i = 0; i < 10; i++) {
		kt_counts_add(counts, 1, names[i], i == 4 ? 2 : 1);
	}
	CU_ASSERT_EQUAL(kt_counts_sort(counts), KT_OK);
	CU_ASSERT_PTR_NULL(kt_counts_of(counts, 0, &n));
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_EQUAL(kt_counts_json(counts, 0, object, "none", "name"), KT_OK);
	CU_ASSERT_EQUAL(kt_counts_json(counts, 1, object, "all", "name"), KT_OK);
	text = json_dumps(object, JSON_COMPACT);
	CU_ASSERT_STRING_EQUAL(
		text, "{\"all\":[{\"name\":\"e\",\"count\":2},{\"name\":\"a\",\"count\":1},"
		      "{\"name\":\"b\",\"count\":1},{\"name\":\"c\",\"count\":1},"
		      "{\"name\":\"d\",\"count\":1},{\"name\":\"f\",\"count\":1},"
		      "{\"name\":\"g\",\"count\":1},{\"name\":\"h\",\"count\":1},"
		      "{\"more\":2}]}");
	free(text);
	json_decref(object);
	kt_counts_free(counts);
}

/* Returns the least value such that at least `percent` % of the values are not greater. */
static uint64_t slow_percentile(const uint64_t *values, size_t n, size_t percent)
{
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t below = 0;

		for (size_t j = 0; j < n; j++) {
			below += values[j] <= values[i];
		}
		if (below * 100 >= n * percent && values[i] < best) {
			best = values[i];
		}
	}
	return best;
}

static void times_are_exact(void)
{
	unsigned seed = 11;

	for (size_t n = 1; n <= 230; n += n < 8 ? 1 : 37) {
		struct kt_times times = {0};
		struct kt_time_summary summary;
		uint64_t values[256];
		uint64_t total = 0;

		for (size_t i = 0; i < n; i++) {
			values[i] = (uint64_t)rand_r(&seed) % 50 << (i % 40);
			total += values[i];
			CU_ASSERT_EQUAL(kt_times_add(&times, 5, values[i]), KT_OK);
			CU_ASSERT_EQUAL(kt_times_add(&times, 4 + 2 * (i % 2), 1), KT_OK);
		}
		kt_times_sort(&times);
		summary = kt_times_of(&times, 5);
		CU_ASSERT_EQUAL(summary.n, n);
		CU_ASSERT_EQUAL(summary.total, total);
		CU_ASSERT_EQUAL(summary.median, slow_percentile(values, n, 50));
		CU_ASSERT_EQUAL(summary.p99, slow_percentile(values, n, 99));
		CU_ASSERT_EQUAL(kt_times_of(&times, 7).n, 0);
		kt_times_free(&times);
	}
}

static void examples_are_the_first(void)
{
	static const char *const traces[] = {"t0", "t1"};
	struct kt_evidence evidence;
	json_t *object = json_object();
	char *text;

	CU_ASSERT_EQUAL_FATAL(kt_evidence_make(&evidence, 3, 2), KT_OK);
	for (uint64_t i = 0; i < 6; i++) {
		const struct kt_example example = {.owner = i % 2 ? 2 : 1,
						   .trace = i > 2,
						   .seq = 10 - i,
						   .time = 100 - i};

		CU_ASSERT_EQUAL(kt_evidence_add(&evidence, &example, "app"), KT_OK);
	}
	kt_evidence_sort(&evidence);
	CU_ASSERT_EQUAL(kt_evidence_json(&evidence, 0, traces, object), KT_OK);
	CU_ASSERT_EQUAL(json_object_size(object), 0);
	CU_ASSERT_EQUAL(kt_evidence_json(&evidence, 1, traces, object), KT_OK);
	text = json_dumps(object, JSON_COMPACT);
	CU_ASSERT_STRING_EQUAL(
		text, "{\"evidence\":[{\"trace\":\"t0\",\"process\":\"app\",\"seq\":8,"
		      "\"time\":98},"
		      "{\"trace\":\"t0\",\"process\":\"app\",\"seq\":10,\"time\":100}]}");
	free(text);
	CU_ASSERT_EQUAL(kt_evidence_json(&evidence, 2, traces, object), KT_OK);
	CU_ASSERT_EQUAL(json_array_size(json_object_get(object, "evidence")), 2);
	json_decref(object);
	kt_evidence_free(&evidence);
}

#define BYTES 200

static void ranges_hold_what_was_added(void)
{
	unsigned seed = 5;

	for (int round = 0; round < 20; round++) {
		bool held[2][2][BYTES] = {{{false}}};
		struct kt_ranges ranges = {0};

		for (int i = 0; i < (round < 18 ? 12 : 3000); i++) {
			struct kt_range range = {.instance = (uint64_t)rand_r(&seed) % 2,
						 .mapping = (uint32_t)rand_r(&seed) % 2};

			range.from = (uint64_t)rand_r(&seed) % BYTES;
			range.to = range.from + (uint64_t)rand_r(&seed) % 7;
			range.to = range.to > BYTES ? BYTES : range.to;
			for (uint64_t at = range.from; at < range.to; at++) {
				held[range.instance][range.mapping][at] = true;
			}
			CU_ASSERT_EQUAL(kt_ranges_add(&ranges, &range), KT_OK);
		}
		kt_ranges_settle(&ranges);
		for (size_t i = 0; i < 2 * 2 * BYTES; i++) {
			CU_ASSERT_EQUAL(kt_ranges_hold(&ranges, i / BYTES / 2,
						       (uint32_t)(i / BYTES % 2),
						       i % BYTES),
					held[i / BYTES / 2][i / BYTES % 2][i % BYTES]);
		}
		CU_ASSERT_TRUE(ranges.n <= 2 * BYTES);
		kt_ranges_free(&ranges);
	}
}

static void semaphores_are_finished(void)
{
	bool waiting[3][100] = {{false}};
	struct kt_unfinished unfinished = {0};
	unsigned seed = 9;

	CU_ASSERT_FALSE(kt_unfinished_has(&unfinished, 0, 16));
	kt_unfinished_finish(&unfinished, 0, 16);
	for (int i = 0; i < 3000; i++) {
		uint64_t instance = (uint64_t)rand_r(&seed) % 3;
		uint64_t slot = (uint64_t)rand_r(&seed) % 100;
		uint64_t address = 0x204600000 + 16 * slot + (uint64_t)rand_r(&seed) % 16;

		CU_ASSERT_EQUAL(kt_unfinished_has(&unfinished, instance, address),
				waiting[instance][slot]);
		waiting[instance][slot] = rand_r(&seed) % 2;
		if (waiting[instance][slot]) {
			CU_ASSERT_EQUAL(
				kt_unfinished_release(&unfinished, instance, address),
				KT_OK);
		} else {
			kt_unfinished_finish(&unfinished, instance, address);
		}
	}
	kt_unfinished_free(&unfinished);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"counts are sums", counts_are_sums},
		{"lists are short", lists_are_short},
		{"times are exact", times_are_exact},
		{"examples are the first", examples_are_the_first},
		{"ranges hold what was added", ranges_hold_what_was_added},
		{"semaphores are finished", semaphores_are_finished},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("label-counts", tests);
}
