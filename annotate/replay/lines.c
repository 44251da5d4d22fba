/* SPDX-License-Identifier: MIT */
#include "annotate/replay/lines.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * Returns whether two lines differ only in number, time and duration, and in that `a` is
 * `deeper` levels deeper.
 */
static bool are_alike(const struct kt_line *a, const struct kt_line *b, uint32_t deeper)
{
	return a->kind == b->kind && a->head == b->head && a->tail == b->tail &&
	       a->thread == b->thread && a->depth == b->depth + deeper &&
	       a->timed == b->timed && (a->first == 0) == (b->first == 0) &&
	       a->size == b->size;
}

/* Adds the duration and the count of `more` to `line`. */
static void join(struct kt_line *line, const struct kt_line *more)
{
	line->duration += more->duration;
	line->last = more->last;
	line->count += more->count;
}

/*
 * Folds the last block into the block before it if their lines are alike. The first and the
 * last line of each block may already stand for different numbers of blocks; the lines
 * inside may not.
 */
static void fold_block(struct kt_lines *l)
{
	const size_t size = l->lines[l->n - 1].size;
	struct kt_line *block = &l->lines[l->n - size];
	struct kt_line *before = block - size;

	if (l->n < 2 * size || before[size - 1].size != size) {
		return;
	}
	for (size_t i = 0; i < size; i++) {
		const bool outer = i == 0 || i == size - 1;

		if (!are_alike(&before[i], &block[i], 0) ||
		    (!outer && before[i].repeats != block[i].repeats)) {
			return;
		}
	}
	for (size_t i = 0; i < size; i++) {
		join(&before[i], &block[i]);
	}
	before[0].repeats += block[0].repeats;
	before[size - 1].repeats = before[0].repeats;
	l->n -= size;
}

/* Returns whether two sequences are alike; the lines of `a` are `deeper` levels deeper. */
static bool are_sequences_alike(const struct kt_line *a, const struct kt_line *b,
				size_t size, uint32_t deeper)
{
	/* Most sequences that differ do so at their ends. */
	for (size_t i = size; i-- > 0;) {
		if (!are_alike(&a[i], &b[i], deeper) || a[i].repeats != b[i].repeats) {
			return false;
		}
	}
	return true;
}

/* Adds the durations of the blocks of a sequence to the closing line of their loop. */
static void add_durations(struct kt_line *close, const struct kt_line *body, size_t size,
			  uint32_t depth)
{
	for (size_t i = 0; i < size; i++) {
		if (body[i].timed && body[i].depth == depth) {
			close->timed = true;
			close->duration += body[i].duration;
		}
	}
}

/* Adds the sequence of the last `size` lines to the loop before it. */
static void extend_loop(struct kt_lines *l, size_t size)
{
	struct kt_line *more = &l->lines[l->n - size];
	struct kt_line *open = more - size - 2;

	for (size_t i = 0; i < size; i++) {
		join(&open[1 + i], &more[i]);
	}
	add_durations(&more[-1], more, size, more[-1].depth);
	open->repeats = ++more[-1].repeats;
	open->count = ++more[-1].count;
	l->n -= size;
}

/* Makes a loop of the last two sequences, of `size` lines each. */
static int make_loop(struct kt_lines *l, size_t size)
{
	struct kt_line open = {.kind = KT_LINE_OPEN,
			       .loop = true,
			       .mark = "",
			       .count = 2,
			       .repeats = 2,
			       .switches = l->switches};
	struct kt_line close;
	struct kt_line *body;

	KT_TRY(kt_texts_add(&l->texts, "loop", &open.head));
	KT_TRY(kt_texts_add(&l->texts, "", &open.tail));
	KT_TRY(kt_array_reserve(&l->lines, &l->capacity, l->n + 2));
	l->n -= size;
	body = &l->lines[l->n - size];
	for (size_t i = 0; i < size; i++) {
		join(&body[i], &body[size + i]);
	}
	open.thread = body->thread;
	open.depth = body->depth;
	open.time = body->time;
	close = open;
	close.kind = KT_LINE_CLOSE;
	close.size = size + 2;
	close.time = body[size - 1].time;
	KT_TRY(kt_texts_add(&l->texts, "} /* loop */", &close.head));
	add_durations(&close, body, size, open.depth);
	memmove(body + 1, body, size * sizeof(*body));
	for (size_t i = 1; i <= size; i++) {
		body[i].depth++;
	}
	body[0] = open;
	body[size + 1] = close;
	l->n += 2;
	return KT_OK;
}

/*
 * Folds the sequence of the last blocks, of the same thread and depth, into the loop before
 * it, or makes a loop of it and the sequence before it. Shorter sequences are tried first.
 * Sets *folded to whether one was folded.
 */
static int fold_sequence(struct kt_lines *l, bool *folded)
{
	const struct kt_line *last = &l->lines[l->n - 1];
	size_t size = last->size;

	*folded = false;
	while (size <= KT_LOOP_LINES && size < l->n) {
		const struct kt_line *begin = &l->lines[l->n - size];
		const struct kt_line *before = begin - 1;

		if (before->size == 0 || before->thread != last->thread ||
		    before->depth != last->depth) {
			break;
		}
		if (before->loop && before->size == size + 2 &&
		    are_sequences_alike(before - size, begin, size, 1)) {
			extend_loop(l, size);
			*folded = true;
			break;
		}
		if (size > last->size && l->n >= 2 * size &&
		    are_sequences_alike(begin - size, begin, size, 0)) {
			KT_TRY(make_loop(l, size));
			*folded = true;
			break;
		}
		size += before->size;
	}
	return KT_OK;
}

int kt_lines_add(struct kt_lines *l, const struct kt_line *line, size_t open)
{
	bool folded = false;
	struct kt_line *added;

	KT_TRY(kt_array_reserve(&l->lines, &l->capacity, l->n + 1));
	l->switches += l->n > 0 && l->thread != line->thread;
	l->thread = line->thread;
	added = &l->lines[l->n++];
	*added = *line;
	added->count = added->repeats = 1;
	added->size = 0;
	added->switches = l->switches;
	if (line->kind == KT_LINE_LEAF) {
		added->size = 1;
	} else if (line->kind == KT_LINE_CLOSE && l->lines[open].switches == l->switches) {
		/* No other thread has lines inside the block. */
		added->size = l->n - open;
	}
	if (added->size == 0 || l->no_fold) {
		return KT_OK;
	}
	/* What is folded is a block, which may equal the block before it in turn. */
	do {
		fold_block(l);
		KT_TRY(fold_sequence(l, &folded));
	} while (folded);
	return KT_OK;
}

void kt_lines_free(struct kt_lines *l)
{
	kt_texts_free(&l->texts);
	free(l->lines);
	*l = (struct kt_lines){.n = 0};
}
