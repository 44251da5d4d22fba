/* SPDX-License-Identifier: MIT */
/*
 * Turns events into words: sorts the events of each process by sequence number, finds the
 * begin and end of processes and missing events, forms runs of accesses, distributes
 * letters over threads or channels, and names the words.
 *
 * Add all events in order of time with kt_collector_add(), call kt_collector_finish(), then
 * read the words. In order of time, the sequence numbers of a process need not ascend.
 */
#ifndef KTAIL_WORDS_COLLECT_H
#define KTAIL_WORDS_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"

/*
 * Adds two numbers of lost events. The sum is limited to KT_LOST_MAX, because damaged
 * sequence numbers can give any number of losses.
 */
static inline uint64_t kt_lost_add(uint64_t lost, uint64_t more)
{
	return more > KT_LOST_MAX - lost ? KT_LOST_MAX : lost + more;
}

enum kt_word_unit {
	KT_WORD_PROCESS = 0,
	KT_WORD_THREAD,
	KT_WORD_CHANNEL, /* needs a struct kt_encoding, which determines channels */
};

/* Names of enum kt_word_unit, in order. */
#define KT_WORD_UNIT_NAMES "process", "thread", "channel"

/*
 * Names of enum kt_source, in order: the values of the option --source. KT_SOURCE_NAMES is
 * for programs that read events, KT_WORD_SOURCE_NAMES for programs that read words.
 */
#define KT_SOURCE_NAMES      "user", "kernel"
#define KT_WORD_SOURCE_NAMES KT_SOURCE_NAMES, "both"
enum kt_source {
	KT_SOURCE_USER = 0, /* prefers the user-space events of a process: sources.h */
	KT_SOURCE_KERNEL,   /* prefers the kernel events of a process: sources.h */
	/*
	 * as KT_SOURCE_USER, and adds to each process the kernel's events of the kinds that
	 * only the kernel records: both.h
	 */
	KT_SOURCE_BOTH,
};

enum kt_event_kind {
	KT_EVENT_OTHER = 0,
	KT_EVENT_BEGIN, /* process_begin */
	KT_EVENT_END,   /* process_end */
	/*
	 * The next three kinds mark the API calls that --call or --phase is about. They are
	 * set by the caller of kt_collector_put().
	 */
	/* api_enter of a call that --call selects, or whose phase --phase selects */
	KT_EVENT_ENTER,
	KT_EVENT_RETURN,      /* api_exit of a call whose api_enter was marked */
	KT_EVENT_ENTER_OTHER, /* with --phase: api_enter of a call with another phase */
	/*
	 * From here on, events on which letters depend are recorded in less detail (event
	 * `detail`). Words end and fragments begin, although no event is missing.
	 */
	KT_EVENT_CUT,
	/*
	 * From here on, events on which letters depend are not recorded (event `detail`).
	 * Words end, and the rest of the process has none.
	 */
	KT_EVENT_GIVEN_UP,
	KT_EVENT_KERNEL, /* of a kind that only the kernel records, such as `pin` */
};

/* An event as the collector keeps it. */
struct kt_record {
	uint64_t seq;
	int64_t time; /* ns since the epoch */
	uint32_t tid;
	/*
	 * Before encoding: the mapping of an access. For a KT_EVENT_RETURN, before and
	 * after encoding: the number of marked calls that end with it. After encoding, for
	 * all other records: the ordinal of the channel, or KT_NO_CHANNEL.
	 */
	uint32_t mapping;
	/*
	 * Before encoding: number of an event that the encoder keeps; 0: none. After
	 * encoding: handle of the channel; 0: unknown.
	 */
	uint32_t detail;
	uint32_t letter : 26; /* KT_NO_LETTER: none */
	uint32_t run : 2;     /* enum kt_run */
	uint32_t kind : 4;    /* enum kt_event_kind */
};

/* Returns whether words end at the record, although no event is missing before it. */
static inline bool kt_record_cuts(const struct kt_record *record)
{
	return record->kind == KT_EVENT_CUT || record->kind == KT_EVENT_GIVEN_UP;
}

