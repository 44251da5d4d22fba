/* SPDX-License-Identifier: MIT */
/* A collector that tests feed with records, with or without a listener that keeps them. */
#ifndef KTAIL_TESTS_COLLECT_RIG_H
#define KTAIL_TESTS_COLLECT_RIG_H

#include "infer/words/split/instances.h"

enum { NONE = KT_NO_LETTER };

/* A word as the listener heard it. */
struct heard {
	struct kt_record *letters;
	size_t n;
	bool cut_begin;
	bool provisional;
	bool ended;
};

extern struct rig {
	kt_collector *collector;
	int64_t now;
	bool listening; /* from rig_begin() on */
	struct heard heard[1024];
	size_t n_heard;
} rig;

void rig_begin_unit(enum kt_word_unit unit, enum kt_source source);
void rig_begin(void);
void rig_end(void);

/* What the listener does; tests may have one that does some of it. */
int rig_hear_begin(void *context, const struct kt_streamed_word *word);
int rig_hear_end(void *context, size_t number);

/* One that is of neither a begin nor an end is of the driver. */
void rig_add_record(struct kt_origin origin, struct kt_record record);

/* An event with a letter, or NONE. */
void rig_add(uint32_t pid, uint64_t seq, uint32_t letter);
void rig_add_begin(uint32_t pid, const char *name);
void rig_add_end(uint32_t pid, uint64_t seq);
void rig_add_access(uint32_t tid, uint64_t seq, enum kt_run run, uint32_t mapping,
		    uint32_t letter);

/* Processes that were seen from both sides, and from one. */
void rig_add_both(void);

void rig_finish(size_t words);

/* The letters of a word, whichever collector has them. */
const struct kt_record *rig_letters_of(const struct kt_collected_word *w);

/* "name [lost N] [cut-begin] [cut-end]: letters as small numbers" */
void rig_expect(size_t i, const char *text);

#endif
