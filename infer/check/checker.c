/* SPDX-License-Identifier: MIT */
#include "infer/check/checker.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/call-letter.h"
#include "base/try.h"

struct kt_checker {
	const struct kt_fsm *fsm; /* Weak */
	struct kt_checker_options options;
	const char *trace;   /* Weak: of the words that begin now */
	kt_check *check;     /* Owned by this */
	kt_letters *letters; /* Owned by this: all letters known so far */
	/*
	 * Owned by this: for each state, whether a complete word of the machine ends there
	 */
	bool *ends;
	/*
	 * Owned by this: for each letter of the machine, how often every word of the
	 * machine has it; NULL if the machine's words differ, are truncated or do not exist
	 */
	uint64_t *usual;
	/*
	 * Owned by this: for each transition, whether a word took it; NULL: not requested
	 */
	bool *taken;
	uint32_t *numbers; /* Owned by this: for each letter, its number in the machine */
	bool *is_call;     /* Owned by this: for each letter, whether it is a CUDA call */
	size_t is_call_capacity;
	size_t n_numbers;
	size_t numbers_capacity;
	struct kt_checked_word *words; /* Owned by this, with all that the words own */
	size_t n;
	size_t capacity;
};

/* --- create and free --- */

static int count_usual(struct kt_checker *c)
{
	const struct kt_fsm *fsm = c->fsm;

	for (size_t i = 0; i < fsm->n_words; i++) {
		if (!fsm->words[i].complete ||
		    strcmp(fsm->words[i].hash, fsm->words[0].hash) != 0) {
			return KT_OK;
		}
	}
	if (fsm->n_words == 0) {
		return KT_OK;
	}
	c->usual = calloc(fsm->n_letters + 1, sizeof(*c->usual));
	if (!c->usual) {
		return kt_no_memory("check words");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		c->usual[fsm->transitions[i].letter] += fsm->transitions[i].count;
	}
	for (size_t i = 0; i < fsm->n_letters; i++) {
		c->usual[i] /= fsm->n_words;
	}
	return KT_OK;
}

static int count_letter(struct kt_checked_word *word, uint32_t letter)
{
	KT_TRY(kt_array_reserve(&word->counts, &word->counts_capacity, (size_t)letter + 1));
	while (word->n_counts <= letter) {
		word->counts[word->n_counts++] = 0;
	}
	word->counts[letter]++;
	return KT_OK;
}

int kt_checker_new(kt_checker **out, const struct kt_fsm *fsm,
		   const struct kt_checker_options *options)
{
	kt_checker *c = calloc(1, sizeof(*c));
	int code;

	*out = NULL;
	if (!c) {
		return kt_no_memory("check words");
	}
	c->fsm = fsm;
	c->options = *options;
	c->ends = calloc(fsm->n_states + 1, sizeof(*c->ends));
	if (!c->ends) {
		code = kt_no_memory("check words");
		goto end;
	}
	for (size_t i = 0; i < fsm->n_words; i++) {
		if (fsm->words[i].complete) {
			c->ends[fsm->words[i].exit] = true;
		}
	}
	if (options->coverage) {
		c->taken = calloc(fsm->n_transitions + 1, sizeof(*c->taken));
		if (!c->taken) {
			code = kt_no_memory("check words");
			goto end;
		}
	}
	KT_TRY_END(count_usual(c));
	KT_TRY_END(kt_check_new(&c->check, fsm));
	KT_TRY_END(kt_letters_new(&c->letters));
	/* Make kt_checker_letters() include letters of the machine that no word has. */
	for (size_t i = 0; i < fsm->n_letters && c->usual; i++) {
		uint32_t letter;

		KT_TRY_END(kt_checker_letter(c, &letter, fsm->letters[i],
					     strlen(fsm->letters[i])));
	}
end:
	if (code) {
		kt_checker_free(c);
		return code;
	}
	*out = c;
	return KT_OK;
}

static void clear_word(struct kt_checked_word *word)
{
	for (size_t i = 0; i < word->n_listed; i++) {
		free(word->misfits[i].expected);
	}
	kt_check_end(word->reading);
	free(word->misfits);
	free(word->counts);
	free(word->name);
	memset(word, 0, sizeof(*word));
}

