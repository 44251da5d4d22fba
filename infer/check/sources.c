/* SPDX-License-Identifier: MIT */
#include "infer/check/sources.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/file/events-file.h"

/* --- traces --- */

static int begin_word(void *context, const struct kt_streamed_word *word)
{
	struct kt_checked_trace *t = context;
	int code = kt_array_reserve(&t->pids, &t->pids_capacity, t->n + 1);
	size_t number;

	code = code ? code
		    : kt_checker_begin(t->checker, &number, word->cut_begin,
				       word->provisional);
	if (!code) {
		t->pids[t->n++] = word->pid;
	}
	return code;
}

/* The checker's number of a letter of the trace. */
static int find_letter(struct kt_checked_trace *t, uint32_t letter, uint32_t *out)
{
	int code = kt_array_reserve(&t->letters, &t->letters_capacity, (size_t)letter + 1);

	while (t->n_letters <= letter && !code) {
		const char *name = kt_letters_name(t->names, (uint32_t)t->n_letters);

		code = kt_checker_letter(t->checker, &t->letters[t->n_letters], name,
					 strlen(name));
		t->n_letters += !code;
	}
	*out = code ? 0 : t->letters[letter];
	return code;
}

static int take_letter(void *context, size_t number, const struct kt_record *record)
{
	struct kt_checked_trace *t = context;
	struct kt_place place = {.known = true,
				 .pid = t->pids[number],
				 .tid = record->tid,
				 .time = record->time,
				 .seq = record->seq};
	uint32_t letter;
	int code = find_letter(t, record->letter, &letter);

	return code ? code : kt_checker_take(t->checker, t->first + number, letter, &place);
}

static int end_word(void *context, size_t number)
{
	struct kt_checked_trace *t = context;

	kt_checker_end(t->checker, t->first + number);
	return KT_OK;
}

void kt_checked_trace_begin(struct kt_checked_trace *trace, kt_checker *checker)
{
	*trace = (struct kt_checked_trace){
		.checker = checker,
		.first = kt_checker_count(checker),
		.listener = {begin_word, take_letter, end_word, trace},
	};
}

void kt_checked_trace_opened(void *context, kt_collector *collector,
			     const kt_letters *names)
{
	struct kt_checked_trace *t = context;

	t->collector = collector;
	t->names = names;
}

/* Their order in the trace is that of processes, not that of their first letters. */
static int describe_words(struct kt_checked_trace *t, size_t *numbers, size_t n)
{
	int code = KT_OK;

	for (size_t i = 0; i < n && !code; i++) {
		const struct kt_collected_word *w = kt_collector_word(t->collector, i);

		numbers[i] = t->first + w->number;
		code = kt_checker_describe(t->checker, numbers[i], &w->info);
	}
	code = code ? code : kt_checker_select(t->checker, t->first, numbers, n);
	for (size_t i = 0; i < n && !code; i++) {
		kt_checker_end(t->checker, t->first + i);
		code = kt_checker_confirm(t->checker, t->first + i);
	}
	return code;
}

int kt_checked_trace_finish(struct kt_checked_trace *t)
{
	size_t n = kt_collector_count(t->collector);
	size_t *numbers = malloc((n + 1) * sizeof(*numbers));
	int code = numbers ? describe_words(t, numbers, n) : kt_no_memory("check words");

	free(numbers);
	return code;
}

void kt_checked_trace_clear(struct kt_checked_trace *trace)
{
	free(trace->pids);
	free(trace->letters);
	trace->pids = NULL;
	trace->letters = NULL;
}

/* --- .events files --- */

struct checked_file {
	kt_checker *checker; /* Weak */
	size_t number;
};

static int name_letter(void *context, uint32_t *out, const char *name, size_t length)
{
	return kt_checker_letter(((struct checked_file *)context)->checker, out, name,
				 length);
}

/* It has a name from the beginning. */
static int begin_file(void *context, const struct kt_word_info *info)
{
	struct checked_file *f = context;
	int code = kt_checker_begin(f->checker, &f->number, info->cut_begin, false);

	return code ? code : kt_checker_describe(f->checker, f->number, info);
}

static int take_letters(void *context, const uint32_t *letters, size_t n)
{
	static const struct kt_place nowhere = {.known = false};
	struct checked_file *f = context;
	int code = KT_OK;

	for (size_t i = 0; i < n && !code; i++) {
		code = kt_checker_take(f->checker, f->number, letters[i], &nowhere);
	}
	return code;
}

static int end_file(void *context, const struct kt_word_info *info)
{
	struct checked_file *f = context;

	kt_checker_end(f->checker, f->number);
	return kt_checker_describe(f->checker, f->number, info);
}

int kt_check_events(kt_checker *checker, const char *path)
{
	struct checked_file file = {.checker = checker};
	const struct kt_events_taker taker = {
		.letter = name_letter,
		.begin = begin_file,
		.append = take_letters,
		.describe = end_file,
		.context = &file,
	};

	return kt_events_stream(path, &taker);
}

/* --- all --- */

int kt_check_name(char **out, const kt_checker *checker, size_t number,
		  const struct kt_checked_trace *trace)
{
	const struct kt_checked_word *word = kt_checker_word(checker, number);

	if (!word->name && trace && trace->collector && number >= trace->first) {
		return kt_collector_name_now(out, trace->collector, number - trace->first);
	}
	*out = strdup(word->name ? word->name : "unknown");
	return *out ? KT_OK : kt_no_memory("check words");
}
