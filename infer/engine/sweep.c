/* SPDX-License-Identifier: MIT */
#include <ktail/infer.h>
#include <ktail/sweep.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "infer/engine/text.h"
#include "infer/engine/canonicalise.h"
#include "infer/engine/conserve.h"
#include "infer/engine/determinise.h"
#include "infer/engine/order.h"
#include "infer/engine/word-set.h"

/* From this many letters on, a thread that hashes the words in parallel pays off. */
#define THREAD_LETTERS 100000

struct kt_sweep {
	const kt_words *words; /* Weak */
	enum kt_machine machine;
	char *word;          /* Owned by this */
	char *alphabet_json; /* Owned by this, or NULL */
	uint64_t top;        /* for larger k the machine no longer changes */
	uint64_t lo;
	uint64_t next; /* k of the next row */
	uint64_t k;    /* k of the last row */
	bool began;    /* a row was returned */
	bool over;     /* no row is left */
	bool broken;   /* a merge failed halfway: the fold is not the machine of any k */
	struct kt_fold fold;
	struct kt_levels levels;
	size_t merged;              /* how many pairs of `levels` are merged so far */
	struct kt_word_span *spans; /* Owned by this: indexed by word */
	uint32_t *letters;          /* Owned by this: letter numbers, indexed by rank */
	uint32_t n_letters;
	struct kt_word_order order;
};

/* Operations of each kind of canonical machine. */
static const struct {
	const char *name;
	int (*fold)(struct kt_fold *fold, struct kt_levels *levels,
		    struct kt_word_span *spans, const struct kt_text *text, uint64_t lo,
		    uint64_t hi);
} machines[] = {
	[KT_MACHINE_CHAINS] = {"chains", kt_chains_fold},
	[KT_MACHINE_PTA] = {"pta", kt_pta_fold},
};

/* --- hashing and sorting the words, in a thread if that pays off --- */

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

/* --- starting a sweep --- */

static int check_request(const kt_words *words, const struct kt_sweep_options *options)
{
	if (!words || !options) {
		return kt_error(KT_E_USAGE, "infer machine: no words or no options given");
	}
	if ((size_t)options->machine >= sizeof(machines) / sizeof(machines[0])) {
		return kt_error(KT_E_USAGE, "infer machine: unknown kind of machine: %d",
				(int)options->machine);
	}
	if (options->lo > options->hi) {
		return kt_error(
			KT_E_USAGE,
			"infer machine: no k lies between the given minimum and maximum");
	}
	if (options->hi > INT64_MAX) {
		return kt_error(KT_E_USAGE, "infer machine: k is more than 2^63 - 1");
	}
	if (!words->n_words) {
		return kt_error(KT_E_EMPTY, "infer machine: there are no words");
	}
	return KT_OK;
}

/*
 * Returns the k whose classes the machine for the requested k is made of. It is at most
 * `top`, since classes no longer change for larger k, and at least 1. The machine for k = 0
 * is made by merging all classes of k = 1.
 */
static uint64_t limit_k(const kt_sweep *sweep, uint64_t k)
{
	k = k < sweep->top ? k : sweep->top;
	return k ? k : 1;
}

static int fold_words(kt_sweep *sweep)
{
	const kt_words *words = sweep->words;
	struct kt_text text;
	int code;

	KT_TRY(kt_text_lay_out(&text, words));
	sweep->spans = malloc((words->n_words + 1) * sizeof(*sweep->spans));
	code = sweep->spans ? machines[sweep->machine].fold(&sweep->fold, &sweep->levels,
							    sweep->spans, &text,
							    limit_k(sweep, sweep->lo),
							    limit_k(sweep, sweep->next))
			    : kt_no_memory("infer machine");
	sweep->letters = text.letters;
	sweep->n_letters = text.n_letters;
	text.letters = NULL;
	kt_text_clear(&text);
	return code;
}

int kt_sweep_new(kt_sweep **out, const kt_words *words,
		 const struct kt_sweep_options *options)
{
	struct ordering ordering = {.words = words};
	uint64_t longest = 0;
	kt_sweep *sweep;
	int code;

	*out = NULL;
	KT_TRY(check_request(words, options));
	sweep = calloc(1, sizeof(*sweep));
	if (!sweep) {
		return kt_no_memory("infer machine");
	}
	ordering.threaded =
		words->total >= THREAD_LETTERS &&
		pthread_create(&ordering.thread, NULL, order_words, &ordering) == 0;
	if (!ordering.threaded) {
		order_words(&ordering);
	}

	for (size_t i = 0; i < words->n_words; i++) {
		longest = words->words[i].n > longest ? words->words[i].n : longest;
	}
	sweep->words = words;
	/*
	 * From this k on, every tail reaches the end of its word, so a larger k changes
	 * nothing.
	 */
	sweep->top = longest + 1;
	sweep->machine = options->machine;
	sweep->lo = options->lo;
	sweep->next = options->hi;
	sweep->word = strdup(options->word ? options->word : "process");
	sweep->alphabet_json =
		options->alphabet_json ? strdup(options->alphabet_json) : NULL;
	code = !sweep->word || (options->alphabet_json && !sweep->alphabet_json)
		       ? kt_no_memory("infer machine")
		       : fold_words(sweep);

	if (ordering.threaded) {
		pthread_join(ordering.thread, NULL);
	}
	sweep->order = ordering.order;
	if (!code && ordering.code) {
		/*
		 * kt_word_order_make() sets no message, since it may run in another thread
		 * and messages are per thread: set the message here.
		 */
		code = kt_no_memory("infer machine");
	}
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
	free(sweep->spans);
	free(sweep->letters);
	free(sweep->word);
	free(sweep->alphabet_json);
	free(sweep);
}