void kt_checker_free(kt_checker *checker)
{
	if (!checker) {
		return;
	}
	for (size_t i = 0; i < checker->n; i++) {
		clear_word(&checker->words[i]);
	}
	free(checker->words);
	free(checker->ends);
	free(checker->usual);
	free(checker->taken);
	free(checker->is_call);
	free(checker->numbers);
	kt_letters_free(checker->letters);
	kt_check_free(checker->check);
	free(checker);
}

/* --- letters --- */

int kt_checker_letter(kt_checker *c, uint32_t *out, const char *name, size_t length)
{
	KT_TRY(kt_letters_intern(c->letters, name, length, out));
	KT_TRY(kt_array_reserve(&c->numbers, &c->numbers_capacity, (size_t)*out + 1));
	KT_TRY(kt_array_reserve(&c->is_call, &c->is_call_capacity, (size_t)*out + 1));
	while (c->n_numbers <= *out) {
		const char *next = kt_letters_name(c->letters, (uint32_t)c->n_numbers);

		c->is_call[c->n_numbers] = kt_is_call_letter(next);
		c->numbers[c->n_numbers++] = kt_check_letter(c->check, next, strlen(next));
	}
	return KT_OK;
}

const char *kt_checker_letter_name(const kt_checker *checker, uint32_t letter)
{
	return kt_letters_name(checker->letters, letter);
}

const char *kt_checker_expected_name(const kt_checker *checker, uint32_t letter)
{
	return checker->fsm->letters[letter];
}

/* --- words --- */

void kt_checker_set_trace(kt_checker *checker, const char *path)
{
	checker->trace = path;
}

int kt_checker_begin(kt_checker *c, size_t *number, bool cut_begin, bool provisional)
{
	struct kt_checked_word word = {.trace = c->trace,
				       .cut_begin = cut_begin,
				       .provisional = provisional,
				       .call = KT_CHECK_UNKNOWN};

	KT_TRY(kt_array_reserve(&c->words, &c->capacity, c->n + 1));
	KT_TRY(kt_check_begin(&word.reading, c->check, cut_begin));
	*number = c->n;
	c->words[c->n++] = word;
	return KT_OK;
}

static int on_misfit(const kt_checker *c, size_t number, const struct kt_misfit *misfit)
{
	return c->options.on_misfit && !c->words[number].provisional
		       ? c->options.on_misfit(c->options.context, c, number, misfit)
		       : KT_OK;
}

/*
 * Counts a letter that does not fit. Records and reports the letter, unless the limit of
 * its word is reached.
 */
static int add_misfit(kt_checker *c, size_t number, uint32_t letter,
		      const struct kt_event_position *position)
{
	struct kt_checked_word *word = &c->words[number];
	struct kt_misfit misfit = {.index = word->letters,
				   .letter = letter,
				   .call = c->is_call[letter] ? KT_CHECK_UNKNOWN
							      : word->call,
				   .position = *position};
	uint64_t n = word->letters < KT_MISFIT_BEFORE ? word->letters : KT_MISFIT_BEFORE;
	const uint32_t *states;
	const uint32_t *letters;

	word->n_misfits++;
	if (word->n_listed >= c->options.limit) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&word->misfits, &word->capacity, word->n_listed + 1));
	KT_TRY(kt_check_states(&states, &misfit.n_states, word->reading));
	for (size_t i = 0; i < misfit.n_states && i < KT_MISFIT_STATES; i++) {
		misfit.states[i] = states[i];
	}
	KT_TRY(kt_check_expected(&letters, &misfit.n_expected, word->reading));
	misfit.expected = malloc((misfit.n_expected + 1) * sizeof(*misfit.expected));
	if (!misfit.expected) {
		return kt_no_memory("check words");
	}
	memcpy(misfit.expected, letters, misfit.n_expected * sizeof(*letters));
	for (uint64_t i = word->letters - n; i < word->letters; i++) {
		misfit.before[misfit.n_before++] = word->recent[i % KT_MISFIT_BEFORE];
	}
	word->misfits[word->n_listed++] = misfit;
	return on_misfit(c, number, &misfit);
}

