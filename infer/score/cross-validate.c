/* SPDX-License-Identifier: MIT */
#include <ktail/cross-validate.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/check.h>
#include <ktail/sweep.h>

#include "infer/engine/order.h"

#define BATCH 4096

/* From this many letters on, all folds together, a second thread is worth it. */
#define THREAD_LETTERS 100000

struct kt_cross {
	struct kt_cross_row *rows; /* Owned by this */
	size_t n_rows;
	uint64_t folds;
};

/* Some of the folds: first, first + step, ... */
struct work {
	const kt_words *words;                  /* Weak */
	const struct kt_word_order *order;      /* Weak */
	const struct kt_cross_options *options; /* Weak */
	uint64_t folds;
	uint64_t first;
	uint64_t step;
	struct kt_cross_row *rows; /* Owned by this */
	int code;
	char message[256]; /* of a thread, which would take its own with it */
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "cross-validate: out of memory");
}

/* --- the words of a fold --- */

/* An empty set whose letters have the numbers of another one. */
static int copy_letters(kt_words **out, const kt_words *words)
{
	int code = kt_words_new(out);

	for (uint32_t i = 0; !code && i < kt_words_letter_count(words); i++) {
		const char *name = kt_words_letter_name(words, i);
		uint32_t same;

		code = kt_words_letter(&same, *out, name, strlen(name));
	}
	return code;
}

static int copy_word(kt_words *to, const kt_words *from, size_t i)
{
	uint32_t letters[BATCH];
	struct kt_word_info info;
	uint64_t n;
	int code = kt_words_get(from, i, &info, &n);

	code = code ? code : kt_words_begin(to, &info);
	for (uint64_t j = 0; !code && j < n; j += BATCH) {
		size_t some = n - j < BATCH ? (size_t)(n - j) : BATCH;

		code = kt_words_read(from, i, j, some, letters);
		code = code ? code : kt_words_append(to, letters, some);
	}
	return code;
}

/* The words of a fold and all others. */
static int divide(kt_words **held_out, kt_words **others, const struct work *work,
		  uint64_t fold)
{
	size_t n = kt_words_count(work->words);
	int code = copy_letters(held_out, work->words);

	code = code ? code : copy_letters(others, work->words);
	for (size_t i = 0; !code && i < n; i++) {
		code = copy_word(i % work->folds == fold ? *held_out : *others, work->words,
				 work->order->words[i]);
	}
	return code;
}

/* --- one fold --- */

static int read_words(struct kt_cross_row *row, uint64_t *fitting, kt_sweep *sweep,
		      const kt_words *held_out)
{
	struct kt_fsm *fsm = NULL;
	kt_check *check = NULL;
	int code = kt_sweep_machine(&fsm, sweep);

	code = code ? code : kt_check_new(&check, fsm);
	code = code ? code : kt_check_words(fitting, check, held_out);
	for (size_t i = 0; !code && i < kt_words_count(held_out); i++) {
		struct kt_word_info info;
		uint64_t n;

		code = kt_words_get(held_out, i, &info, &n);
		row->words++;
		row->letters += n;
		row->fitting += fitting[i];
		row->accepted += fitting[i] == n;
	}
	kt_check_free(check);
	kt_fsm_free(fsm);
	return code;
}

/* All k, from the largest down. */
static int sweep_fold(struct work *work, const kt_words *held_out, const kt_words *others)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	uint64_t *fitting = calloc(kt_words_count(held_out) + 1, sizeof(*fitting));
	kt_sweep *sweep = NULL;
	struct kt_sweep_row size;
	bool more = true;
	int code = fitting ? KT_OK : out_of_memory();

	options.lo = work->options->lo;
	options.hi = work->options->hi;
	options.machine = work->options->machine;
	code = code ? code : kt_sweep_new(&sweep, others, &options);
	while (!code && more) {
		code = kt_sweep_next(&more, &size, sweep);
		if (!code && more) {
			code = read_words(&work->rows[size.k - options.lo], fitting, sweep,
					  held_out);
		}
	}
	kt_sweep_free(sweep);
	free(fitting);
	return code;
}

static int validate_fold(struct work *work, uint64_t fold)
{
	kt_words *held_out = NULL;
	kt_words *others = NULL;
	int code = divide(&held_out, &others, work, fold);

	code = code ? code : sweep_fold(work, held_out, others);
	kt_words_free(held_out);
	kt_words_free(others);
	return code;
}

