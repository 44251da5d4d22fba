/* SPDX-License-Identifier: MIT */
/* What collect.c, cut.c and name.c share. Not for users of the collector. */
#ifndef KTAIL_WORDS_COLLECTOR_H
#define KTAIL_WORDS_COLLECTOR_H

#include "infer/words/split/collect.h"
#include "infer/words/split/instances.h"

/* What a process is on the way, if nothing is kept: stream.c. */
struct kt_stream;

/* One life of a process, and what its words are made of. */
struct kt_process {
	struct kt_instance instance; /* first */
	const char *name;            /* Weak: kt_collector_name_of(), once all is known */
	size_t ordinal;              /* among the processes of the same name */
	struct kt_record *records;   /* Owned by this */
	size_t mapped; /* their size in bytes if they have pages of their own */
	size_t n;
	size_t capacity;
	struct kt_stream *stream; /* Owned by this; NULL: records are kept */
};

/* Whose a word is that a listener knows by its number. */
struct kt_streamed {
	struct kt_process *process; /* Weak */
	size_t fragment;            /* of the process's */
};

struct kt_pid_name {
	struct kt_origin origin;
	char *name; /* Owned by this */
};

struct kt_collector {
	char *trace; /* Owned by this */
	enum kt_word_unit unit;
	enum kt_source source;
	const struct kt_encoding *encoding; /* Weak; NULL: records have their letters */
	void *encoding_context;             /* Weak */
	struct kt_filtering filtering;      /* which letters are kept */
	const kt_letters *letters;          /* Weak: their names, if filtering */
	const struct kt_word_listener *listener; /* Weak; NULL: records are kept */
	struct kt_streamed *streamed;            /* by number */
	size_t n_streamed;
	size_t streamed_capacity;
	int64_t deadline; /* of the first of all events that wait; INT64_MAX: none */
	struct kt_instances
		instances; /* each a struct kt_process, in order of first event */
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

/* Makes room for more records. */
int kt_process_grow(struct kt_process *process);

/* Replaces the array of records by one from malloc() or NULL; frees the old one. */
void kt_process_set_records(struct kt_process *process, struct kt_record *records,
			    size_t capacity);

/* Names every process and numbers those of one name. */
int kt_collector_name_processes(kt_collector *collector);

/* What a process is called as far as that is known; owned by the collector. */
const char *kt_collector_name_of(const kt_collector *collector,
				 const struct kt_instance *instance);

/* --- with a listener: stream.c --- */

int kt_stream_new(struct kt_stream **out);
void kt_stream_free(struct kt_stream *stream, const kt_collector *collector);

/* Takes a record, which fits into the process's life. */
int kt_stream_add(kt_collector *collector, struct kt_process *process,
		  const struct kt_record *record);

/* Lets go of events that have waited long enough at that time. O(processes) if any has. */
int kt_stream_expire(kt_collector *collector, int64_t now);

/* The process is over: all that waits is told. */
int kt_stream_close(kt_collector *collector, struct kt_process *process);

/* Makes the words of one process, without their letters, once it is closed. */
int kt_stream_cut(kt_collector *collector, struct kt_process *process);

/* --- without --- */

/* Makes the words of one process; its records are compacted to those with letters. */
int kt_collector_cut(kt_collector *collector, struct kt_process *process);

#endif
