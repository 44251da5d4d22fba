/* SPDX-License-Identifier: MIT */
#include "annotate/replay/lines.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* Returns whether two lines differ only in number, time and duration. */
static bool are_alike(const struct kt_line *a, const struct kt_line *b)
{
	return a->kind == b->kind && a->head == b->head && a->tail == b->tail &&
	       a->thread == b->thread && a->depth == b->depth && a->timed == b->timed &&
	       (a->first == 0) == (b->first == 0) && a->size == b->size;
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
static void fold(struct kt_lines *l, size_t size)
{
	struct kt_line *block = &l->lines[l->n - size];
	struct kt_line *before = block - size;

	if (l->n < 2 * size || before[size - 1].size != size) {
		return;
	}
	for (size_t i = 0; i < size; i++) {
		const bool outer = i == 0 || i == size - 1;

		if (!are_alike(&before[i], &block[i]) ||
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

int kt_lines_add(struct kt_lines *l, const struct kt_line *line, size_t open)
{
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
	if (added->size > 0 && !l->no_fold) {
		fold(l, added->size);
	}
	return KT_OK;
}

void kt_lines_free(struct kt_lines *l)
{
	kt_texts_free(&l->texts);
	free(l->lines);
	*l = (struct kt_lines){.n = 0};
}
