/* SPDX-License-Identifier: MIT */
/*
 * Splits the sorted records of a process one by one: decides which records give letters,
 * where events are missing, and to which word each letter belongs. Used by cut.c, which has
 * all records of a process, and by stream.c, which keeps no records.
 */
#ifndef KTAIL_WORDS_SPLITTER_H
#define KTAIL_WORDS_SPLITTER_H

#include "infer/words/split/collector.h"

/*
 * Consecutive events of a process. A segment ends at a gap, where detail is given up
 * (kt_record_cuts()), and where the part that --from and --to select begins or ends.
 */
struct kt_segment {
	uint64_t first; /* sequence number of the first event */
	uint64_t lost;  /* number of the process's events missing anywhere before it */
	bool after_gap; /* events that letters depend on are missing before it */
};

/* A stretch of a thread in a selected call or phase. */
struct kt_stretch {
	size_t segment;
	bool at_begin; /* begins with the thread's first record in the segment */
	bool open;     /* its call or phase does not end in the segment */
};

/* A unit over which letters are distributed: a thread, a channel, or the whole process. */
struct kt_cut_thread {
	uint32_t tid;     /* for a channel, its ordinal */
	size_t first;     /* segment of its first event */
	size_t last;      /* segment of its last event */
	size_t n;         /* number of letters kept */
	uint64_t counted; /* lost events that the thread's next word does not count */
	uint32_t letter;  /* with a letter filter: the letter kept last */
	size_t last_kept; /* value of kt_splitter.uncut that belongs to `letter`; 0: none */
	/* Only with --call or --phase: */
	size_t stretch;  /* index of the latest stretch */
	size_t depth;    /* --call: open selected calls; --phase: 1 in a selected phase */
	size_t in_whole; /* --call: value of kt_splitter.whole to which `depth` belongs */
	size_t seen;     /* number of segments at the thread's latest record */
};

struct kt_splitter {
	enum kt_word_unit unit;
	struct kt_filtering *filtering;       /* Weak; NULL: all letters are kept */
	const kt_letters *letters;            /* Weak: names of letters */
	const struct kt_trace_filter *wanted; /* Weak; NULL: everything */
	int64_t first_time;                   /* time of the first event of the trace */
	bool begun;                           /* an event at or after --from has come */
	bool over;                            /* an event after --to has come */
	bool outside; /* the latest record is not in the part that --from and --to select */
	size_t whole; /* number of parts so far that gaps separate */
	bool given_up; /* a KT_EVENT_GIVEN_UP has come: no more letters */
	/* number of parts so far that gaps or kt_record_cuts() separate */
	size_t uncut;
	struct kt_segment *segments; /* Owned by this */
	size_t n_segments;
	size_t segments_capacity;
	struct kt_stretch *stretches; /* Owned by this: with --call and --phase */
	size_t n_stretches;
	size_t stretches_capacity;
	struct kt_cut_thread *threads; /* Owned by this: in order of first event */
	size_t n_threads;
	size_t threads_capacity;
	size_t latest; /* index of the previous event's thread */
	struct kt_hash_index by_tid;
	bool known_begin; /* the process's beginning was recorded */
	uint64_t last;    /* highest sequence number so far */
	bool in_run;
	uint32_t mapping; /* mapping of the current run */
	uint64_t run;     /* number of the run, from 1 */
	uint64_t *stamps; /* Owned by this: for each letter, the latest run that had it */
	size_t n_stamps;
	size_t stamps_capacity;
};

/* Takes over the settings of a collector. */
void kt_splitter_set_up(struct kt_splitter *splitter, kt_collector *collector);

/*
 * Takes the next record of the process. *keep says whether the record's letter belongs to a
 * word; *thread is the index of the record's thread. With --phase, in_phase says whether
 * the record's phase is selected (phase-cut.h). Expected amortised O(1).
 */
int kt_splitter_take(struct kt_splitter *splitter, const struct kt_record *record,
		     bool in_phase, size_t *thread, bool *keep);

/*
 * Returns the piece of a thread's latest record. Letters of a thread belong to the same
 * word if they have the same piece, which is the index of a segment or, with --call and
 * --phase, of a stretch.
 */
size_t kt_splitter_piece(const struct kt_splitter *splitter, size_t thread);
size_t kt_splitter_segment_of(const struct kt_splitter *splitter, size_t piece);

/*
 * Begins the word of a thread for a piece. Sets info->lost to the number of events lost
 * between the thread's previous word and this one, and sets info->cut_begin.
 */
void kt_splitter_begin_word(struct kt_splitter *splitter, size_t thread, size_t piece,
			    struct kt_word_info *info);

/*
 * Returns the events lost after the last word of a thread; the caller adds them to the
 * losses of that word.
 */
uint64_t kt_splitter_lost_after(const struct kt_splitter *splitter, size_t thread);

/* Returns whether the end of a piece's word is truncated. Call it after the last record. */
bool kt_splitter_cuts_end(const struct kt_splitter *splitter, size_t piece, bool known_end);

/*
 * Returns whether the trace itself, not only the filter, truncates a piece's word at either
 * end. Call it after the last record.
 */
bool kt_splitter_truncates(const struct kt_splitter *splitter, size_t piece,
			   bool known_end);

/*
 * Returns the number in the names of a thread's words: the index of the thread or the
 * ordinal of the channel.
 */
size_t kt_splitter_part(const struct kt_splitter *splitter, size_t thread);

/*
 * Makes the name of a word: the trace, the process's name and ordinal, the number from
 * kt_splitter_part() and, if `fragmented`, the fragment. `fragmented` says that the thread
 * has several words. The caller frees *out.
 */
int kt_splitter_name_word(char **out, const kt_collector *collector, const char *process,
			  size_t ordinal, size_t part, size_t fragment, bool fragmented);

/*
 * Names words[0..n), which must be all words of the thread, because a single word gets no
 * fragment number. Counts truncated words in the totals.
 */
int kt_splitter_name_words(const struct kt_splitter *splitter, kt_collector *collector,
			   const struct kt_process *process, size_t thread,
			   struct kt_collected_word *words, size_t n);

/* Frees the members. */
void kt_splitter_clear(struct kt_splitter *splitter);

#endif
