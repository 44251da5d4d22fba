/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/read/trace.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/words/read/event-reader.h"
#include "infer/words/read/trace-input.h"

struct kt_trace {
	kt_collector *collector;            /* Owned by this */
	kt_event_reader *reader;            /* Owned by this: holds the letters' names */
	const struct kt_versions *versions; /* Weak: owned by the reader */
	struct kt_trace_report report;
};

static int read_all(kt_trace *trace, const char *path, const struct bt_interrupter *stop)
{
	struct kt_trace_report *report = &trace->report;
	struct kt_trace_input input = {.data = {.take = kt_event_reader_take,
						.pass = kt_event_reader_pass,
						.taker = trace->reader,
						.stop = stop}};
	bool more = true;
	int code;

	KT_TRY(kt_trace_input_open(&input, path, report));
	while (more) {
		code = kt_trace_input_step(&input, &more);
		if (code) {
			kt_error_prepend(code, "read %s", path);
			goto end;
		}
	}
	code = kt_trace_input_judge(&input, path,
				    kt_collector_totals(trace->collector)->events);
end:
	kt_trace_input_close(&input);
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
	/* Words are named after the last component of the resolved path. */
	real = kt_graph_is_live(path) ? strdup(path) : realpath(path, NULL);
	if (!real) {
		code = kt_error_errno(KT_E_IO, "read %s", path);
		goto end;
	}
	name = strrchr(real, '/') + 1;
	KT_TRY_END(kt_collector_new(&t->collector, *name ? name : "root", options->word,
				    options->source));
	KT_TRY_END(kt_word_unit_check(options->word, options->alphabet));
	if (options->filter && options->filter->channel &&
	    !kt_alphabet_has_channels(options->alphabet)) {
		code = kt_error(KT_E_USAGE,
				"--channel needs the alphabet submission or methods: "
				"letters of %s are not of channels",
				options->alphabet->name);
		goto end;
	}
	if (kt_trace_filter_by_calls(options->filter) && options->word == KT_WORD_CHANNEL) {
		code = kt_error(
			KT_E_USAGE,
			"%s needs words that are processes or threads: a call is of a "
			"thread, not of a channel",
			options->filter->call ? "--call" : "--phase");
		goto end;
	}
	if (options->source == KT_SOURCE_BOTH) {
		KT_TRY_END(kt_alphabet_check_both(options->alphabet));
		if (options->word != KT_WORD_PROCESS ||
		    kt_trace_filter_by_calls(options->filter)) {
			code = kt_error(KT_E_USAGE,
					"--source both needs words that are processes: "
					"an interrupt belongs to no thread");
			goto end;
		}
	}
	kt_collector_select(t->collector, options->filter);
	if (options->listener) {
		kt_collector_listen(t->collector, options->listener);
	}
	KT_TRY_END(kt_event_reader_new(&t->reader, options->alphabet, t->collector));
	kt_event_reader_mark(t->reader, options->filter);
	if (options->events) {
		kt_event_reader_keep(t->reader, options->events);
	}
	if (options->listener) {
		options->opened(options->listener->context, t->collector,
				kt_event_reader_letters(t->reader));
	}
	KT_TRY_END(read_all(t, path, options->stop));
	code = kt_collector_finish(t->collector);
	if (code == KT_E_USAGE) {
		kt_error_prepend(code, "read %s", path);
	}
	if (code) {
		goto end;
	}
	code = kt_event_reader_versions(&t->versions, t->reader);
	if (code) {
		kt_error_prepend(code, "read %s", path);
		goto end;
	}
	t->report.totals = *kt_collector_totals(t->collector);
	t->report.given_up = *kt_event_reader_given_up(t->reader);
	t->report.without_roles = kt_event_reader_without_roles(t->reader);
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

const struct kt_versions *kt_trace_versions(const kt_trace *trace)
{
	return trace->versions;
}

const struct kt_kept_events *kt_trace_kept(const kt_trace *trace)
{
	return kt_event_reader_kept(trace->reader);
}

size_t kt_trace_words(const kt_trace *trace)
{
	return kt_collector_count(trace->collector);
}

int kt_trace_word(const kt_trace *trace, size_t i, struct kt_word_info *info, uint64_t *n)
{
	const struct kt_collected_word *word = kt_collector_word(trace->collector, i);

	if (!word) {
		return kt_error(KT_E_USAGE, "read word %zu: no such word", i);
	}
	*info = word->info;
	info->versions = trace->versions;
	*n = word->n;
	return KT_OK;
}

uint64_t kt_trace_word_instance(const kt_trace *trace, size_t i)
{
	return kt_collector_word(trace->collector, i)->process;
}

int kt_trace_letter(const kt_trace *trace, size_t i, uint64_t j,
		    struct kt_trace_letter *out)
{
	const struct kt_collected_word *word = kt_collector_word(trace->collector, i);
	const struct kt_record *record;

	if (!word || !word->letters || j >= word->n) {
		return kt_error(KT_E_USAGE, "read letter: no such letter");
	}
	record = &word->letters[j];
	*out = (struct kt_trace_letter){
		.name = kt_trace_letter_name(trace, record->letter),
		.letter = record->letter,
		.tid = record->tid,
		.time = record->time,
		.seq = record->seq,
	};
	return KT_OK;
}

int kt_trace_numbers(const kt_trace *trace, size_t i, uint64_t from, size_t n,
		     uint32_t *out)
{
	const struct kt_collected_word *word = kt_collector_word(trace->collector, i);

	if (!word || !word->letters || from > word->n || n > word->n - from) {
		return kt_error(KT_E_USAGE, "read letters: no such letters");
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
