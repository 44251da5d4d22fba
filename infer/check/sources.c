/* SPDX-License-Identifier: MIT */
#include "infer/check/sources.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/file/events-file.h"

#define BATCH 4096

/* --- traces --- */

static int begin_word(void *context, const struct kt_streamed_word *word)
{
	struct kt_checked_trace *t = context;
	size_t number;

	KT_TRY(kt_array_reserve(&t->pids, &t->pids_capacity, t->n + 1));
	KT_TRY(kt_checker_begin(t->checker, &number, word->cut_begin, word->provisional));
	t->pids[t->n++] = word->pid;
	return KT_OK;
}

static int take_letter(void *context, size_t number, const struct kt_record *record)
{
	struct kt_checked_trace *t = context;
	struct kt_event_position position = {.known = true,
					     .pid = t->pids[number],
					     .tid = record->tid,
					     .time = record->time,
					     .seq = record->seq};

	KT_TRY(kt_array_reserve(&t->letters, &t->letters_capacity,
				(size_t)record->letter + 1));
	while (t->n_letters <= record->letter) {
		const char *name = kt_letters_name(t->names, (uint32_t)t->n_letters);

		KT_TRY(kt_checker_letter(t->checker, &t->letters[t->n_letters], name,
					 strlen(name)));
		t->n_letters++;
	}
	return kt_checker_take(t->checker, t->first + number, t->letters[record->letter],
			       &position);
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

int kt_checked_trace_finish(struct kt_checked_trace *t)
{
	size_t n = kt_collector_count(t->collector);
	size_t *numbers = malloc((n + 1) * sizeof(*numbers));
	int code;

	if (!numbers) {
		return kt_no_memory("check words");
	}
	/*
	 * The collector orders words by process, the checker by time of first letter: put
	 * the checker's words into the order of the collector.
	 */
	for (size_t i = 0; i < n; i++) {
		const struct kt_collected_word *w = kt_collector_word(t->collector, i);

		numbers[i] = t->first + w->number;
		KT_TRY_END(kt_checker_describe(t->checker, numbers[i], &w->info));
	}
	KT_TRY_END(kt_checker_select(t->checker, t->first, numbers, n));
	for (size_t i = 0; i < n; i++) {
		kt_checker_end(t->checker, t->first + i);
		KT_TRY_END(kt_checker_confirm(t->checker, t->first + i));
	}
end:
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

int kt_check_source(const kt_alphabet *alphabet, enum kt_source source, const char *machine)
{
	if (alphabet->both == (source == KT_SOURCE_BOTH)) {
		return KT_OK;
	}
	return kt_error(KT_E_USAGE, "check with %s: it was made %s", machine,
			alphabet->both
				? "with --source both, so check with --source both, too"
				: "without --source both, so check without it, too");
}

int kt_check_live_alphabet(const kt_alphabet *alphabet, const char *machine)
{
	const char *why;

	if (alphabet->both) {
		return kt_error(KT_E_USAGE,
				"check with %s: events cannot be checked as they come with "
				"--source both: which processes both sources record is "
				"known only at the end; check the recorded trace",
				machine);
	}
	return kt_alphabet_needs_later_events(alphabet, &why)
		       ? kt_error(KT_E_USAGE,
				  "check with %s: events cannot be checked as they come "
				  "with "
				  "the alphabet %s: %s; check the recorded trace",
				  machine, alphabet->name, why)
		       : KT_OK;
}

int kt_check_trace(kt_checker *checker, struct kt_checked_trace *checked, const char *path,
		   struct kt_trace_options *options, struct kt_trace_report *report)
{
	kt_trace *trace;
	int code;

	kt_checked_trace_begin(checked, checker);
	options->listener = &checked->listener;
	options->opened = kt_checked_trace_opened;
	code = kt_trace_open(&trace, path, options);
	if (!code) {
		*report = *kt_trace_report(trace);
		code = kt_checked_trace_finish(checked);
		kt_versions_api_calls(checked->api_calls, kt_trace_versions(trace));
		kt_trace_free(trace);
	}
	kt_checked_trace_clear(checked);
	checked->collector = NULL;
	return code;
}

/* --- words of files --- */

static const struct kt_event_position nowhere = {.known = false};

struct checked_file {
	kt_checker *checker; /* Weak */
	size_t number;       /* of the current word in the checker */
	struct kt_filtering filtering;
	uint32_t before; /* the last kept letter of the word; KT_NO_LETTER: none */
	bool filtered;   /* the filter left out a letter of the word */
	uint64_t *lost;  /* Weak: lost events of dropped words, until the next kept word */
};

static int name_letter(void *context, uint32_t *out, const char *name, size_t length)
{
	return kt_checker_letter(((struct checked_file *)context)->checker, out, name,
				 length);
}

/*
 * Begins a word of a file. The name of this word is known from its beginning, unlike the
 * name of a word of a trace.
 */
static int begin_file_word(void *context, const struct kt_word_info *info)
{
	struct checked_file *f = context;

	f->before = KT_NO_LETTER;
	f->filtered = false;
	KT_TRY(kt_checker_begin(f->checker, &f->number, info->cut_begin, false));
	return kt_checker_describe(f->checker, f->number, info);
}

static int take_letters(void *context, const uint32_t *letters, size_t n)
{
	struct checked_file *f = context;

	for (size_t i = 0; i < n; i++) {
		bool keep;

		KT_TRY(kt_filtering_take(&f->filtering, letters[i],
					 kt_checker_letter_name(f->checker, letters[i]),
					 &f->before, &keep));
		if (keep) {
			KT_TRY(kt_checker_take(f->checker, f->number, letters[i],
					       &nowhere));
		} else {
			f->filtered = true;
		}
	}
	return KT_OK;
}

/*
 * Ends a word of a file. If the filter left out all letters of the word, drops the word, as
 * kt_copy_words() does.
 */
static int end_file_word(void *context, const struct kt_word_info *info)
{
	struct checked_file *f = context;
	struct kt_word_info whole = *info;

	kt_checker_end(f->checker, f->number);
	whole.lost += *f->lost;
	if (f->filtered && f->before == KT_NO_LETTER) {
		*f->lost = whole.lost;
		return kt_checker_select(f->checker, f->number, NULL, 0);
	}
	*f->lost = 0;
	return kt_checker_describe(f->checker, f->number, &whole);
}

int kt_check_events(kt_checker *checker, const char *path,
		    const struct kt_letter_filter *filter, uint64_t *lost)
{
	struct checked_file file = {
		.checker = checker, .filtering = {.filter = filter}, .lost = lost};
	const struct kt_events_taker taker = {
		.letter = name_letter,
		.begin = begin_file_word,
		.append = take_letters,
		.describe = end_file_word,
		.context = &file,
	};
	int code;

	code = kt_events_stream(path, &taker);
	kt_filtering_clear(&file.filtering);
	return code;
}

int kt_check_set(kt_checker *checker, const kt_words *words,
		 const struct kt_letter_filter *filter, uint64_t *lost)
{
	struct checked_file file = {
		.checker = checker, .filtering = {.filter = filter}, .lost = lost};
	size_t n_letters = kt_words_letter_count(words);
	/* by letter of the set: the checker's number of that letter */
	uint32_t *numbers = malloc((n_letters + 1) * sizeof(*numbers));
	uint32_t batch[BATCH];
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("check words");
	}
	for (size_t i = 0; i < n_letters; i++) {
		const char *name = kt_words_letter_name(words, (uint32_t)i);

		KT_TRY_END(kt_checker_letter(checker, &numbers[i], name, strlen(name)));
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		KT_TRY_END(kt_words_get(words, i, &info, &n));
		KT_TRY_END(begin_file_word(&file, &info));
		for (uint64_t from = 0; from < n; from += BATCH) {
			size_t m = n - from < BATCH ? (size_t)(n - from) : BATCH;

			KT_TRY_END(kt_words_read(words, i, from, m, batch));
			for (size_t j = 0; j < m; j++) {
				batch[j] = numbers[batch[j]];
			}
			KT_TRY_END(take_letters(&file, batch, m));
		}
		KT_TRY_END(end_file_word(&file, &info));
	}
end:
	kt_filtering_clear(&file.filtering);
	free(numbers);
	return code;
}

/* --- all sources --- */

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

int kt_check_agree(kt_alphabet **alphabet, enum kt_word_unit *unit,
		   const struct kt_fsm *fsm, const char *name, const char *asked_alphabet,
		   const char *asked_word, enum kt_source source)
{
	kt_alphabet *asked = NULL;
	enum kt_word_unit asked_unit;
	bool both; /* the alphabet is one of words of both sources */
	bool says; /* the machine records its alphabet, and therefore also the unit of its
		    * words */
	int code;

	*alphabet = NULL;
	if (kt_word_unit_of(fsm->word, unit)) {
		return kt_error_prepend(KT_E_MALFORMED, "check with %s", name);
	}
	if (fsm->alphabet_json) {
		KT_TRY_END(kt_alphabet_from_json(alphabet, fsm->alphabet_json, name));
	}
	says = *alphabet;
	both = says ? (*alphabet)->both : source == KT_SOURCE_BOTH;
	if (asked_alphabet) {
		KT_TRY_END(both ? kt_alphabet_open_both(&asked, asked_alphabet)
				: kt_alphabet_open(&asked, asked_alphabet));
		if (!*alphabet) {
			*alphabet = asked;
			asked = NULL;
		} else if (!kt_alphabet_same(asked, *alphabet)) {
			code = kt_error(
				KT_E_USAGE,
				"check with %s: its letters are of the alphabet %s, "
				"not of %s",
				name, (*alphabet)->name, asked_alphabet);
			goto end;
		}
	}
	if (asked_word) {
		KT_TRY_END(kt_word_unit_of(asked_word, &asked_unit));
		/*
		 * A machine made from .events files records no alphabet and always the unit
		 * process, so asked_word does not contradict it.
		 */
		if (says && asked_unit != *unit) {
			code = kt_error(
				KT_E_USAGE,
				"check with %s: each of its words is a %s, not a %s", name,
				fsm->word, asked_word);
			goto end;
		}
		*unit = asked_unit;
	}
	code = *alphabet ? kt_word_unit_check(*unit, *alphabet) : KT_OK;
end:
	kt_alphabet_free(asked);
	if (code) {
		kt_alphabet_free(*alphabet);
		*alphabet = NULL;
	}
	return code;
}
