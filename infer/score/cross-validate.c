/* SPDX-License-Identifier: MIT */
#include <ktail/cross-validate.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/check.h>
#include <ktail/sweep.h>

#include "base/try.h"
#include "infer/engine/order.h"

#define BATCH 4096

/* If letters * folds is at least this number, a second thread saves time. */
#define THREAD_LETTERS 100000

struct kt_cross {
	struct kt_cross_row *rows; /* Owned by this */
	size_t n_rows;
	uint64_t folds;
};

/* One thread's part of the work: the folds with the numbers first, first + step, ... */
struct work {
	const kt_words *words;                  /* Weak */
	const struct kt_word_order *order;      /* Weak */
	const struct kt_cross_options *options; /* Weak */
	uint64_t folds;
	uint64_t first;
	uint64_t step;
	struct kt_cross_row *rows; /* Owned by this */
	int code;
	char message[256]; /* copy of the error message, which other threads cannot read */
};

/* --- words of a fold --- */

/* Creates an empty set whose letters have the same numbers as in `words`. */
static int copy_letters(kt_words **out, const kt_words *words)
{
	KT_TRY(kt_words_new(out));
	for (uint32_t i = 0; i < kt_words_letter_count(words); i++) {
		const char *name = kt_words_letter_name(words, i);
		uint32_t same;

		KT_TRY(kt_words_letter(&same, *out, name, strlen(name)));
	}
	return KT_OK;
}

/* --- one fold --- */

static int read_words(struct kt_cross_row *row, uint64_t *fitting, kt_sweep *sweep,
		      const kt_words *held_out)
{
	struct kt_fsm *fsm = NULL;
	kt_check *check = NULL;
	int code;

	KT_TRY_END(kt_sweep_machine(&fsm, sweep));
	KT_TRY_END(kt_check_new(&check, fsm));
	KT_TRY_END(kt_check_words(fitting, check, held_out));
	for (size_t i = 0; i < kt_words_count(held_out); i++) {
		struct kt_word_info info;
		uint64_t n;

		KT_TRY_END(kt_words_get(held_out, i, &info, &n));
		row->words++;
		row->letters += n;
		row->fitting += fitting[i];
		row->accepted += fitting[i] == n;
	}
end:
	kt_check_free(check);
	kt_fsm_free(fsm);
	return code;
}

/*
 * Infers a machine from the words outside the fold for each k, from the largest down, and
 * reads the words of the fold with each machine.
 */
static int validate_fold(struct work *work, uint64_t fold)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	kt_words *held_out = NULL;
	kt_words *others = NULL;
	uint32_t letters[BATCH];
	uint64_t *fitting = NULL;
	kt_sweep *sweep = NULL;
	struct kt_sweep_row size;
	bool more;
	int code;

	KT_TRY_END(copy_letters(&held_out, work->words));
	KT_TRY_END(copy_letters(&others, work->words));
	for (size_t i = 0; i < kt_words_count(work->words); i++) {
		kt_words *to = i % work->folds == fold ? held_out : others;
		size_t word = work->order->words[i];
		struct kt_word_info info;
		uint64_t n;

		KT_TRY_END(kt_words_get(work->words, word, &info, &n));
		KT_TRY_END(kt_words_begin(to, &info));
		for (uint64_t j = 0; j < n; j += BATCH) {
			size_t some = n - j < BATCH ? (size_t)(n - j) : BATCH;

			KT_TRY_END(kt_words_read(work->words, word, j, some, letters));
			KT_TRY_END(kt_words_append(to, letters, some));
		}
	}
	fitting = calloc(kt_words_count(held_out) + 1, sizeof(*fitting));
	if (!fitting) {
		code = kt_no_memory("cross-validate");
		goto end;
	}
	options.lo = work->options->lo;
	options.hi = work->options->hi;
	options.machine = work->options->machine;
	KT_TRY_END(kt_sweep_new(&sweep, others, &options));
	KT_TRY_END(kt_sweep_next(&more, &size, sweep));
	while (more) {
		KT_TRY_END(read_words(&work->rows[size.k - options.lo], fitting, sweep,
				      held_out));
		KT_TRY_END(kt_sweep_next(&more, &size, sweep));
	}
end:
	kt_sweep_free(sweep);
	free(fitting);
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

static int validate(struct kt_cross *cross, const kt_words *words,
		    const struct kt_word_order *order,
		    const struct kt_cross_options *options)
{
	int n = kt_words_total(words) >= THREAD_LETTERS / cross->folds ? 2 : 1;
	struct work work[2] = {{0}};
	pthread_t thread;
	bool threaded;
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
		if (!work[i].rows) {
			code = kt_no_memory("cross-validate");
			goto end;
		}
	}
	threaded = n == 2 && pthread_create(&thread, NULL, validate_folds, &work[1]) == 0;
	validate_folds(&work[0]);
	if (threaded) {
		pthread_join(thread, NULL);
	} else if (n == 2) {
		validate_folds(&work[1]);
	}
	for (int i = 0; i < n; i++) {
		if (work[i].code) {
			code = kt_error(work[i].code, "%s", work[i].message);
			goto end;
		}
	}
	for (int i = 0; i < n; i++) {
		for (size_t j = 0; j < cross->n_rows; j++) {
			cross->rows[j].words += work[i].rows[j].words;
			cross->rows[j].accepted += work[i].rows[j].accepted;
			cross->rows[j].letters += work[i].rows[j].letters;
			cross->rows[j].fitting += work[i].rows[j].fitting;
		}
	}
end:
	free(work[0].rows);
	free(work[1].rows);
	return code;
}

int kt_cross_new(kt_cross **out, const kt_words *words,
		 const struct kt_cross_options *options)
{
	struct kt_word_order order = {0};
	kt_cross *cross;
	int code;

	*out = NULL;
	if (!words || !options) {
		return kt_error(KT_E_USAGE, "cross-validate: no words or no options given");
	}
	if (options->lo > options->hi || options->hi > INT64_MAX ||
	    options->hi - options->lo >= SIZE_MAX / 2) {
		return kt_error(KT_E_USAGE, "cross-validate: not a range of k");
	}
	if (options->folds < 2) {
		return kt_error(KT_E_USAGE, "cross-validate: fewer than two folds");
	}
	if (kt_words_count(words) < 2) {
		return kt_error(KT_E_USAGE, "cross-validate: at least two words are "
					    "needed: one to learn from and one to test");
	}
	cross = calloc(1, sizeof(*cross));
	if (!cross || kt_word_order_make(&order, words)) {
		free(cross);
		return kt_no_memory("cross-validate");
	}
	cross->folds = options->folds < kt_words_count(words) ? options->folds
							      : kt_words_count(words);
	cross->n_rows = (size_t)(options->hi - options->lo) + 1;
	cross->rows = calloc(cross->n_rows, sizeof(*cross->rows));
	if (!cross->rows) {
		code = kt_no_memory("cross-validate");
		goto end;
	}
	for (size_t i = 0; i < cross->n_rows; i++) {
		cross->rows[i].k = options->lo + i;
	}
	code = validate(cross, words, &order, options);
end:
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