static void *validate_folds(void *argument)
{
	struct work *work = argument;

	for (uint64_t i = work->first; !work->code && i < work->folds; i += work->step) {
		work->code = validate_fold(work, i);
	}
	if (work->code) {
		snprintf(work->message, sizeof(work->message), "%s", kt_error_message());
	}
	return NULL;
}

/* --- all folds --- */

static int run(struct work *work, int n)
{
	pthread_t thread;
	bool threaded =
		n == 2 && pthread_create(&thread, NULL, validate_folds, &work[1]) == 0;

	for (int i = 0; i < n; i++) {
		if (i == 0 || !threaded) {
			validate_folds(&work[i]);
		}
	}
	if (threaded) {
		pthread_join(thread, NULL);
	}
	for (int i = 0; i < n; i++) {
		if (work[i].code) {
			return kt_error(work[i].code, "%s", work[i].message);
		}
	}
	return KT_OK;
}

static void add_rows(struct kt_cross *cross, const struct kt_cross_row *rows)
{
	for (size_t i = 0; i < cross->n_rows; i++) {
		cross->rows[i].words += rows[i].words;
		cross->rows[i].accepted += rows[i].accepted;
		cross->rows[i].letters += rows[i].letters;
		cross->rows[i].fitting += rows[i].fitting;
	}
}

static int validate(struct kt_cross *cross, const kt_words *words,
		    const struct kt_word_order *order,
		    const struct kt_cross_options *options)
{
	int n = kt_words_total(words) >= THREAD_LETTERS / cross->folds ? 2 : 1;
	struct work work[2];
	int code = KT_OK;

	for (int i = 0; i < n; i++) {
		work[i] = (struct work){
			.words = words,
			.order = order,
			.options = options,
			.folds = cross->folds,
			.first = (uint64_t)i,
			.step = (uint64_t)n,
			.rows = calloc(cross->n_rows, sizeof(*work[i].rows)),
		};
		code = work[i].rows ? code : out_of_memory();
	}
	code = code ? code : run(work, n);
	for (int i = 0; i < n; i++) {
		if (!code) {
			add_rows(cross, work[i].rows);
		}
		free(work[i].rows);
	}
	return code;
}

static int make_rows(struct kt_cross *cross, const struct kt_cross_options *options)
{
	cross->n_rows = (size_t)(options->hi - options->lo) + 1;
	cross->rows = calloc(cross->n_rows, sizeof(*cross->rows));
	if (!cross->rows) {
		return out_of_memory();
	}
	for (size_t i = 0; i < cross->n_rows; i++) {
		cross->rows[i].k = options->lo + i;
	}
	return KT_OK;
}

static int check_request(const kt_words *words, const struct kt_cross_options *options)
{
	if (!words || !options) {
		return kt_error(KT_E_USAGE, "cross-validate: no words or no options given");
	}
	if (options->lo > options->hi || options->hi > INT64_MAX ||
	    options->hi - options->lo >= SIZE_MAX / 2) {
		return kt_error(KT_E_USAGE, "cross-validate: there is no such range of k");
	}
	if (options->folds < 2) {
		return kt_error(KT_E_USAGE, "cross-validate: fewer than two folds");
	}
	if (kt_words_count(words) < 2) {
		return kt_error(KT_E_USAGE,
				"cross-validate: it takes two words at least, one to learn "
				"from and one to read");
	}
	return KT_OK;
}

int kt_cross_new(kt_cross **out, const kt_words *words,
		 const struct kt_cross_options *options)
{
	struct kt_word_order order = {0};
	kt_cross *cross;
	int code = check_request(words, options);

	*out = NULL;
	if (code) {
		return code;
	}
	cross = calloc(1, sizeof(*cross));
	if (!cross || kt_word_order_make(&order, words)) {
		free(cross);
		return out_of_memory();
	}
	cross->folds = options->folds < kt_words_count(words) ? options->folds
							      : kt_words_count(words);
	code = make_rows(cross, options);
	code = code ? code : validate(cross, words, &order, options);
	kt_word_order_clear(&order);
	if (code) {
		kt_cross_free(cross);
		return code;
	}
	*out = cross;
	return KT_OK;
}

void kt_cross_free(kt_cross *cross)
{
	if (!cross) {
		return;
	}
	free(cross->rows);
	free(cross);
}

const struct kt_cross_row *kt_cross_rows(const kt_cross *cross, size_t *n)
{
	*n = cross->n_rows;
	return cross->rows;
}

uint64_t kt_cross_folds(const kt_cross *cross)
{
	return cross->folds;
}
