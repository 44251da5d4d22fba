/* SPDX-License-Identifier: MIT */
/*
 * Tests how lines of ktail replay are folded: by hand, and that random lines, folded and
 * unfolded again, are the same, and have no equal neighbours while folded.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/replay/lines.h"
#include "tests/suite.h"

static const char *const names[] = {"a", "b"};

static void add(struct kt_lines *l, enum kt_line_kind kind, const char *head,
		uint32_t thread, uint32_t depth, size_t open)
{
	struct kt_line line = {.kind = kind,
			       .thread = thread,
			       .depth = depth,
			       .timed = kind != KT_LINE_OPEN,
			       .duration = kind == KT_LINE_OPEN ? 0 : 10,
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

/* Adds "a", "b" and a call, as a sequence. */
static void sequence(struct kt_lines *l)
{
	leaf(l, "a", 0, 0);
	leaf(l, "b", 0, 0);
	call(l, 1);
}

static void test_loops(void)
{
	struct kt_lines l = {.n = 0};

	sequence(&l);
	sequence(&l);
	CU_ASSERT_EQUAL_FATAL(l.n, 7);
	CU_ASSERT_TRUE(l.lines[0].loop);
	CU_ASSERT_STRING_EQUAL(l.texts.items[l.lines[0].head], "loop");
	CU_ASSERT_EQUAL(l.lines[0].count, 2);
	CU_ASSERT_EQUAL(l.lines[1].count, 2);
	CU_ASSERT_EQUAL(l.lines[1].depth, 1);
	CU_ASSERT_EQUAL(l.lines[4].depth, 2);
	CU_ASSERT_TRUE(l.lines[6].loop);
	CU_ASSERT_EQUAL(l.lines[6].size, 7);
	/* The line inside the call is part of the call's duration. */
	CU_ASSERT_EQUAL(l.lines[6].duration, 60);
	sequence(&l);
	CU_ASSERT_EQUAL_FATAL(l.n, 7);
	CU_ASSERT_EQUAL(l.lines[6].count, 3);
	CU_ASSERT_EQUAL(l.lines[6].duration, 90);
	/* A loop of a loop and "c". */
	leaf(&l, "c", 0, 0);
	for (int i = 0; i < 3; i++) {
		sequence(&l);
	}
	leaf(&l, "c", 0, 0);
	CU_ASSERT_EQUAL_FATAL(l.n, 10);
	CU_ASSERT_EQUAL(l.lines[0].count, 2);
	CU_ASSERT_EQUAL(l.lines[1].count, 6);
	CU_ASSERT_EQUAL(l.lines[1].repeats, 3);
	CU_ASSERT_EQUAL(l.lines[9].duration, 200);
	kt_lines_free(&l);
}

/* Sequences are folded within a thread and a call, and up to a length. */
static void test_not_loops(void)
{
	struct kt_lines l = {.n = 0};

	for (int i = 0; i < 3; i++) {
		leaf(&l, "a", 0, 0);
		leaf(&l, "a", 1, 0);
	}
	CU_ASSERT_EQUAL(l.n, 6);
	kt_lines_free(&l);
	for (int length = KT_LOOP_LINES; length <= KT_LOOP_LINES + 1; length++) {
		for (int i = 0; i < 2 * length; i++) {
			char name[16];

			snprintf(name, sizeof(name), "%d", i % length);
			leaf(&l, name, 0, 0);
		}
		CU_ASSERT_EQUAL(l.n, length == KT_LOOP_LINES ? KT_LOOP_LINES + 2
							     : 2 * KT_LOOP_LINES + 2);
		kt_lines_free(&l);
	}
}

