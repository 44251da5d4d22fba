/* SPDX-License-Identifier: MIT */
/*
 * What a process's records, sorted, are as they come one by one: letters or not, where
 * events are missing, whose word each belongs to. Shared by cut.c, which has all records of
 * a process, and stream.c, which keeps none.
 */
#ifndef KTAIL_WORDS_SPLITTER_H
#define KTAIL_WORDS_SPLITTER_H

#include "infer/words/split/collector.h"

/* Events between two gaps. */
struct kt_segment {
	uint64_t first; /* sequence number of its first event */
	uint64_t lost;  /* missing before this one and of all before it */
};

/* What letters are distributed over: a thread, a channel, or all of the process. */
struct kt_cut_thread {
	uint32_t tid;     /* of a channel its ordinal */
	size_t first;     /* segment of its first event */
	size_t last;      /* segment of its last event */
	size_t n;         /* letters */
	uint64_t counted; /* lost events that its words tell of so far */
	uint32_t letter;  /* if filtering: kept last, */
	size_t last_kept; /* in the segment before that one; 0: none */
};

struct kt_splitter {
	enum kt_word_unit unit;
	struct kt_filtering *filtering; /* Weak; NULL: all letters are kept */
	const kt_letters *letters;      /* Weak: their names */
	struct kt_segment *segments;    /* Owned by this */
	size_t n_segments;
	size_t segments_capacity;
	struct kt_cut_thread *threads; /* Owned by this: in order of first event */
	size_t n_threads;
	size_t threads_capacity;
	size_t latest; /* thread of the event before */
	struct kt_hash_index by_tid;
	bool known_begin; /* of the process */
	uint64_t last;    /* highest sequence number so far */
	bool in_run;
	uint32_t mapping; /* of the run */
	uint64_t run;     /* its number, from 1 */
	uint64_t *stamps; /* Owned by this: letter -> the last run that gave it */
	size_t n_stamps;
	size_t stamps_capacity;
};

/* Its collector's settings. */
void kt_splitter_set_up(struct kt_splitter *splitter, kt_collector *collector);

/*
 * Takes the next record: *keep tells whether it is a letter, *thread to which of the
 * threads it belongs. Amortised O(1), expected.
 */
int kt_splitter_take(struct kt_splitter *splitter, const struct kt_record *record,
		     size_t *thread, bool *keep);

/*
 * Begins a word of a thread in a segment: fills in what was lost before it and whether
 * its beginning is cut.
 */
void kt_splitter_begin_word(struct kt_splitter *splitter, size_t thread, size_t segment,
			    struct kt_word_info *info);

/* Lost events after the last word of a thread, which that one is to tell of as well. */
uint64_t kt_splitter_lost_after(const struct kt_splitter *splitter, size_t thread);

/* Whether the end of a word of that segment is cut, once all records were taken. */
bool kt_splitter_cuts_end(const struct kt_splitter *splitter, size_t segment,
			  bool known_end);

/* What a thread's words are told apart by: its place, or the channel that it stands for. */
size_t kt_splitter_part(const struct kt_splitter *splitter, size_t thread);

/*
 * Names a word of that part of a process of that name and ordinal; `fragmented` if it is
 * not the only one. The caller frees *out.
 */
int kt_splitter_name_word(char **out, const kt_collector *collector, const char *process,
			  size_t ordinal, size_t part, size_t fragment, bool fragmented);

/*
 * Names the words[0..n) of a thread of a process, now that it is known how many there are,
 * and counts what is cut of them.
 */
int kt_splitter_name_words(const struct kt_splitter *splitter, kt_collector *collector,
			   const struct kt_process *process, size_t thread,
			   struct kt_collected_word *words, size_t n);

/* Frees what it owns. */
void kt_splitter_clear(struct kt_splitter *splitter);

#endif
