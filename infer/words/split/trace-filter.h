/* SPDX-License-Identifier: MIT */
/*
 * Which part of a trace is wanted: the options --process, --thread, --channel, --from,
 * --to and --call, one table for all programs that read traces. The first three choose
 * events; the last three cut, so that a word begins and ends at an unknown point of its
 * process.
 */
#ifndef KTAIL_WORDS_TRACE_FILTER_H
#define KTAIL_WORDS_TRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option-table.h"

/* Processes, threads and channels of the traces that were read. */
struct kt_filter_seen;

/* All zero: everything is wanted. */
struct kt_trace_filter {
	/* Weak: the values of the options; NULL: not given */
	const char *process;
	const char *thread;
	const char *channel;
	const char *from;
	const char *to;
	const char *call;

	/* Set by kt_trace_filter_settle(). */
	bool any;                    /* an option was given */
	uint64_t begin;              /* ns since the first event of the trace, inclusive */
	uint64_t end;                /* likewise; UINT64_MAX: no limit */
	struct kt_filter_seen *seen; /* Owned by this */
};

/* Rows of an option table; `member` is the struct kt_trace_filter. */
#define KT_TRACE_FILTER_ROWS(context, member)                                              \
	{"process", 'p', "NAME|PID,...", "only these processes",                           \
	 KT_TEXT(context, member.process)},                                                \
		{"thread", 0, "TID,...", "only these threads",                             \
		 KT_TEXT(context, member.thread)},                                         \
		{"channel", 'c', "HANDLE,...",                                             \
		 "only what was submitted to these channels",                              \
		 KT_TEXT(context, member.channel)},                                        \
		{"from", 0, "TIME", "only from then on, in seconds since the first event", \
		 KT_TEXT(context, member.from)},                                           \
	{                                                                                  \
		"to", 0, "TIME", "only up to then", KT_TEXT(context, member.to)            \
	}

/* One more, of programs that follow calls of the API. */
#define KT_TRACE_FILTER_CALL_ROW(context, member)                                          \
	{                                                                                  \
		"call", 0, "NAME|N,...", "only what happens in these calls of the API",    \
			KT_TEXT(context, member.call)                                      \
	}

/* After the command line was parsed: KT_E_USAGE for a value that is wrong, KT_E_MEMORY. */
int kt_trace_filter_settle(struct kt_trace_filter *filter);

/* Frees what it owns. */
void kt_trace_filter_clear(struct kt_trace_filter *filter);

/* Whether words are cut: --from, --to or --call was given. */
static inline bool kt_trace_filter_cuts(const struct kt_trace_filter *filter)
{
	return filter->from || filter->to || filter->call;
}

/* The name of an option that was given, with its dashes; NULL: none was. */
const char *kt_trace_filter_option(const struct kt_trace_filter *filter);

/* KT_E_USAGE where an option was given, for an input that is not a trace. */
int kt_trace_filter_refuse(const struct kt_trace_filter *filter, const char *path);

/* Whether the process, thread or channel (a handle) is wanted. Each is noted as seen. */
bool kt_trace_filter_process(const struct kt_trace_filter *filter, const char *name,
			     uint32_t pid);
bool kt_trace_filter_thread(const struct kt_trace_filter *filter, uint32_t tid);
bool kt_trace_filter_channel(const struct kt_trace_filter *filter, uint32_t channel);

/* Whether a call is wanted, by its name or its number in the trace, from 1. */
bool kt_trace_filter_call(const struct kt_trace_filter *filter, const char *name,
			  uint64_t number);

/* Whether an event of that process and thread at that time (ns since the first event) is
 * wanted. */
bool kt_trace_filter_takes(const struct kt_trace_filter *filter, const char *process,
			   uint32_t pid, uint32_t tid, uint64_t time);

/* After the last trace: KT_E_USAGE for a value that matched nothing, naming what there is.
 */
int kt_trace_filter_judge(const struct kt_trace_filter *filter);

#endif
