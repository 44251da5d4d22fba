/* SPDX-License-Identifier: MIT */
/* Internal declarations of the collector, shared by its source files. */
#ifndef KTAIL_WORDS_COLLECTOR_H
#define KTAIL_WORDS_COLLECTOR_H

#include "infer/words/split/collect.h"
#include "infer/words/split/instances.h"

/* State of a process whose records are not kept (stream.c). */
struct kt_stream;

/* One process instance and the records of its words. */
struct kt_process {
	struct kt_instance instance; /* must be first */
	const char *name;            /* Weak: set by kt_collector_name_processes() */
	size_t ordinal;              /* among processes with the same name */
	struct kt_record *records;   /* Owned by this */
	/* size of `records` in bytes if mmap() allocated the array; 0: malloc() did */
	size_t mapped;
	size_t n;
	size_t capacity;
	struct kt_stream *stream; /* Owned by this; NULL: records are kept */
	/* With KT_SOURCE_BOTH: */
	/* Weak: the first instance of the kernel that is merged into this one; NULL: none
	 */
	struct kt_process *parts;
	struct kt_process *next; /* Weak: the next in the list `parts` of another process */
	struct kt_irq *irqs; /* Weak: the first of its interrupts, by time; NULL: none */
};

/* An interrupt, or missing interrupts of a line in one process. */
struct kt_irq {
	/*
	 * its time is by the clock of `origin`; of missing interrupts, the latest time
	 * possible in the process
	 */
	struct kt_record record;
	uint32_t origin; /* index in kt_collector.irq_origins */
	uint32_t line;
	uint64_t missing;           /* number of missing interrupts; 0: a recorded
				     * interrupt */
	struct kt_process *process; /* Weak; NULL: none, or several */
	struct kt_irq *next; /* Weak: the next interrupt of the same process; NULL: none */
};

/* Identifies a word of which a listener knows only the number. */
struct kt_streamed {
	struct kt_process *process; /* Weak */
	size_t fragment;            /* index among the process's fragments */
};

struct kt_pid_name {
	struct kt_origin origin;
	char *name; /* Owned by this */
};

struct kt_collector {
	char *trace; /* Owned by this */
	enum kt_word_unit unit;
	enum kt_source source;
	const struct kt_encoding *encoding;   /* Weak; NULL: records already have letters */
	void *encoding_context;               /* Weak */
	struct kt_filtering filtering;        /* filter of letters */
	const kt_letters *letters;            /* Weak: names of letters, if filtering */
	const struct kt_trace_filter *wanted; /* Weak; NULL: everything */
	int64_t first_time;                   /* of the first event */
	const struct kt_word_listener *listener; /* Weak; NULL: records are kept */
	struct kt_streamed *streamed;            /* Owned by this: by number of word */
	size_t n_streamed;
	size_t streamed_capacity;
	/*
	 * Earliest time at which an event stops waiting or an ended process is closed;
	 * INT64_MAX: none.
	 */
	int64_t deadline;
	struct kt_instances instances; /* struct kt_process each, in order of first event */
	struct kt_irq *irqs;           /* Owned by this: with KT_SOURCE_BOTH */
	size_t n_irqs;
	size_t irqs_capacity;
	struct kt_origin
		*irq_origins; /* Owned by this: one for each trace with interrupts */
	size_t n_irq_origins;
	size_t irq_origins_capacity;
	struct kt_pid_name *pid_names;
	size_t n_pid_names;
	size_t pid_names_capacity;
	struct kt_collected_word *words;
	size_t n_words;
	size_t words_capacity;
	struct kt_collect_totals totals;
};

static inline struct kt_process *kt_collector_process(const kt_collector *collector,
						      size_t i)
{
	return (struct kt_process *)collector->instances.items[i];
}

/* Grows the array of records. */
int kt_process_grow(struct kt_process *process);

/* Replaces the array of records by one from malloc(), or by NULL; frees the old one. */
void kt_process_set_records(struct kt_process *process, struct kt_record *records,
			    size_t capacity);

/* Names every process, and numbers processes with equal names. */
int kt_collector_name_processes(kt_collector *collector);

/*
 * Returns the name of a process instance, or "unknown" if it has none so far. Valid as long
 * as the collector.
 */
const char *kt_collector_name_of(const kt_collector *collector,
				 const struct kt_instance *instance);

/* --- with a listener: stream.c --- */

int kt_stream_new(struct kt_stream **out);
void kt_stream_free(struct kt_stream *stream, const kt_collector *collector);

/* Takes a record that belongs to this process instance. */
int kt_stream_add(kt_collector *collector, struct kt_process *process,
		  const struct kt_record *record);

/*
 * Passes on events that have waited longer than KT_STREAM_PATIENCE at the time `now`.
 * Closes processes whose end is once to twice KT_STREAM_PATIENCE ago. O(processes).
 */
int kt_stream_expire(kt_collector *collector, int64_t now);

/* Closes a process: reports all waiting events and ends its words. */
int kt_stream_close(kt_collector *collector, struct kt_process *process);

/* Makes the words of a closed process, without their letters. */
int kt_stream_cut(kt_collector *collector, struct kt_process *process);

/* --- without a listener: cut.c --- */

/* Makes the words of one process; compacts its records to those with letters. */
int kt_collector_cut(kt_collector *collector, struct kt_process *process);

#endif
