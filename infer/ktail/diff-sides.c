/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-sides.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "infer/ktail/auto-k.h"
#include "infer/ktail/copy-words.h"
#include "infer/ktail/machine.h"

#define REDUCED_STATES_MAX 20000

static const char *const side_names[2] = {"old", "new"};

int kt_diff_list_add(struct kt_diff_list *list, const char *text)
{
	union {
		const char *read_only;
		char *text;
	} kept = {.read_only = text};
	int code = kt_array_reserve(&list->items, &list->capacity, list->n + 1);

	if (!code) {
		list->items[list->n++] = kept.text;
	}
	return code;
}

bool kt_diff_sides_have_words(const struct kt_diff_sides *sides)
{
	return sides->side[0].words && sides->side[1].words;
}

/* --- reading --- */

/* Either one machine, or traces alone. */
static int read_side(struct kt_diff_side *side, const struct kt_load_options *load)
{
	for (size_t i = 0; i < side->paths.n; i++) {
		if (kt_machine_is_named(side->paths.items[i]) && side->paths.n > 1) {
			return kt_error(
				KT_E_USAGE,
				"read %s: it is a machine, and one side is one machine "
				"or traces alone",
				side->paths.items[i]);
		}
	}
	if (kt_machine_is_named(side->paths.items[0])) {
		return kt_machine_read(&side->fsm, side->paths.items[0]);
	}
	return kt_load(&side->words, &side->alphabet, side->paths.items, (int)side->paths.n,
		       load);
}

static int check_standard_input(const struct kt_diff_sides *sides)
{
	size_t n = 0;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < sides->side[s].paths.n; i++) {
			n += strcmp(sides->side[s].paths.items[i], "-") == 0;
		}
	}
	return n <= 1 ? KT_OK
		      : kt_error(KT_E_USAGE, "read standard input: it can be read once, "
					     "and is given twice");
}

/* --- k --- */

/* For all words there are, of both sides: what differs must not be their k. */
static int choose_auto(struct kt_diff_sides *sides)
{
	kt_words *all;
	uint64_t k = 0;
	int code = kt_words_new(&all);

	for (int s = 0; !code && s < 2; s++) {
		if (sides->side[s].words) {
			code = kt_copy_words(all, sides->side[s].words, KT_COPY_ALL);
		}
	}
	code = code ? code : kt_auto_k(&k, all, sides->machine);
	kt_words_free(all);
	sides->k = k;
	sides->has_k = !code;
	return code;
}

/* A side of traces takes the k of a machine on the other side. */
static int choose_k(struct kt_diff_sides *sides)
{
	for (int s = 0; s < 2 && !sides->has_k && !sides->wants_auto; s++) {
		const struct kt_fsm *other = sides->side[1 - s].fsm;

		if (sides->side[s].words && other && !other->no_k) {
			sides->k = other->k;
			sides->has_k = true;
		}
	}
	if (sides->has_k || (!sides->side[0].words && !sides->side[1].words)) {
		return KT_OK;
	}
	return choose_auto(sides);
}

static int infer(struct kt_diff_side *side, const struct kt_diff_sides *sides,
		 const char *word)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;

	options.k = sides->k;
	options.machine = sides->machine;
	options.word = word;
	options.alphabet_json = side->alphabet;
	return kt_infer(&side->fsm, side->words, &options);
}

/* --- what is odd --- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_imported(const struct kt_fsm *fsm)
{
	return strcmp(fsm->machine, KT_FSM_IMPORTED) == 0;
}

/* The language is what can be read from the start; a trace that begins late is not in it.
 */
static void warn_entries(const struct kt_fsm *fsm, int side)
{
	size_t n = 0;

	for (size_t i = 0; i < fsm->n_words; i++) {
		n += fsm->words[i].entry != fsm->start;
	}
	if (n > 0) {
		kt_warn("compare machines: %zu of %zu words of the %s one begin elsewhere "
			"than at the start: what they alone show is not compared",
			n, fsm->n_words, side_names[side]);
	}
}

static void warn_odd(const struct kt_fsm *old, const struct kt_fsm *new)
{
	warn_entries(old, 0);
	warn_entries(new, 1);
	if (is_imported(old) || is_imported(new)) {
		return; /* nothing is known of how it was made */
	}
	if (strcmp(old->word, new->word) != 0) {
		kt_warn("compare machines: a word is a %s in the old one, a %s in the new "
			"one",
			old->word, new->word);
	}
	if (old->alphabet_json && new->alphabet_json &&
	    !same_text(old->alphabet_json, new->alphabet_json)) {
		kt_warn("compare machines: their alphabets differ; letters are compared by "
			"name");
	}
	if (strcmp(old->machine, new->machine) != 0) {
		kt_warn("compare machines: the old one is of kind %s, the new one of kind "
			"%s",
			old->machine, new->machine);
	} else if (!old->no_k && !new->no_k && old->k != new->k) {
		kt_warn("compare machines: k is %" PRIu64 " in the old one, %" PRIu64
			" in the new one: they merge states otherwise",
			old->k, new->k);
	}
}

