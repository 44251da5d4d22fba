/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/read/trace.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/guard.h"
#include "base/try.h"
#include "infer/words/read/graph.h"
#include "infer/words/read/trace-folders.h"

struct kt_trace {
	const struct bt_interrupter *stop; /* Weak: while it is opened */
	kt_collector *collector;           /* Owned by this */
	kt_event_reader *reader;           /* Owned by this: has the letters' names */
	struct kt_trace_report report;
};

/* folders[0..n): the folders found, or one live session. */
static int run_graph(kt_trace *trace, const char *const *folders, size_t n,
		     const struct kt_trace_folders *found)
{
	struct kt_trace_report *report = &trace->report;
	struct kt_sink_data data = {.take = kt_event_reader_take,
				    .pass = kt_event_reader_pass,
				    .taker = trace->reader,
				    .stop = trace->stop,
				    .folders = found};
	struct kt_graph *graph;
	int code = kt_graph_new(&graph, folders, n, &data);

	if (!code) {
		code = kt_graph_run(graph, report->stopped, sizeof(report->stopped));
	}
	kt_graph_free(graph);
	report->discarded_events = data.counts.discarded_events;
	report->discarded_packets = data.counts.discarded_packets;
	return code;
}

static int read_folders(kt_trace *trace, const char *path)
{
	struct kt_trace_report *report = &trace->report;
	struct kt_trace_folders folders;
	int code;

	if (kt_graph_is_live(path)) {
		kt_guard_begin(path);
		code = run_graph(trace, &path, 1, NULL);
		/* Nobody is asked before the first message. */
		if (!code && report->stopped[0] &&
		    kt_collector_totals(trace->collector)->events == 0) {
			code = kt_error(KT_E_IO, "read %s: %s", path, report->stopped);
		} else if (code) {
			kt_error_prepend(code, "read %s", path);
		}
		kt_guard_end();
		return code;
	}
	KT_TRY(kt_trace_folders_open(&folders, path, report));
	code = run_graph(trace, folders.paths, folders.found.n, &folders);
	if (code) {
		kt_trace_folders_fail(&folders, code);
		kt_error_prepend(code, "read %s", path);
	}
	kt_trace_folders_name(&folders, report->stopped, sizeof(report->stopped));
	code = kt_guard_judge(code);
	kt_trace_folders_close(&folders);
	return code;
}

int kt_trace_open(kt_trace **out, const char *path, const struct kt_trace_options *options)
{
	kt_trace *t = calloc(1, sizeof(*t));
	const char *name;
	char *real = NULL;
	int code;

	*out = NULL;
	if (!t) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	}
	t->stop = options->stop;
	/* Words are named after the last part of the path, whatever way it was given. */
	real = kt_graph_is_live(path) ? strdup(path) : realpath(path, NULL);
	if (!real) {
		code = kt_error_errno(KT_E_IO, "read %s", path);
		goto end;
	}
	name = strrchr(real, '/') + 1;
	KT_TRY_END(kt_collector_new(&t->collector, *name ? name : "root", options->word,
				    options->source));
	KT_TRY_END(kt_word_unit_check(options->word, options->alphabet));
	if (options->listener) {
		kt_collector_listen(t->collector, options->listener);
	}
	KT_TRY_END(kt_event_reader_new(&t->reader, options->alphabet, t->collector,
				       options->details));
	if (options->listener) {
		options->opened(options->listener->context, t->collector,
				kt_event_reader_letters(t->reader));
	}
	KT_TRY_END(read_folders(t, path));
	KT_TRY_END(kt_collector_finish(t->collector));
	t->report.totals = *kt_collector_totals(t->collector);
	t->report.first_time = kt_event_reader_first_time(t->reader);
	t->report.last_time = kt_event_reader_time(t->reader);
	*out = t;
end:
	free(real);
	if (code) {
		kt_trace_free(t);
	}
	return code;
}

void kt_trace_free(kt_trace *trace)
{
	if (trace) {
		kt_event_reader_free(trace->reader);
		kt_collector_free(trace->collector);
		free(trace);
	}
}

const struct kt_trace_report *kt_trace_report(const kt_trace *trace)
{
	return &trace->report;
}

size_t kt_trace_words(const kt_trace *trace)
{
	return kt_collector_count(trace->collector);
}

int kt_trace_word(const kt_trace *trace, size_t i, struct kt_word_info *info, uint64_t *n)
{
	const struct kt_collected_word *word = kt_collector_word(trace->collector, i);

	if (!word) {
		return kt_error(KT_E_USAGE, "read word %zu: there is none", i);
	}
	*info = word->info;
	*n = word->n;
	return KT_OK;
}

uint64_t kt_trace_word_instance(const kt_trace *trace, size_t i)
{
	return kt_collector_word(trace->collector, i)->process;
}

size_t kt_trace_word_number(const kt_trace *trace, size_t i)
{
	return kt_collector_word(trace->collector, i)->number;
}

int kt_trace_letter(const kt_trace *trace, size_t i, uint64_t j,
		    struct kt_trace_letter *out)
{
	const struct kt_collected_word *word = kt_collector_word(trace->collector, i);
	struct kt_letter_call call = {.name = NULL};
	const struct kt_record *record;

	if (!word || !word->letters || j >= word->n) {
		return kt_error(KT_E_USAGE, "read letter: there is none");
	}
	record = &word->letters[j];
	kt_event_reader_call(trace->reader, record->detail, &call);
	*out = (struct kt_trace_letter){
		.name = kt_trace_letter_name(trace, record->letter),
		.letter = record->letter,
		.tid = record->tid,
		.time = record->time,
		.seq = record->seq,
		.call = call.name,
		.correlation = call.correlation,
		.outermost = call.outermost,
		.detail = kt_event_reader_detail(trace->reader, record->detail),
	};
	return KT_OK;
}

int kt_trace_numbers(const kt_trace *trace, size_t i, uint64_t from, size_t n,
		     uint32_t *out)
{
	const struct kt_collected_word *word = kt_collector_word(trace->collector, i);

	if (!word || !word->letters || from > word->n || n > word->n - from) {
		return kt_error(KT_E_USAGE, "read letters: there are none");
	}
	for (size_t j = 0; j < n; j++) {
		out[j] = word->letters[from + j].letter;
	}
	return KT_OK;
}

size_t kt_trace_letter_count(const kt_trace *trace)
{
	return kt_letters_count(kt_event_reader_letters(trace->reader));
}

const char *kt_trace_letter_name(const kt_trace *trace, uint32_t letter)
{
	return kt_letters_name(kt_event_reader_letters(trace->reader), letter);
}
