/* SPDX-License-Identifier: MIT */
#include <ktail/sweep.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "infer/engine/ahead.h"
#include "infer/engine/canonicalise.h"
#include "infer/engine/chains.h"
#include "infer/engine/conserve.h"
#include "infer/engine/determinise.h"
#include "infer/engine/levels.h"
#include "infer/engine/order.h"
#include "infer/engine/pta.h"
#include "infer/engine/sweep-end.h"
#include "infer/engine/text.h"
#include "infer/engine/word-set.h"

/* From this many letters on, hashing the words beside the rest is worth a thread. */
#define THREAD_LETTERS 100000

struct kt_sweep {
	const kt_words *words; /* Weak */
	enum kt_machine machine;
	char *word;          /* Owned by this */
	char *alphabet_json; /* Owned by this, or NULL */
	uint64_t top;        /* the machine of a larger k is that of this one */
	uint64_t lo;
	uint64_t next; /* the k of the next row */
	uint64_t k;    /* of the last one */
	bool began;    /* there is a last one */
	bool over;     /* there is no next one */
	bool broken;   /* a union was begun and not done: it is at no k any more */
	struct kt_fold fold;
	struct kt_levels levels;
	size_t united;                /* pairs of the levels */
	struct kt_word_place *places; /* Owned by this: by word */
	uint32_t *letters;            /* Owned by this: letter numbers by rank */
	uint32_t n_letters;
	struct kt_word_order order;
};

/* What is particular to each canonical machine. */
static const struct {
	const char *name;
	int (*fold)(struct kt_fold *fold, struct kt_levels *levels,
		    struct kt_word_place *places, const struct kt_text *text, uint64_t lo,
		    uint64_t hi);
} machines[] = {
	[KT_MACHINE_CHAINS] = {"chains", kt_chains_fold},
	[KT_MACHINE_PTA] = {"pta", kt_pta_fold},
};

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

/* --- beginning --- */

static int check_request(const kt_words *words, const struct kt_sweep_options *options)
{
	if (!words || !options) {
		return kt_error(KT_E_USAGE, "infer machine: no words or no options given");
	}
	if ((size_t)options->machine >= sizeof(machines) / sizeof(machines[0])) {
		return kt_error(KT_E_USAGE, "infer machine: there is no machine of kind %d",
				(int)options->machine);
	}
	if (options->lo > options->hi) {
		return kt_error(KT_E_USAGE, "infer machine: no k is between the smallest "
					    "and the largest that were given");
	}
	if (options->hi > INT64_MAX) {
		return kt_error(KT_E_USAGE, "infer machine: k is more than 2^63 - 1");
	}
	if (!words->n_words) {
		return kt_error(KT_E_EMPTY, "infer machine: there are no words");
	}
	return KT_OK;
}

static int copy_options(kt_sweep *sweep, const struct kt_sweep_options *options)
{
	sweep->machine = options->machine;
	sweep->lo = options->lo;
	sweep->next = options->hi;
	sweep->word = strdup(options->word ? options->word : "process");
	if (options->alphabet_json) {
		sweep->alphabet_json = strdup(options->alphabet_json);
	}
	return sweep->word && (sweep->alphabet_json || !options->alphabet_json)
		       ? KT_OK
		       : out_of_memory();
}

/* Behind the longest word and its end, a larger k sees nothing new. */
static uint64_t find_top(const kt_words *words)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < words->n_words; i++) {
		longest = words->words[i].n > longest ? words->words[i].n : longest;
	}
	return longest + 1;
}

/* The k whose classes are those of k. For 0, classes of some other k become one. */
static uint64_t limit_k(const kt_sweep *sweep, uint64_t k)
{
	k = k < sweep->top ? k : sweep->top;
	return k ? k : 1;
}

static int fold_words(kt_sweep *sweep)
{
	const kt_words *words = sweep->words;
	struct kt_text text;
	int code = kt_text_lay_out(&text, words);

	if (code) {
		return code;
	}
	sweep->places = malloc((words->n_words + 1) * sizeof(*sweep->places));
	code = sweep->places ? KT_OK : out_of_memory();
	code = code ? code
		    : machines[sweep->machine].fold(
			      &sweep->fold, &sweep->levels, sweep->places, &text,
			      limit_k(sweep, sweep->lo), limit_k(sweep, sweep->next));
	sweep->letters = text.letters;
	sweep->n_letters = text.n_letters;
	text.letters = NULL;
	kt_text_clear(&text);
	return code;
}

int kt_sweep_new(kt_sweep **out, const kt_words *words,
		 const struct kt_sweep_options *options)
{
	int code = check_request(words, options);
	struct ordering ordering;
	kt_sweep *sweep;
	int ordered;

	*out = NULL;
	if (code) {
		return code;
	}
	sweep = calloc(1, sizeof(*sweep));
	if (!sweep) {
		return out_of_memory();
	}
	sweep->words = words;
	sweep->top = find_top(words);
	begin_ordering(&ordering, words);
	code = copy_options(sweep, options);
	code = code ? code : fold_words(sweep);
	ordered = end_ordering(&ordering);
	sweep->order = ordering.order;
	code = code ? code : ordered;
	if (code) {
		kt_sweep_free(sweep);
		return code;
	}
	*out = sweep;
	return KT_OK;
}