/* --- next k --- */

static int refuse_broken(void)
{
	return kt_error(KT_E_USAGE, "infer machine: the sweep has already failed");
}

int kt_sweep_next(bool *more, struct kt_sweep_row *row, kt_sweep *sweep)
{
	const struct kt_pair *pairs = sweep->levels.pairs;
	uint64_t k = sweep->next;
	size_t until;

	*more = false;
	if (sweep->broken) {
		return refuse_broken();
	}
	if (sweep->over) {
		return KT_OK;
	}
	sweep->broken = true;
	until = kt_levels_until(&sweep->levels, limit_k(sweep, k));
	for (; sweep->merged < until; sweep->merged++) {
		size_t i = sweep->merged;
		size_t later = i + KT_AHEAD < until ? i + KT_AHEAD : i;

		__builtin_prefetch(&sweep->fold.parent[pairs[later].a]);
		__builtin_prefetch(&sweep->fold.parent[pairs[later].b]);
		KT_TRY(kt_fold_merge(&sweep->fold, pairs[i].a, pairs[i].b));
	}
	for (uint32_t class = 1; k == 0 && class < sweep->fold.n; class ++) {
		KT_TRY(kt_fold_merge(&sweep->fold, 0, class));
	}
	sweep->broken = false;
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

/* Builds the machine without checking it. */
static int make_machine(struct kt_fsm **out, kt_sweep *sweep)
{
	struct kt_fsm *fsm = NULL;
	int code;

	*out = NULL;
	if (sweep->broken) {
		return refuse_broken();
	}
	if (!sweep->began) {
		return kt_error(KT_E_USAGE,
				"infer machine: the sweep has not reached a first k");
	}
	KT_TRY(kt_fsm_new(&fsm));
	fsm->k = sweep->k;
	fsm->machine = strdup(machines[sweep->machine].name);
	fsm->word = strdup(sweep->word);
	fsm->letters = calloc(sweep->n_letters + (size_t)1, sizeof(*fsm->letters));
	if (sweep->alphabet_json) {
		fsm->alphabet_json = strdup(sweep->alphabet_json);
	}
	if (!fsm->machine || !fsm->word || !fsm->letters ||
	    (sweep->alphabet_json && !fsm->alphabet_json)) {
		code = kt_no_memory("infer machine");
		goto end;
	}
	KT_TRY_END(kt_words_versions(&fsm->versions, sweep->words));
	for (size_t i = 0; i < sweep->n_letters; i++) {
		fsm->letters[i] =
			strdup(kt_words_letter_name(sweep->words, sweep->letters[i]));
		if (!fsm->letters[i]) {
			code = kt_no_memory("infer machine");
			goto end;
		}
		fsm->n_letters++;
	}
	code = kt_canonicalise(fsm, &sweep->fold, sweep->words, sweep->spans,
			       &sweep->order);
end:
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
	KT_TRY(make_machine(out, sweep));
	return check_machine(out, sweep->words);
}

/* Inference for one k is a sweep over that k. */
int kt_infer(struct kt_fsm **out, const kt_words *words,
	     const struct kt_infer_options *options)
{
	struct kt_sweep_options range = KT_SWEEP_OPTIONS_INIT;
	struct kt_sweep_row row;
	kt_sweep *sweep;
	bool more;
	int code;

	*out = NULL;
	if (!options) {
		return kt_error(KT_E_USAGE, "infer machine: no options given");
	}
	range.lo = options->k;
	range.hi = options->k;
	range.machine = options->machine;
	range.word = options->word;
	range.alphabet_json = options->alphabet_json;
	KT_TRY(kt_sweep_new(&sweep, words, &range));
	KT_TRY_END(kt_sweep_next(&more, &row, sweep));
	KT_TRY_END(make_machine(out, sweep));
	/*
	 * This was the last use of the sweep: free its memory before the check allocates.
	 */
	kt_fold_clear(&sweep->fold);
	kt_levels_clear(&sweep->levels);
	code = check_machine(out, words);
end:
	kt_sweep_free(sweep);
	return code;
}
