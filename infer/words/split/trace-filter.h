/* SPDX-License-Identifier: MIT */
/*
 * Selects a part of a trace by the options --process, --thread, --channel, --from, --to,
 * --call and --phase. All programs that read traces have the same options. The first three
 * leave events out; the others cut words, which then begin and end in the middle of a
 * process.
 */
#ifndef KTAIL_WORDS_TRACE_FILTER_H
#define KTAIL_WORDS_TRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option-table.h"
#include "decode/api-functions.h"

/* Processes, threads, channels and calls of the traces that were read. */
struct kt_filter_seen;

/* If all members are zero, everything is selected. */
struct kt_trace_filter {
	/* Weak: values of the options; NULL: the option was not given */
	const char *process;
	const char *thread;
	const char *channel;
	const char *from;
	const char *to;
	const char *call;
	const char *phase;

	/* Set by kt_trace_filter_settle(). */
	bool any;                    /* an option was given */
	uint64_t begin;              /* ns since the first event of the trace, inclusive */
	uint64_t end;                /* ns as in `begin`, inclusive; UINT64_MAX: no limit */
	unsigned phases;             /* bit i: enum kt_api_phase i is selected */
	struct kt_filter_seen *seen; /* Owned by this */
};

/* Rows of an option table; `member` of struct `context` is the struct kt_trace_filter. */
#define KT_TRACE_FILTER_ROWS(context, member)                                              \
	{"process", 'p', "NAME|PID,...", "only these processes",                           \
	 KT_TEXT(context, member.process)},                                                \
		{"thread", 0, "TID,...", "only these threads",                             \
		 KT_TEXT(context, member.thread)},                                         \
		{"channel", 'c', "HANDLE,...", "only submissions to these channels",       \
		 KT_TEXT(context, member.channel)},                                        \
		{"from", 0, "TIME",                                                        \
		 "only from that time on, in seconds since the first event",               \
		 KT_TEXT(context, member.from)},                                           \
	{                                                                                  \
		"to", 0, "TIME", "only up to that time", KT_TEXT(context, member.to)       \
	}

/* More rows, for programs that follow API calls. */
#define KT_TRACE_FILTER_CALL_ROWS(context, member)                                         \
	{"call", 0, "NAME|N,...", "only what happens in these API calls",                  \
	 KT_TEXT(context, member.call)},                                                   \
	{                                                                                  \
		"phase", 0, "NAME,...",                                                    \
			"only these phases, by API calls: CREATE, INIT, USE, DESTROY",     \
			KT_TEXT(context, member.phase)                                     \
	}

/* Returns whether --call or --phase was given. `filter` may be NULL: not given. */
static inline bool kt_trace_filter_by_calls(const struct kt_trace_filter *filter)
{
	return filter && (filter->call || filter->phase);
}

/*
 * Parses the values of the options. Call it after the command line was parsed. KT_E_USAGE,
 * KT_E_MEMORY.
 */
int kt_trace_filter_settle(struct kt_trace_filter *filter);

/* Frees everything that the filter owns. */
void kt_trace_filter_clear(struct kt_trace_filter *filter);

/* Returns the name of an option that was given, with its dashes, or NULL. */
const char *kt_trace_filter_option(const struct kt_trace_filter *filter);

/* Refuses `path`, an input that is not a trace: KT_E_USAGE if an option was given. */
int kt_trace_filter_refuse(const struct kt_trace_filter *filter, const char *path);

/*
 * Return whether the process, thread or channel is selected, and note it as seen. `channel`
 * is a handle; 0: unknown, never selected by --channel.
 */
bool kt_trace_filter_process(const struct kt_trace_filter *filter, const char *name,
			     uint32_t pid);
bool kt_trace_filter_thread(const struct kt_trace_filter *filter, uint32_t tid);
bool kt_trace_filter_channel(const struct kt_trace_filter *filter, uint32_t channel);

/*
 * Returns whether a call is selected, by its name or by its number among the calls of the
 * trace, from 1.
 */
bool kt_trace_filter_call(const struct kt_trace_filter *filter, const char *name,
			  uint64_t number);

/*
 * Returns whether a phase is selected. Notes that the traces have a call with a phase,
 * unless `phase` is KT_API_PHASE_NONE.
 */
bool kt_trace_filter_phase(const struct kt_trace_filter *filter, enum kt_api_phase phase);

/*
 * Returns whether --process, --thread, --from and --to select an event of the process and
 * thread at that time, in ns since the first event. The other options are not considered.
 */
bool kt_trace_filter_takes(const struct kt_trace_filter *filter, const char *process,
			   uint32_t pid, uint32_t tid, uint64_t time);

/*
 * Returns KT_E_USAGE if a value of an option matched nothing; the message names what the
 * traces have. Call it after the last trace.
 */
int kt_trace_filter_judge(const struct kt_trace_filter *filter);

#endif
