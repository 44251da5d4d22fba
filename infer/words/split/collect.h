/* SPDX-License-Identifier: MIT */
/*
 * From events, in whatever order they arrive, to words: sorts each process's events by
 * sequence number, finds where processes begin and end and what is missing, forms the runs
 * of accesses, deals letters out to threads or channels, names the words.
 *
 * Feed kt_collector_add() with all events in order of time, call kt_collector_finish(),
 * then read the words.
 */
#ifndef KTAIL_WORDS_COLLECT_H
#define KTAIL_WORDS_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"

/* Losses are added up to KT_LOST_MAX: a damaged event can make more of them. */
static inline uint64_t kt_lost_add(uint64_t lost, uint64_t more)
{
	return more > KT_LOST_MAX - lost ? KT_LOST_MAX : lost + more;
}

enum kt_word_unit {
	KT_WORD_PROCESS = 0,
	KT_WORD_THREAD,
	KT_WORD_CHANNEL, /* of records that kt_encode_fn gave */
};

/* Their names, in this order. */
#define KT_WORD_UNIT_NAMES "process", "thread", "channel"

/* As the option --source names them, in this order. */
#define KT_SOURCE_NAMES "user", "kernel"
enum kt_source {
	KT_SOURCE_USER = 0, /* a process that has user events is taken from those */
	KT_SOURCE_KERNEL,   /* a process that has kernel events is taken from those */
};

enum kt_event_kind {
	KT_EVENT_OTHER = 0,
	KT_EVENT_BEGIN, /* process_begin */
	KT_EVENT_END,   /* process_end */
};

/* What is kept of an event. */
struct kt_record {
	uint64_t seq;
	int64_t time; /* ns since the epoch */
	uint32_t tid;
	uint32_t mapping;     /* of an access; as spelled: the channel, KT_NO_CHANNEL */
	uint32_t detail;      /* for what spells it: a number of its event; 0: none */
	uint32_t letter : 28; /* KT_NO_LETTER: none */
	uint32_t run : 2;     /* enum kt_run */
	uint32_t kind : 2;    /* enum kt_event_kind */
};

/* A record that is no letter and of no channel. */
#define KT_NO_CHANNEL UINT32_MAX

/*
 * Makes the records of one process, sorted by sequence number, into others that have
 * letters: all of them again, and after them more. Those that were made have a number of
 * one that was before them, on the same side of every gap. `mapping` is the ordinal of the
 * channel, by first record; those of no known channel have one more than the last. The
 * caller frees *out.
 */
typedef int kt_encode_fn(void *context, const struct kt_record *records, size_t n,
			 struct kt_record **out, size_t *n_out);

/* How records are spelled: all of a process at once, or as they come. */
struct kt_encoding {
	kt_encode_fn *all;

	/* Begins a process; end() gives back what it made. */
	int (*begin)(void *context, void **encoder);
	/*
	 * Takes a process's next record, NULL behind the last one; after_gap: events are
	 * missing before it. What is known now is in (*out)[0..*n) until the next
	 * call; a letter of no known channel has KT_NO_CHANNEL.
	 */
	int (*take)(void *encoder, const struct kt_record *record, bool after_gap,
		    const struct kt_record **out, size_t *n);
	/* The ordinal that is for letters of no known channel. */
	uint32_t (*strays)(const void *encoder);
	void (*end)(void *encoder);
	/* A record will not be taken after all. */
	void (*drop)(void *context, const struct kt_record *record);
};

/* Events of a process that may wait for one that is missing before them, and how long
 * by the trace's clock, in ns, when nobody keeps them all. */
#define KT_STREAM_WINDOW   4096
#define KT_STREAM_PATIENCE INT64_C(1000000000)

/* A word that is told of while it goes on. */
struct kt_streamed_word {
	size_t number; /* from 0, in order of their first letters */
	uint32_t pid;
	bool cut_begin;
	bool provisional; /* may turn out to be of the wrong enum kt_source */
};

/*
 * Who hears of letters as soon as it is known where in which word they stand. Each returns
 * 0 or a status, which ends it all.
 */
struct kt_word_listener {
	int (*begin)(void *context, const struct kt_streamed_word *word);
	int (*letter)(void *context, size_t number, const struct kt_record *record);
	int (*end)(void *context, size_t number); /* no more letters of it come */
	void *context;                            /* Weak */
};