/* Value of `mapping` in an encoded record whose channel is unknown. */
#define KT_NO_CHANNEL UINT32_MAX

/*
 * Encodes the records of one process, sorted by sequence number. *out has all given
 * records, and one more for each letter. The record of a letter has the sequence number of
 * an earlier event, and no events are missing between the two. `mapping` is the ordinal of
 * the channel, in order of first appearance; all unknown channels share the ordinal after
 * the last one. The caller frees *out.
 */
typedef int kt_encode_fn(void *context, const struct kt_record *records, size_t n,
			 struct kt_record **out, size_t *n_out);

/* An encoder of records: for all records of a process at once, or one by one. */
struct kt_encoding {
	kt_encode_fn *all;

	/* Creates the encoder of one process, which end() frees. */
	int (*begin)(void *context, void **encoder);
	/*
	 * Takes the next record of the process, or NULL after the last one; after_gap says
	 * that events are missing before it. (*out)[0..*n) are the records that are
	 * complete now, valid until the next call. Letters of unknown channels have
	 * KT_NO_CHANNEL.
	 */
	int (*take)(void *encoder, const struct kt_record *record, bool after_gap,
		    const struct kt_record **out, size_t *n);
	/* Returns the ordinal that replaces KT_NO_CHANNEL when all records were taken. */
	uint32_t (*strays)(const void *encoder);
	void (*end)(void *encoder);
	/* Frees the event that is kept for a record which will not be passed to take(). */
	void (*drop)(void *context, const struct kt_record *record);
};

/*
 * With a listener, events of a process wait for a missing earlier event, until too many
 * events wait (KT_STREAM_WINDOW) or the first of them has waited too long
 * (KT_STREAM_PATIENCE, in ns of the clock of the trace).
 */
#define KT_STREAM_WINDOW   4096
#define KT_STREAM_PATIENCE INT64_C(1000000000)

/* A word reported while it grows. */
struct kt_streamed_word {
	size_t number; /* from 0, in order of first letters */
	uint32_t pid;
	bool cut_begin;
	/* the word may be dropped later, if the other source recorded the process, too */
	bool provisional;
};

/*
 * Receives letters as soon as their word and position are known. If a callback returns a
 * status other than 0, the collection ends with that status.
 */
struct kt_word_listener {
	int (*begin)(void *context, const struct kt_streamed_word *word);
	int (*letter)(void *context, size_t number, const struct kt_record *record);
	int (*end)(void *context, size_t number); /* the word has no more letters */
	void *context;                            /* Weak */
};

/* Origin of an event. */
struct kt_origin {
	uint32_t pid;
	/* number of the trace; tells apart equal pids of different traces */
	uint32_t trace;
	uint32_t host; /* number of the traced host; 0: unknown */
	/*
	 * The clock of the event's time; 0: unknown. If two traces have the same clock,
	 * each of them states the time of the clock's zero, and the two times differ by the
	 * error of measurement.
	 */
	uint64_t clock;
	int64_t clock_zero; /* ns since the epoch */
	bool kernel;        /* from the kernel provider */
	/* events have no sequence numbers and are taken in order of arrival */
	bool no_seq;
};

/*
 * Returns whether two origins may be on the same machine: their hosts are equal, or the
 * host of one is unknown.
 */
static inline bool kt_same_host(const struct kt_origin *a, const struct kt_origin *b)
{
	return a->host == b->host || a->host == 0 || b->host == 0;
}

/*
 * Adds two times modulo 2^64. Damaged traces may state any zero of a clock. A sum that fits
 * into 64 bits is right even if a part of it does not fit.
 */
static inline int64_t kt_time_add(int64_t time, int64_t more)
{
	return (int64_t)((uint64_t)time + (uint64_t)more);
}

/* Returns later - earlier, which may be more than INT64_MAX. */
static inline uint64_t kt_time_between(int64_t earlier, int64_t later)
{
	return (uint64_t)later - (uint64_t)earlier;
}

