/* SPDX-License-Identifier: MIT */
/*
 * Marks in the command stream, by which a recorded trace says which call made which
 * submission.
 *
 * A mark is a copy of four words from pageable memory to the device: KT_MARK_0, KT_MARK_1,
 * `what`, `number`. Drivers put so short a copy inside the commands, so the four words
 * stand in the trace as inline data. Doorbells of a thread ring in the order of its calls:
 * what is submitted between two marks was submitted by what the program called between them
 * (corpus/windows.awk reads it so). That marks themselves add nothing is seen where two of
 * them stand side by side.
 *
 * What came before a mark in the default stream is waited for, and so is the mark: the next
 * call meets an idle device, if the caller waits for its other streams.
 */
#ifndef KTAIL_CORPUS_MARKS_H
#define KTAIL_CORPUS_MARKS_H

#include <stdint.h>

#include "corpus/workloads/cuda-driver.h"

#define KT_MARK_0 0x6b746d61u /* "ktma" */
#define KT_MARK_1 0x726b2121u /* "rk!!" */

/* {0}: no marks, and kt_mark() does nothing. */
struct kt_marks {
	kt_cu_address place; /* where the words go */
	uint32_t *words;     /* pinned; owned by this */
};

/* In the current context. */
void kt_marks_make(struct kt_marks *marks);
void kt_marks_free(struct kt_marks *marks);

/* What follows is `number` of `what`, which is not 0. */
void kt_mark(const struct kt_marks *marks, uint32_t what, uint32_t number);

/* What was marked is over: marks 0 0 and 0 1, with nothing between them. */
void kt_mark_end(const struct kt_marks *marks);

#endif
