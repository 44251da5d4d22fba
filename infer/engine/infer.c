/* SPDX-License-Identifier: MIT */
#include <ktail/infer.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "infer/engine/canonicalise.h"
#include "infer/engine/conserve.h"
#include "infer/engine/determinise.h"
#include "infer/engine/order.h"
#include "infer/engine/quotient.h"
#include "infer/engine/text.h"
#include "infer/engine/word-set.h"

/* From this many letters on, hashing the words beside the rest is worth a thread. */
#define THREAD_LETTERS 100000

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "infer machine: out of memory");
}

/* --- hashing and ordering the words, perhaps in a thread of its own --- */

struct ordering {
	const kt_words *words; /* Weak */
	struct kt_word_order order;
	pthread_t thread;
	bool threaded;
	int code;
};

static void *order_words(void *argument)
{
	struct ordering *ordering = argument;

	ordering->code = kt_word_order_make(&ordering->order, ordering->words);
	return NULL;
}

static void begin_ordering(struct ordering *ordering, const kt_words *words)
{
	*ordering = (struct ordering){.words = words};
	ordering->threaded =
		words->total >= THREAD_LETTERS &&
		pthread_create(&ordering->thread, NULL, order_words, ordering) == 0;
	if (!ordering->threaded) {
		order_words(ordering);
	}
}

static int end_ordering(struct ordering *ordering)
{
	if (ordering->threaded) {
		pthread_join(ordering->thread, NULL);
	}
	/* A message that was set in the thread would be lost with it. */
	return ordering->code ? out_of_memory() : KT_OK;
}

/* --- the machine --- */

static int copy_options(struct kt_fsm *fsm, const struct kt_infer_options *options)
{
	fsm->k = options->k;
	fsm->machine = strdup("chains");
	fsm->word = strdup(options->word ? options->word : "process");
	if (!fsm->machine || !fsm->word) {
		return out_of_memory();
	}
	if (options->alphabet_json) {
		fsm->alphabet_json = strdup(options->alphabet_json);
	}
	return options->alphabet_json && !fsm->alphabet_json ? out_of_memory() : KT_OK;
}

static int copy_letters(struct kt_fsm *fsm, const struct kt_text *text)
{
	fsm->letters = calloc(text->n_letters + (size_t)1, sizeof(*fsm->letters));
	if (!fsm->letters) {
		return out_of_memory();
	}
	for (size_t i = 0; i < text->n_letters; i++) {
		fsm->letters[i] =
			strdup(kt_words_letter_name(text->words, text->letters[i]));
		if (!fsm->letters[i]) {
			return out_of_memory();
		}
		fsm->n_letters++;
	}
	return KT_OK;
}

static int find_places(struct kt_word_place **places, const struct kt_quotient *quotient,
		       const struct kt_text *text)
{
	size_t n = text->words->n_words;

	*places = malloc((n + 1) * sizeof(**places));
	if (!*places) {
		return out_of_memory();
	}
	for (size_t i = 0; i < n; i++) {
		(*places)[i].entry = quotient->class_of[kt_text_begin(text, i)];
		(*places)[i].exit = quotient->class_of[kt_text_begin(text, i + 1) - 1];
	}
	return KT_OK;
}

/* The words' classes, folded, and where each word begins and ends. */
static int fold_words(struct kt_fold *fold, struct kt_word_place **places,
		      struct kt_fsm *fsm, const kt_words *words, uint64_t k)
{
	struct kt_quotient quotient = {0};
	struct kt_text text;
	int code = kt_text_lay_out(&text, words);

	if (code) {
		return code;
	}
	code = copy_letters(fsm, &text);
	code = code ? code : kt_quotient_divide(&quotient, &text, k);
	code = code ? code : find_places(places, &quotient, &text);
	code = code ? code : kt_fold_determinise(fold, &quotient, &text);
	kt_quotient_clear(&quotient);
	kt_text_clear(&text);
	return code;
}

static int infer_chains(struct kt_fsm *fsm, const kt_words *words, uint64_t k)
{
	struct kt_fold fold = {0};
	struct kt_word_place *places = NULL;
	struct ordering ordering;
	int ordered;
	int code;

	begin_ordering(&ordering, words);
	code = fold_words(&fold, &places, fsm, words, k);
	ordered = end_ordering(&ordering);
	code = code ? code : ordered;
	code = code ? code : kt_canonicalise(fsm, &fold, words, places, &ordering.order);
	kt_fold_clear(&fold);
	kt_word_order_clear(&ordering.order);
	free(places);
	return code ? code : kt_conserve_check(fsm, words);
}

static int check_request(const kt_words *words, const struct kt_infer_options *options)
{
	if (!words || !options) {
		return kt_error(KT_E_USAGE, "infer machine: no words or no options given");
	}
	if (options->machine != KT_MACHINE_CHAINS) {
		return kt_error(KT_E_USAGE, "infer machine: there is no machine of kind %d",
				(int)options->machine);
	}
	if (options->k > INT64_MAX) {
		return kt_error(KT_E_USAGE, "infer machine: k is more than 2^63 - 1");
	}
	if (!words->n_words) {
		return kt_error(KT_E_EMPTY, "infer machine: there are no words");
	}
	return KT_OK;
}

int kt_infer(struct kt_fsm **out, const kt_words *words,
	     const struct kt_infer_options *options)
{
	struct kt_fsm *fsm = NULL;
	int code = check_request(words, options);

	*out = NULL;
	code = code ? code : kt_fsm_new(&fsm);
	code = code ? code : copy_options(fsm, options);
	code = code ? code : infer_chains(fsm, words, options->k);
	if (code) {
		kt_fsm_free(fsm);
		return code;
	}
	*out = fsm;
	return KT_OK;
}