/*
 * Returns what kt_time_add() has to add to times of `from` so that they can be compared
 * with times of `to`.
 */
static inline int64_t kt_clock_shift(const struct kt_origin *from,
				     const struct kt_origin *to)
{
	return from->clock != 0 && from->clock == to->clock
		       ? (int64_t)kt_time_between(from->clock_zero, to->clock_zero)
		       : 0;
}

/* A word. letters[0..n) belongs to the collector, and every record in it has a letter. */
struct kt_collected_word {
	struct kt_word_info info;        /* its name is owned by the collector */
	const struct kt_record *letters; /* NULL if the collector has a listener */
	uint64_t n;
	size_t number; /* number by which the listener knows the word */
	/* ordinal of the process instance among those not left out, by first event */
	size_t process;
};

/* Totals of a collector. */
struct kt_collect_totals {
	uint64_t events;     /* events added */
	uint64_t lost;       /* events missing according to sequence numbers */
	uint64_t cut_begins; /* words with a truncated beginning */
	uint64_t cut_ends;   /* words with a truncated end */
	/* words truncated because the trace is incomplete, not only by the filter */
	uint64_t truncated;
	uint64_t processes; /* process instances, with or without letters */
	/* events left out because they arrived after being counted as lost */
	uint64_t late;
	/* With KT_SOURCE_BOTH: */
	bool both;     /* the three numbers below are known */
	uint64_t pins; /* letters of a process's events of kinds that only the kernel
			* records */
	uint64_t irqs; /* letters of interrupts */
	/* interrupts in no word, because several processes used the device */
	uint64_t shared;
};

typedef struct kt_collector kt_collector;
struct kt_arrival;      /* instances.h */
struct kt_instance;     /* instances.h */
struct kt_trace_filter; /* trace-filter.h */

/*
 * Writes the unit with the name "process", "thread" or "channel" to *out. KT_E_USAGE if
 * there is no such unit.
 */
int kt_word_unit_of(const char *name, enum kt_word_unit *out);
/* Returns the name of a unit, in static storage. */
const char *kt_word_unit_name(enum kt_word_unit unit);
/*
 * Returns the unit of words when only `part` of the trace is selected; NULL: the whole
 * trace. It differs from `unit` for --call and --phase, which select stretches of threads:
 * words of processes become words of threads.
 */
enum kt_word_unit kt_word_unit_within(enum kt_word_unit unit,
				      const struct kt_trace_filter *part);
/* KT_E_USAGE if the alphabet does not allow the unit: channels need a command alphabet. */
int kt_word_unit_check(enum kt_word_unit unit, const kt_alphabet *alphabet);

/*
 * Creates a collector. The name of every word begins with `trace`, made printable. The
 * caller owns *out.
 */
int kt_collector_new(kt_collector **out, const char *trace, enum kt_word_unit unit,
		     enum kt_source source);

/* `collector` may be NULL. */
void kt_collector_free(kt_collector *collector);

/* Adds an event. Amortised O(1) for events that arrive in order. */
int kt_collector_add(kt_collector *collector, const struct kt_origin *origin,
		     const struct kt_record *record);

/*
 * The two halves of kt_collector_add(): the first finds the process instance of the event,
 * the second stores the record. Between the two calls the caller can store more about the
 * process in the process instance.
 */
int kt_collector_arrive(kt_collector *collector, const struct kt_origin *origin,
			const struct kt_record *record, struct kt_arrival *out);
int kt_collector_put(kt_collector *collector, const struct kt_arrival *arrival,
		     const struct kt_record *record);

/* Returns whether the collector makes words of both sources (KT_SOURCE_BOTH). */
bool kt_collector_reads_both(const kt_collector *collector);

/*
 * Returns whether an event is of the source that is left out of the processes that both
 * sources recorded.
 */
bool kt_collector_leaves_out(const kt_collector *collector, const struct kt_origin *origin);

