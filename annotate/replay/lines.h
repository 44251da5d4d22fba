/* SPDX-License-Identifier: MIT */
/*
 * The lines of a listing. A block is a line of its own (LEAF), or the lines from an opening
 * to its closing line. Consecutive equal blocks of a thread are folded into one.
 */
#ifndef KTAIL_ANNOTATE_REPLAY_LINES_H
#define KTAIL_ANNOTATE_REPLAY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/texts.h"

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
	int64_t time;      /* of the first that is folded into the line, ns */
	bool timed;        /* `duration` is known */
	uint64_t duration; /* ns, of all that are folded into the line */
	const char *mark;  /* Static: what is printed before the number */
	uint64_t first;    /* number of the first; 0: the line has no number */
	uint64_t last;     /* number of the last */
	uint64_t count;    /* how many are folded into the line */

	/* Used while lines are added: */
	uint64_t repeats;  /* how many blocks were folded into the line's block alone */
	size_t size;       /* of the last line of a block: lines of the block; else 0 */
	uint64_t switches; /* of an opening line: kt_lines.switches when it was added */
};

/* All zero: empty. Free with kt_lines_free(). */
struct kt_lines {
	bool no_fold;
	struct kt_texts texts;
	struct kt_line *lines; /* Owned by this */
	size_t n;
	size_t capacity;
	uint32_t thread;   /* of the line that was added last */
	uint64_t switches; /* how often a line had another thread than the one before */
};

/*
 * Adds a line; `count`, `repeats`, `size` and `switches` are set. `open` is, for a closing
 * line, the index of its opening line. A block that equals the block before it is folded
 * into that block: its lines are removed. KT_E_MEMORY. O(log lines) amortised.
 */
int kt_lines_add(struct kt_lines *lines, const struct kt_line *line, size_t open);

void kt_lines_free(struct kt_lines *lines);

#endif