static void test_not_folded(void)
{
	struct kt_lines l = {.no_fold = true};

	leaf(&l, "a", 0, 0);
	leaf(&l, "a", 0, 0);
	call(&l, 2);
	call(&l, 2);
	CU_ASSERT_EQUAL(l.n, 10);
	sequence(&l);
	sequence(&l);
	CU_ASSERT_EQUAL(l.n, 20);
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

/* Lines without what folding changes. */
struct plain {
	enum kt_line_kind kind;
	uint32_t head;
	uint32_t depth;
};

struct plains {
	struct plain items[4096];
	size_t n;
};

static void add_plain(struct plains *out, const struct kt_line *line, uint32_t depth)
{
	CU_ASSERT_FATAL(out->n < sizeof(out->items) / sizeof(out->items[0]));
	out->items[out->n++] = (struct plain){line->kind, line->head, depth};
}

/*
 * Adds the lines of the block that begins at `at` as they were before they were folded, and
 * returns the index of the line after the block. Checks what the block's lines say if it
 * was folded `times` times by the blocks around it, and adds the duration of the block to
 * *duration.
 */
static size_t unfold(struct plains *out, const struct kt_lines *l, size_t at,
		     uint32_t depth, uint64_t times, uint64_t *duration)
{
	const struct kt_line *first = &l->lines[at];
	const uint32_t inside = depth + !first->loop;
	const uint64_t count = times * first->repeats;
	const struct kt_line *last = first;
	size_t end = at;

	for (uint64_t i = 0; i < first->repeats; i++) {
		uint64_t of_lines = 0;

		if (!first->loop) {
			add_plain(out, first, depth);
		}
		for (end = at + 1; first->kind == KT_LINE_OPEN && end < l->n &&
				   l->lines[end].kind != KT_LINE_CLOSE;) {
			end = unfold(out, l, end, inside, count, &of_lines);
		}
		if (first->kind == KT_LINE_OPEN) {
			last = &l->lines[end++];
			if (!first->loop) {
				add_plain(out, last, depth);
			} else {
				CU_ASSERT_EQUAL(last->duration, of_lines);
			}
		}
	}
	CU_ASSERT_EQUAL(first->count, count);
	CU_ASSERT_EQUAL(last->count, count);
	CU_ASSERT(first->loop || last->duration == 10 * count);
	*duration += last->duration;
	return end;
}

/* Returns whether two sequences of lines could be folded. */
static bool are_equal(const struct kt_line *a, const struct kt_line *b, size_t size,
		      bool one, uint32_t deeper)
{
	for (size_t i = 0; i < size; i++) {
		const bool outer = one && (i == 0 || i == size - 1);

		if (a[i].kind != b[i].kind || a[i].head != b[i].head ||
		    a[i].depth != b[i].depth + deeper || a[i].size != b[i].size ||
		    (!outer && a[i].repeats != b[i].repeats)) {
			return false;
		}
	}
	return true;
}

/* Checks that no sequence that ends at a line equals the one before it. */
static void check_before(const struct kt_lines *l, size_t end)
{
	const struct kt_line *lines = l->lines;
	const size_t one = lines[end - 1].size;
	size_t size = one;

	while (size < end && size <= KT_LOOP_LINES && lines[end - size - 1].size > 0) {
		const struct kt_line *begin = &lines[end - size];

		CU_ASSERT_FALSE(end >= 2 * size &&
				are_equal(begin - size, begin, size, size == one, 0));
		CU_ASSERT_FALSE(begin[-1].loop && begin[-1].size == size + 2 &&
				are_equal(begin - 1 - size, begin, size, false, 1));
		size += begin[-1].size;
	}
}

static void test_random(void)
{
	static struct plains plains;
	uint32_t state = 7;
	size_t folded = 0;
	size_t loops = 0;

	for (int round = 0; round < 2000; round++) {
		struct kt_lines lists[2] = {{.no_fold = true}, {.no_fold = false}};
		struct kt_lines *both[2] = {&lists[0], &lists[1]};
		uint64_t duration = 0;

		for (int i = 0; i < 4; i++) {
			add_random(both, &state, 0);
		}
		plains.n = 0;
		for (size_t i = 0; i < lists[1].n;) {
			i = unfold(&plains, &lists[1], i, 0, 1, &duration);
		}
		CU_ASSERT_EQUAL_FATAL(plains.n, lists[0].n);
		for (size_t i = 0; i < plains.n; i++) {
			const struct kt_line *line = &lists[0].lines[i];

			CU_ASSERT_EQUAL(plains.items[i].kind, line->kind);
			CU_ASSERT_EQUAL(plains.items[i].depth, line->depth);
			CU_ASSERT_STRING_EQUAL(lists[1].texts.items[plains.items[i].head],
					       lists[0].texts.items[line->head]);
			duration -= line->depth == 0 && line->kind != KT_LINE_OPEN
					    ? line->duration
					    : 0;
		}
		CU_ASSERT_EQUAL(duration, 0);
		folded += lists[0].n - lists[1].n;
		for (size_t i = 0; i < lists[1].n; i++) {
			loops += lists[1].lines[i].loop;
			if (lists[1].lines[i].size > 0) {
				check_before(&lists[1], i + 1);
			}
		}
		kt_lines_free(&lists[0]);
		kt_lines_free(&lists[1]);
	}
	CU_ASSERT(folded > 2000);
	CU_ASSERT(loops > 2000);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"events", test_leaves},
		{"calls", test_blocks},
		{"other threads", test_other_threads},
		{"loops", test_loops},
		{"not loops", test_not_loops},
		{"not folded", test_not_folded},
		{"random", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("replay-lines", tests);
}
