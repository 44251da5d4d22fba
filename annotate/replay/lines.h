/* SPDX-License-Identifier: MIT */
/*
 * The lines of a listing. A block is a line of its own (LEAF), or the lines from an opening
 * to its closing line. Consecutive equal blocks of a thread are folded into one block.
 * Consecutive equal sequences of several blocks are folded into a loop: a block whose lines
 * are those of the sequence, a level deeper.
 */
#ifndef KTAIL_ANNOTATE_REPLAY_LINES_H
#define KTAIL_ANNOTATE_REPLAY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/texts.h"

/* Lines of the longest sequence that is folded into a loop. */
#define KT_LOOP_LINES 256

enum kt_line_kind {
	KT_LINE_LEAF,
	KT_LINE_OPEN,  /* "name {" */
	KT_LINE_CLOSE, /* "} name" */
};

struct kt_line {
	enum kt_line_kind kind;
	uint32_t head; /* index in `texts`, as is `tail`: the text before the number */
	uint32_t tail; /* the text after the number */
	uint32_t thread;
	uint32_t depth;
	bool loop;         /* first or last line of a loop */
	int64_t time;      /* ns; of the first block that is folded into the line */
	bool timed;        /* `duration` is known */
	uint64_t duration; /* ns; sum over the blocks that are folded into the line */
	const char *mark;  /* Static: the text before the number */
	uint64_t first;    /* number of the first block; 0: the line has no number */
	uint64_t last;     /* number of the last */
	uint64_t count;    /* number of blocks that are folded into the line */

	/* Used while lines are added: */
	uint64_t repeats;  /* number of blocks folded into the line's block alone */
	size_t size;       /* last line of a block: number of lines of the block; else 0 */
	uint64_t switches; /* opening line: kt_lines.switches when the line was added */
};

/* Empty if all members are zero. Free with kt_lines_free(). */
struct kt_lines {
	bool no_fold;
	struct kt_texts texts;
	struct kt_line *lines; /* Owned by this */
	size_t n;
	size_t capacity;
	uint32_t thread;   /* of the line that was added last */
	uint64_t switches; /* number of lines whose thread is not that of the line before */
};

/*
 * Adds a line, and sets its `count`, `repeats`, `size` and `switches`. For a closing line,
 * `open` is the index of its opening line. A block that equals the block before it is
 * folded into that block: its lines are removed; so are those of a sequence of blocks that
 * equals the sequence before it, or a loop before it. KT_E_MEMORY. Amortised
 * O(log lines + KT_LOOP_LINES), if few of the sequences that are compared differ late.
 */
int kt_lines_add(struct kt_lines *lines, const struct kt_line *line, size_t open);

void kt_lines_free(struct kt_lines *lines);

#endif
