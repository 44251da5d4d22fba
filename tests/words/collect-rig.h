/* SPDX-License-Identifier: MIT */
/*
 * A collector that tests feed with records, with or without a listener that stores letters.
 */
#ifndef KTAIL_TESTS_COLLECT_RIG_H
#define KTAIL_TESTS_COLLECT_RIG_H

#include "infer/words/split/instances.h"

enum { NONE = KT_NO_LETTER };

/* A word as the listener received it. */
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
	bool listening; /* set by tests; rig_begin_unit() then adds the listener */
	struct heard heard[1024];
	size_t n_heard;
} rig;

void rig_begin_unit(enum kt_word_unit unit, enum kt_source source);
void rig_begin(void);
void rig_end(void);

/* Callbacks of the listener, which tests may also use in listeners of their own. */
int rig_hear_begin(void *context, const struct kt_streamed_word *word);
int rig_hear_end(void *context, size_t number);

/* Adds a record; one of the kind KT_EVENT_OTHER counts as driver activity. */
void rig_add_record(struct kt_origin origin, struct kt_record record);

/* Adds an event with a letter, or NONE. */
void rig_add(uint32_t pid, uint64_t seq, uint32_t letter);
void rig_add_begin(uint32_t pid, const char *name);
void rig_add_end(uint32_t pid, uint64_t seq);
void rig_add_access(uint32_t tid, uint64_t seq, enum kt_run run, uint32_t mapping,
		    uint32_t letter);

/* Adds a process recorded from both sources, and one recorded by the kernel alone. */
void rig_add_both(void);

void rig_finish(size_t words);

/* Returns the letters of a word, from the collector or the listener. */
const struct kt_record *rig_letters_of(const struct kt_collected_word *w);

/* Checks word i. `text`: "name [lost N] [cut-begin] [cut-end]: letters as small numbers" */
void rig_expect(size_t i, const char *text);

#endif