int kt_checker_take(kt_checker *c, size_t number, uint32_t letter,
		    const struct kt_event_position *position)
{
	struct kt_checked_word *word = &c->words[number];
	bool fits = true;
	bool known = false;
	uint32_t from;
	int code = c->usual ? count_letter(word, letter) : KT_OK;

	KT_TRY(code);
	if (word->reading) {
		known = c->taken && kt_check_state(&from, word->reading);
		code = kt_check_feed(&fits, word->reading, c->numbers[letter]);
	}
	if (known && !code && fits) {
		c->taken[kt_check_transition(c->check, from, c->numbers[letter])] = true;
	}
	if (!code && !fits) {
		code = add_misfit(c, number, letter, position);
		if (!c->options.all) {
			kt_checker_end(c, number);
		} else if (!code) {
			code = kt_check_skip(word->reading, c->numbers[letter]);
		}
	}
	word->recent[word->letters++ % KT_MISFIT_BEFORE] = letter;
	word->call = c->is_call[letter] ? letter : word->call;
	return code;
}

void kt_checker_end(kt_checker *checker, size_t number)
{
	struct kt_checked_word *word = &checker->words[number];

	if (word->reading) {
		word->has_state = kt_check_state(&word->state, word->reading);
	}
	kt_check_end(word->reading);
	word->reading = NULL;
}

int kt_checker_describe(kt_checker *c, size_t number, const struct kt_word_info *info)
{
	struct kt_checked_word *word = &c->words[number];
	char *name = strdup(info->name);

	if (!name) {
		return kt_no_memory("check words");
	}
	free(word->name);
	word->name = name;
	word->lost = info->lost;
	word->cut_begin = info->cut_begin;
	word->cut_end = info->cut_end;
	return KT_OK;
}

int kt_checker_confirm(kt_checker *c, size_t number)
{
	struct kt_checked_word *word = &c->words[number];
	bool held_back = word->provisional;
	int code = KT_OK;

	word->provisional = false;
	for (size_t i = 0; i < word->n_listed && held_back && !code; i++) {
		code = on_misfit(c, number, &word->misfits[i]);
	}
	return code;
}

int kt_checker_select(kt_checker *c, size_t from, const size_t *numbers, size_t n)
{
	struct kt_checked_word *kept = malloc((n + 1) * sizeof(*kept));

	if (!kept) {
		return kt_no_memory("check words");
	}
	for (size_t i = 0; i < n; i++) {
		kept[i] = c->words[numbers[i]];
		memset(&c->words[numbers[i]], 0, sizeof(*c->words));
	}
	for (size_t i = from; i < c->n; i++) {
		clear_word(&c->words[i]);
	}
	for (size_t i = 0; i < n; i++) {
		c->words[from + i] = kept[i];
	}
	c->n = from + n;
	free(kept);
	return KT_OK;
}

/* --- results --- */

size_t kt_checker_count(const kt_checker *checker)
{
	return checker->n;
}

const struct kt_checked_word *kt_checker_word(const kt_checker *checker, size_t number)
{
	return &checker->words[number];
}

uint32_t kt_checker_letters(const kt_checker *checker)
{
	return (uint32_t)checker->n_numbers;
}

bool kt_checker_usual(uint64_t *times, const kt_checker *checker, uint32_t letter)
{
	const uint32_t number = checker->numbers[letter];

	*times = checker->usual && number != KT_CHECK_UNKNOWN ? checker->usual[number] : 0;
	return checker->usual != NULL;
}

bool kt_checker_is_early(const kt_checker *checker, const struct kt_checked_word *word)
{
	return checker->options.whole && word->n_misfits == 0 &&
	       (word->cut_end || (word->has_state && !checker->ends[word->state]));
}

uint64_t kt_checker_misfits(const kt_checker *checker, size_t *words)
{
	uint64_t sum = 0;

	*words = 0;
	for (size_t i = 0; i < checker->n; i++) {
		const struct kt_checked_word *word = &checker->words[i];
		const bool early = kt_checker_is_early(checker, word);

		sum += word->n_misfits + early;
		*words += word->n_misfits > 0 || early;
	}
	return sum;
}

const struct kt_fsm *kt_checker_fsm(const kt_checker *checker)
{
	return checker->fsm;
}

const struct kt_checker_options *kt_checker_options(const kt_checker *checker)
{
	return &checker->options;
}

bool kt_checker_taken(const kt_checker *checker, size_t transition)
{
	return checker->taken[transition];
}