/*
 * Returns whether some process with driver events was recorded only by the source that
 * kt_collector_leaves_out() names, and is therefore taken from that source. Call it after
 * kt_collector_finish().
 */
bool kt_collector_keeps_others(const kt_collector *collector);

/*
 * With KT_SOURCE_BOTH: adds an interrupt to the list of its interrupt line. An interrupt
 * names no process; record->seq is its number among the events of the line.
 */
int kt_collector_add_irq(kt_collector *collector, const struct kt_origin *origin,
			 uint32_t line, const struct kt_record *record);

/*
 * Returns the process instance of the latest event, in which the caller can store more
 * about the process; NULL before the first event.
 */
struct kt_instance *kt_collector_instance(const kt_collector *collector);

/*
 * Stores the name that a statedump gave to the pid of an origin. The name is used for
 * processes with that pid that no event names.
 */
int kt_collector_name_pid(kt_collector *collector, const struct kt_origin *origin,
			  const char *name);

/*
 * Sets the encoder that makes letters. Encoding and context must exist until
 * kt_collector_finish() has returned; kt_collector_free() uses only the encoding.
 */
void kt_collector_set_encoding(kt_collector *collector, const struct kt_encoding *encoding,
			       void *context);

/*
 * Sets the filter of letters (--without, --runs). `letters` has the names of letters.
 * Filter and letters must exist until kt_collector_finish() has returned.
 */
void kt_collector_set_filter(kt_collector *collector, const struct kt_letter_filter *filter,
			     const kt_letters *letters);

/*
 * Restricts words to the part of the trace that `filter` selects; NULL selects everything.
 * The filter must outlive the collector. Call this before the first event. Each selected
 * stretch of a process is a word of its own. Letters, runs, and names of threads and
 * channels are the same as without the filter.
 */
void kt_collector_select(kt_collector *collector, const struct kt_trace_filter *filter);

/*
 * Reports letters to a listener, which must outlive the collector, instead of keeping
 * records. Call this before the first event. Memory grows with processes, words, threads
 * and gaps, not with events; but with KT_SOURCE_BOTH, records are kept, and letters are
 * reported by kt_collector_finish(). Words are the same as without a listener, with three
 * exceptions:
 * - If an event of a process is missing, at most KT_STREAM_WINDOW later events wait for it,
 *   for at most KT_STREAM_PATIENCE. If it arrives after that, it is left out (totals.late),
 *   and the word stays truncated there.
 * - With an encoder or --phase, a process is closed some time after its end, at least
 *   KT_STREAM_PATIENCE and at most twice as long. Events of the process that arrive after
 *   that are left out, too.
 * - --process is compared with the name that the process has at its first letter.
 */
void kt_collector_listen(kt_collector *collector, const struct kt_word_listener *listener);
bool kt_collector_listens(const kt_collector *collector);

/*
 * With a listener: tells the collector the current time of the clock of the trace, in ns,
 * when no event arrives, so that events stop waiting after KT_STREAM_PATIENCE.
 */
int kt_collector_pass_time(kt_collector *collector, int64_t now);

/*
 * Writes the present name of the unfinished word that the listener knows by `number`. The
 * final name differs if the process gets its name later, if process instances are dropped,
 * or if a second fragment follows the first. The caller frees *out.
 */
int kt_collector_name_now(char **out, const kt_collector *collector, size_t number);

/*
 * Makes the words. Call it once; no event can be added afterwards. With KT_SOURCE_BOTH,
 * KT_E_USAGE if all events are of one source, or if no process has events of both.
 */
int kt_collector_finish(kt_collector *collector);

/*
 * Returns the number of words after kt_collector_finish(). Words are ordered by process,
 * and processes by first event.
 */
size_t kt_collector_count(const kt_collector *collector);
const struct kt_collected_word *kt_collector_word(const kt_collector *collector, size_t i);
const struct kt_collect_totals *kt_collector_totals(const kt_collector *collector);

#endif