static int refuse_diff(const struct kt_diff_side *side, int s)
{
	if (strcmp(side->fsm->machine, "diff") == 0) {
		return kt_error(KT_E_USAGE,
				"read %s: the %s machine is a difference of two",
				side->paths.items[0], side_names[s]);
	}
	return KT_OK;
}

/* --- reduced --- */

int kt_diff_sides_reduce(struct kt_fsm *out[2], bool *cut,
			 const struct kt_diff_sides *sides,
			 const struct kt_reduction *reduction, uint64_t *steps)
{
	int code = KT_OK;

	*cut = false;
	out[0] = NULL;
	out[1] = NULL;
	for (int s = 0; !code && !*cut && s < 2; s++) {
		code = kt_reduce_machine(&out[s], cut, sides->side[s].fsm, reduction,
					 REDUCED_STATES_MAX, steps);
	}
	if (code || *cut) {
		kt_fsm_free(out[0]);
		kt_fsm_free(out[1]);
		out[0] = NULL;
		out[1] = NULL;
	}
	return code;
}

/* Words are changed before anything is inferred from them. */
static int replace_words(struct kt_diff_sides *sides, const struct kt_reduction *reduction)
{
	int code = KT_OK;

	for (int s = 0; !code && s < 2; s++) {
		kt_words *reduced = NULL;

		code = kt_reduce_words(&reduced, sides->side[s].words, reduction);
		if (!code) {
			kt_words_free(sides->side[s].words);
			sides->side[s].words = reduced;
		}
	}
	return code;
}

static int replace_machines(struct kt_diff_sides *sides,
			    const struct kt_reduction *reduction)
{
	struct kt_fsm *reduced[2];
	bool cut;
	int code = kt_diff_sides_reduce(reduced, &cut, sides, reduction, NULL);

	if (!code && cut) {
		return kt_error(KT_E_USAGE,
				"reduce letters: a machine would have more than %d states",
				REDUCED_STATES_MAX);
	}
	for (int s = 0; !code && s < 2; s++) {
		kt_fsm_free(sides->side[s].fsm);
		sides->side[s].fsm = reduced[s];
	}
	return code;
}

/* What was asked for: letters left out, then runs taken as one. */
static int reduce_both(struct kt_diff_sides *sides,
		       int (*replace)(struct kt_diff_sides *sides,
				      const struct kt_reduction *reduction))
{
	const struct kt_diff_list *lists[2] = {&sides->without, &sides->runs};
	int code = KT_OK;

	for (int i = 0; !code && i < 2; i++) {
		const char **letters = calloc(lists[i]->n + 1, sizeof(*letters));
		struct kt_reduction reduction = {letters, lists[i]->n, i == 0};

		if (!letters) {
			return kt_error(KT_E_MEMORY, "reduce letters: out of memory");
		}
		for (size_t j = 0; j < lists[i]->n; j++) {
			letters[j] = lists[i]->items[j];
		}
		code = lists[i]->n ? replace(sides, &reduction) : KT_OK;
		free(letters);
	}
	return code;
}

/* --- all of it --- */

static int infer_sides(struct kt_diff_sides *sides, const struct kt_load_options *load)
{
	int code = KT_OK;

	for (int s = 0; !code && s < 2; s++) {
		struct kt_diff_side *side = &sides->side[s];

		code = side->words ? infer(side, sides, load->word) : KT_OK;
		code = code ? code : refuse_diff(side, s);
	}
	return code;
}

int kt_diff_sides_load(struct kt_diff_sides *sides, const struct kt_load_options *load)
{
	bool have_words;
	int code = check_standard_input(sides);

	for (int s = 0; !code && s < 2; s++) {
		code = read_side(&sides->side[s], load);
	}
	have_words = kt_diff_sides_have_words(sides);
	code = code || !have_words ? code : reduce_both(sides, replace_words);
	code = code ? code : choose_k(sides);
	code = code ? code : infer_sides(sides, load);
	if (!code) {
		warn_odd(sides->side[0].fsm, sides->side[1].fsm);
	}
	return code || have_words ? code : reduce_both(sides, replace_machines);
}

void kt_diff_sides_clear(struct kt_diff_sides *sides)
{
	for (int s = 0; s < 2; s++) {
		free(sides->side[s].paths.items);
		kt_words_free(sides->side[s].words);
		free(sides->side[s].alphabet);
		kt_fsm_free(sides->side[s].fsm);
	}
	free(sides->without.items);
	free(sides->runs.items);
	*sides = (struct kt_diff_sides){0};
}
