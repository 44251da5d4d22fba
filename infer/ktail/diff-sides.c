/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-sides.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "infer/ktail/machine.h"

/* States of a machine in which runs are one, at most. */
#define RUNS_STATES_MAX 20000

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

/* A side of traces takes the k of a machine on the other side. */
static int choose_k(struct kt_diff_sides *sides)
{
	for (int s = 0; s < 2 && !sides->has_k; s++) {
		const struct kt_fsm *other = sides->side[1 - s].fsm;

		if (sides->side[s].words && other && !other->no_k) {
			sides->k = other->k;
			sides->has_k = true;
		}
	}
	if (sides->has_k || (!sides->side[0].words && !sides->side[1].words)) {
		return KT_OK;
	}
	return kt_error(
		KT_E_USAGE,
		"parse options: --k N is missing: how many letters ahead two states "
		"must agree to be one, such as 20; see ktail help diff");
}

static int infer(struct kt_fsm **out, const struct kt_diff_side *side,
		 const kt_words *words, uint64_t k, const char *word)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;

	options.k = k;
	options.word = word;
	options.alphabet_json = side->alphabet;
	return kt_infer(out, words, &options);
}

/* --- what is odd --- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void warn_odd(const struct kt_fsm *old, const struct kt_fsm *new)
{
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

/* --- runs --- */

static int take_runs_of_words(struct kt_fsm **out, const struct kt_diff_sides *sides, int s,
			      const char *const *letters, size_t n)
{
	const struct kt_diff_side *side = &sides->side[s];
	kt_words *words;
	int code = kt_runs_of_words(&words, side->words, letters, n);

	code = code ? code : infer(out, side, words, side->fsm->k, side->fsm->word);
	kt_words_free(words);
	return code;
}

int kt_diff_sides_take_runs(struct kt_fsm *out[2], bool *cut,
			    const struct kt_diff_sides *sides, const char *const *letters,
			    size_t n)
{
	bool have_words = kt_diff_sides_have_words(sides);
	int code = KT_OK;

	*cut = false;
	out[0] = NULL;
	out[1] = NULL;
	for (int s = 0; !code && !*cut && s < 2; s++) {
		code = have_words ? take_runs_of_words(&out[s], sides, s, letters, n)
				  : kt_runs_of_machine(&out[s], cut, sides->side[s].fsm,
						       letters, n, RUNS_STATES_MAX);
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
static int fold_words(struct kt_diff_sides *sides, const char *const *letters)
{
	int code = KT_OK;

	for (int s = 0; !code && s < 2; s++) {
		kt_words *folded = NULL;

		code = kt_runs_of_words(&folded, sides->side[s].words, letters,
					sides->runs.n);
		if (!code) {
			kt_words_free(sides->side[s].words);
			sides->side[s].words = folded;
		}
	}
	return code;
}

static int fold_machines(struct kt_diff_sides *sides, const char *const *letters)
{
	struct kt_fsm *folded[2];
	bool cut;
	int code = kt_diff_sides_take_runs(folded, &cut, sides, letters, sides->runs.n);

	if (!code && cut) {
		return kt_error(
			KT_E_USAGE,
			"take runs as one: a machine would have more than %d states",
			RUNS_STATES_MAX);
	}
	for (int s = 0; !code && s < 2; s++) {
		kt_fsm_free(sides->side[s].fsm);
		sides->side[s].fsm = folded[s];
	}
	return code;
}

static int infer_sides(struct kt_diff_sides *sides, const struct kt_load_options *load)
{
	int code = KT_OK;

	for (int s = 0; !code && s < 2; s++) {
		struct kt_diff_side *side = &sides->side[s];

		if (side->words) {
			code = infer(&side->fsm, side, side->words, sides->k, load->word);
		}
		code = code ? code : refuse_diff(side, s);
	}
	return code;
}

static int make_machines(struct kt_diff_sides *sides, const struct kt_load_options *load)
{
	size_t n = sides->runs.n;
	const char **letters = calloc(n + 1, sizeof(*letters));
	bool have_words = kt_diff_sides_have_words(sides);
	int code = KT_OK;

	if (!letters) {
		return kt_error(KT_E_MEMORY, "take runs as one: out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		letters[i] = sides->runs.items[i];
	}
	code = n > 0 && have_words ? fold_words(sides, letters) : KT_OK;
	code = code ? code : infer_sides(sides, load);
	if (!code) {
		warn_odd(sides->side[0].fsm, sides->side[1].fsm);
	}
	if (!code && n > 0 && !have_words) {
		code = fold_machines(sides, letters);
	}
	free(letters);
	return code;
}

/* --- all of it --- */

int kt_diff_sides_load(struct kt_diff_sides *sides, const struct kt_load_options *load)
{
	int code = check_standard_input(sides);

	for (int s = 0; !code && s < 2; s++) {
		code = read_side(&sides->side[s], load);
	}
	code = code ? code : choose_k(sides);
	return code ? code : make_machines(sides, load);
}

void kt_diff_sides_clear(struct kt_diff_sides *sides)
{
	for (int s = 0; s < 2; s++) {
		free(sides->side[s].paths.items);
		kt_words_free(sides->side[s].words);
		free(sides->side[s].alphabet);
		kt_fsm_free(sides->side[s].fsm);
	}
	free(sides->runs.items);
	*sides = (struct kt_diff_sides){0};
}
