/* SPDX-License-Identifier: MIT */
/*
 * Tests how lines of ktail replay are folded: by hand, and that random blocks keep their
 * counts and durations and have no equal neighbours.
 */
#include <stdint.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/replay/lines.h"
#include "tests/suite.h"

#define NAMES 3

static const char *const names[NAMES] = {"a", "b", "c"};

static void add(struct kt_lines *l, enum kt_line_kind kind, const char *head,
		uint32_t thread, uint32_t depth, size_t open)
{
	struct kt_line line = {.kind = kind,
			       .thread = thread,
			       .depth = depth,
			       .timed = true,
			       .duration = 10,
			       .mark = " "};

	line.first = line.last = kind == KT_LINE_LEAF ? 1 + l->n : 0;
	CU_ASSERT_EQUAL_FATAL(kt_texts_add(&l->texts, head, &line.head), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_texts_add(&l->texts, "", &line.tail), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_lines_add(l, &line, open), KT_OK);
}

static void leaf(struct kt_lines *l, const char *head, uint32_t thread, uint32_t depth)
{
	add(l, KT_LINE_LEAF, head, thread, depth, 0);
}

/* Adds a call on thread 0 with n events "a" inside. */
static void call(struct kt_lines *l, int n)
{
	const size_t open = l->n;

	add(l, KT_LINE_OPEN, "call", 0, 0, 0);
	for (int i = 0; i < n; i++) {
		leaf(l, "a", 0, 1);
	}
	add(l, KT_LINE_CLOSE, "call", 0, 0, open);
}

static void test_leaves(void)
{
	struct kt_lines l = {.n = 0};

	leaf(&l, "a", 0, 0);
	leaf(&l, "a", 0, 0);
	leaf(&l, "a", 0, 0);
	CU_ASSERT_EQUAL(l.n, 1);
	CU_ASSERT_EQUAL(l.lines[0].count, 3);
	CU_ASSERT_EQUAL(l.lines[0].duration, 30);
	CU_ASSERT_EQUAL(l.lines[0].first, 1);
	CU_ASSERT_EQUAL(l.lines[0].last, 2);
	leaf(&l, "b", 0, 0);
	leaf(&l, "b", 1, 0);
	leaf(&l, "b", 1, 1);
	leaf(&l, "a", 1, 1);
	CU_ASSERT_EQUAL(l.n, 5);
	kt_lines_free(&l);
}

static void test_blocks(void)
{
	struct kt_lines l = {.n = 0};

	call(&l, 2);
	call(&l, 2);
	call(&l, 2);
	CU_ASSERT_EQUAL(l.n, 3);
	CU_ASSERT_EQUAL(l.lines[0].count, 3);
	CU_ASSERT_EQUAL(l.lines[1].count, 6);
	CU_ASSERT_EQUAL(l.lines[1].duration, 60);
	CU_ASSERT_EQUAL(l.lines[2].count, 3);
	/* The lines inside differ by a count. */
	call(&l, 3);
	CU_ASSERT_EQUAL(l.n, 6);
	call(&l, 2);
	CU_ASSERT_EQUAL(l.n, 9);
	kt_lines_free(&l);
}

static void test_other_threads(void)
{
	struct kt_lines l = {.n = 0};

	for (int i = 0; i < 2; i++) {
		const size_t open = l.n;

		add(&l, KT_LINE_OPEN, "call", 0, 0, 0);
		leaf(&l, "a", 1, 0);
		add(&l, KT_LINE_CLOSE, "call", 0, 0, open);
	}
	CU_ASSERT_EQUAL(l.n, 6);
	kt_lines_free(&l);
}

static void test_not_folded(void)
{
	struct kt_lines l = {.no_fold = true};

	leaf(&l, "a", 0, 0);
	leaf(&l, "a", 0, 0);
	call(&l, 2);
	call(&l, 2);
	CU_ASSERT_EQUAL(l.n, 10);
	kt_lines_free(&l);
}

/* Returns a pseudo-random number below n; the sequence is the same on each run. */
static uint32_t next(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 16) % n;
}

/* Adds random blocks at a depth to two lists, only one of which folds. */
static void add_random(struct kt_lines *both[2], uint32_t *state, uint32_t depth)
{
	const uint32_t n = 1 + next(state, 4);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = names[next(state, 2)];
		const size_t opens[2] = {both[0]->n, both[1]->n};
		const bool block = depth < 3 && next(state, 3) > 0;

		for (int j = 0; j < 2; j++) {
			add(both[j], block ? KT_LINE_OPEN : KT_LINE_LEAF, name, 0, depth,
			    0);
		}
		if (block) {
			add_random(both, state, depth + 1);
			for (int j = 0; j < 2; j++) {
				add(both[j], KT_LINE_CLOSE, name, 0, depth, opens[j]);
			}
		}
	}
}

/* Sums counts and durations by kind, depth and name. */
static void sum(const struct kt_lines *l, uint64_t counts[3][4][NAMES], uint64_t *duration)
{
	memset(counts, 0, sizeof(uint64_t[3][4][NAMES]));
	*duration = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct kt_line *line = &l->lines[i];
		const char *head = l->texts.items[line->head];

		counts[line->kind][line->depth][head[0] - 'a'] += line->count;
		*duration += line->duration;
	}
}

/*
 * Returns whether two blocks of `size` lines differ only in the members that folding adds
 * up.
 */
static bool are_equal(const struct kt_line *a, const struct kt_line *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		/*
		 * The counts of lines inside a block are sums over all repeats of the
		 * block.
		 */
		if (a[i].kind != b[i].kind || a[i].head != b[i].head ||
		    a[i].depth != b[i].depth ||
		    (i > 0 && a[i].count * b[0].count != b[i].count * a[0].count)) {
			return false;
		}
	}
	return true;
}

static void test_random(void)
{
	uint32_t state = 7;
	size_t folded = 0;

	for (int round = 0; round < 2000; round++) {
		struct kt_lines lists[2] = {{.no_fold = true}, {.no_fold = false}};
		struct kt_lines *both[2] = {&lists[0], &lists[1]};
		uint64_t counts[2][3][4][NAMES];
		uint64_t durations[2];

		add_random(both, &state, 0);
		for (int j = 0; j < 2; j++) {
			sum(&lists[j], counts[j], &durations[j]);
		}
		CU_ASSERT_EQUAL(memcmp(counts[0], counts[1], sizeof(counts[0])), 0);
		CU_ASSERT_EQUAL(durations[0], durations[1]);
		folded += lists[0].n - lists[1].n;
		for (size_t i = 0; i < lists[1].n; i++) {
			const size_t size = lists[1].lines[i].size;

			CU_ASSERT_FALSE(size > 0 && i + 1 >= 2 * size &&
					lists[1].lines[i - size].size == size &&
					are_equal(&lists[1].lines[i + 1 - 2 * size],
						  &lists[1].lines[i + 1 - size], size));
		}
		kt_lines_free(&lists[0]);
		kt_lines_free(&lists[1]);
	}
	CU_ASSERT(folded > 2000);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"events", test_leaves},
		{"calls", test_blocks},
		{"other threads", test_other_threads},
		{"not folded", test_not_folded},
		{"random", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("replay-lines", tests);
}