/* Where an event comes from. */
struct kt_origin {
	uint32_t pid;
	uint32_t trace; /* which of the traces that are read as one; pids repeat among them
			 */
	uint32_t host;  /* where that was recorded, by number; 0: unknown */
	bool kernel;    /* from the kernel provider */
	bool no_seq;    /* it has no sequence number: order of arrival counts */
};

/* Whether two traces can be of one machine, as far as they say. */
static inline bool kt_same_host(const struct kt_origin *a, const struct kt_origin *b)
{
	return a->host == b->host || a->host == 0 || b->host == 0;
}

/* A word: letters[0..n) belong to the collector. Every record in it has a letter. */
struct kt_collected_word {
	struct kt_word_info info;        /* name: owned by the collector */
	const struct kt_record *letters; /* NULL of a collector with a listener */
	uint64_t n;
	size_t number;  /* what the listener knows it by */
	size_t process; /* which life of those that are read, from 0, by first event */
};

/* What the collector learned beside the words. */
struct kt_collect_totals {
	uint64_t events;     /* added */
	uint64_t lost;       /* proven to be missing by sequence numbers */
	uint64_t cut_begins; /* words whose beginning is cut */
	uint64_t cut_ends;   /* words whose end is cut */
	uint64_t processes;  /* processes seen, with or without letters */
	uint64_t late;       /* came after they were taken for lost: left out */
};

typedef struct kt_collector kt_collector;
struct kt_instance; /* instances.h */

/* The unit of that name: process, thread, channel. KT_E_USAGE: there is none. */
int kt_word_unit_of(const char *name, enum kt_word_unit *out);
/* KT_E_USAGE if words cannot be that with the alphabet: channels need commands. */
int kt_word_unit_check(enum kt_word_unit unit, const kt_alphabet *alphabet);

/* `trace`, made printable, begins every word's name. The caller owns *out. */
int kt_collector_new(kt_collector **out, const char *trace, enum kt_word_unit unit,
		     enum kt_source source);

/* NULL is allowed. */
void kt_collector_free(kt_collector *collector);

/* Amortised O(1) for events that arrive in order. */
int kt_collector_add(kt_collector *collector, const struct kt_origin *origin,
		     const struct kt_record *record);

/* The life of the event added last, which notes what else that says; NULL: none was. */
struct kt_instance *kt_collector_instance(const kt_collector *collector);

/*
 * The name that a statedump gave for the pid of an origin: used where nothing else is
 * known.
 */
int kt_collector_name_pid(kt_collector *collector, const struct kt_origin *origin,
			  const char *name);

/* `spelling`, kept, says what is a letter. */
void kt_collector_set_encoding(kt_collector *collector, const struct kt_encoding *encoding,
			       void *context);

/* Words have only the letters that the filter, kept, lets pass; `letters` names them. */
void kt_collector_set_filter(kt_collector *collector, const struct kt_letter_filter *filter,
			     const kt_letters *letters);

/*
 * Call before the first event: no record is kept, letters are told to the listener, whose
 * structure is kept. Words are the same as without one, save that of a process's events
 * after a missing one only KT_STREAM_WINDOW wait for it, and not longer than
 * KT_STREAM_PATIENCE; one that comes later yet is left out (totals.late), its word stays
 * cut where it is missing. So is, with a spelling, one that comes more than that after the
 * end of its process. Memory is that of processes, words, threads and gaps.
 */
void kt_collector_listen(kt_collector *collector, const struct kt_word_listener *listener);
bool kt_collector_listens(const kt_collector *collector);

/* With a listener: it is that late, though no event came; see KT_STREAM_PATIENCE. */
int kt_collector_pass_time(kt_collector *collector, int64_t now);

/*
 * The name of a word that goes on, as good as it is known: it may be another one in the end
 * where a process gets its name late, where others turn out to be of the wrong source, and,
 * of the first fragment of a word, where others follow. The caller frees *out.
 */
int kt_collector_name_now(char **out, const kt_collector *collector, size_t number);

/* Makes the words. Call once; nothing can be added afterwards. */
int kt_collector_finish(kt_collector *collector);

/* After kt_collector_finish(): the words, by process in order of first event. */
size_t kt_collector_count(const kt_collector *collector);
const struct kt_collected_word *kt_collector_word(const kt_collector *collector, size_t i);
const struct kt_collect_totals *kt_collector_totals(const kt_collector *collector);

#endif