void kt_sweep_free(kt_sweep *sweep)
{
	if (!sweep) {
		return;
	}
	kt_fold_clear(&sweep->fold);
	kt_levels_clear(&sweep->levels);
	kt_word_order_clear(&sweep->order);
	free(sweep->places);
	free(sweep->letters);
	free(sweep->word);
	free(sweep->alphabet_json);
	free(sweep);
}

/* --- going on --- */

static int unite_pairs(kt_sweep *sweep, uint64_t k)
{
	size_t until = kt_levels_until(&sweep->levels, limit_k(sweep, k));
	int code = KT_OK;

	for (; !code && sweep->united < until; sweep->united++) {
		struct kt_pair pair = sweep->levels.pairs[sweep->united];
		struct kt_pair later =
			sweep->levels.pairs[sweep->united + KT_AHEAD < until
						    ? sweep->united + KT_AHEAD
						    : sweep->united];

		__builtin_prefetch(&sweep->fold.parent[later.a]);
		__builtin_prefetch(&sweep->fold.parent[later.b]);

		code = kt_fold_unite(&sweep->fold, pair.a, pair.b);
	}
	for (uint32_t class = 1; !code && k == 0 && class < sweep->fold.n; class ++) {
		code = kt_fold_unite(&sweep->fold, 0, class);
	}
	return code;
}

static int refuse_broken(void)
{
	return kt_error(KT_E_USAGE, "infer machine: the sweep has failed before");
}

int kt_sweep_next(bool *more, struct kt_sweep_row *row, kt_sweep *sweep)
{
	uint64_t k = sweep->next;
	int code;

	*more = false;
	if (sweep->broken) {
		return refuse_broken();
	}
	if (sweep->over) {
		return KT_OK;
	}
	code = unite_pairs(sweep, k);
	sweep->broken = code != KT_OK;
	if (code) {
		return code;
	}
	sweep->over = k == sweep->lo;
	sweep->next = sweep->over ? k : k - 1;
	sweep->began = true;
	sweep->k = k;
	*row = (struct kt_sweep_row){
		.k = k,
		.states = sweep->fold.n_states,
		.transitions = sweep->fold.n_transitions,
		.complex = sweep->fold.n_complex,
	};
	*more = true;
	return KT_OK;
}

/* --- machines --- */

static int copy_labels(struct kt_fsm *fsm, const kt_sweep *sweep)
{
	fsm->k = sweep->k;
	fsm->machine = strdup(machines[sweep->machine].name);
	fsm->word = strdup(sweep->word);
	fsm->letters = calloc(sweep->n_letters + (size_t)1, sizeof(*fsm->letters));
	if (!fsm->machine || !fsm->word || !fsm->letters) {
		return out_of_memory();
	}
	for (size_t i = 0; i < sweep->n_letters; i++) {
		fsm->letters[i] =
			strdup(kt_words_letter_name(sweep->words, sweep->letters[i]));
		if (!fsm->letters[i]) {
			return out_of_memory();
		}
		fsm->n_letters++;
	}
	if (sweep->alphabet_json) {
		fsm->alphabet_json = strdup(sweep->alphabet_json);
	}
	return sweep->alphabet_json && !fsm->alphabet_json ? out_of_memory() : KT_OK;
}

/* Unchecked. */
static int make_machine(struct kt_fsm **out, kt_sweep *sweep)
{
	struct kt_fsm *fsm = NULL;
	int code;

	*out = NULL;
	if (sweep->broken) {
		return refuse_broken();
	}
	if (!sweep->began) {
		return kt_error(KT_E_USAGE, "infer machine: the sweep is at no k yet");
	}
	code = kt_fsm_new(&fsm);
	code = code ? code : copy_labels(fsm, sweep);
	code = code ? code
		    : kt_canonicalise(fsm, &sweep->fold, sweep->words, sweep->places,
				      &sweep->order);
	if (code) {
		kt_fsm_free(fsm);
		return code;
	}
	*out = fsm;
	return KT_OK;
}

static int check_machine(struct kt_fsm **fsm, const kt_words *words)
{
	int code = kt_conserve_check(*fsm, words);

	if (code) {
		kt_fsm_free(*fsm);
		*fsm = NULL;
	}
	return code;
}

int kt_sweep_machine(struct kt_fsm **out, kt_sweep *sweep)
{
	int code = make_machine(out, sweep);

	return code ? code : check_machine(out, sweep->words);
}

int kt_sweep_end(struct kt_fsm **out, kt_sweep *sweep)
{
	int code = make_machine(out, sweep);

	kt_fold_clear(&sweep->fold);
	kt_levels_clear(&sweep->levels);
	sweep->over = true;
	return code ? code : check_machine(out, sweep->words);
}
