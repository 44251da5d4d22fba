/* SPDX-License-Identifier: MIT */
#include "infer/engine/chains.h"

#include <ktail/status.h>

#include "infer/engine/quotient.h"
#include "infer/engine/word-set.h"

/* Each class's letter, its first target, and how many of its positions there are. */
static void read_transitions(struct kt_fold *fold, const uint32_t *class_of,
			     const struct kt_text *text)
{
	for (size_t p = 0; p < text->n; p++) {
		uint32_t symbol = kt_text_symbol(text, p);

		if (symbol >= KT_SYMBOL_LETTER) {
			kt_fold_add(fold, class_of[p], symbol - KT_SYMBOL_LETTER,
				    class_of[p + 1], 1);
		}
	}
	kt_fold_settle(fold);
}

/* The start is a class for each letter that a word may begin with. */
static int unite_start(struct kt_fold *fold, const struct kt_text *text)
{
	int code = KT_OK;

	for (uint32_t class = 1; !code && class <= text->n_letters; class ++) {
		code = kt_fold_unite(fold, 0, class);
	}
	return code;
}

/* What a class leads to besides its first target is the same state. */
static int unite_targets(struct kt_fold *fold, const uint32_t *class_of,
			 const struct kt_text *text)
{
	int code = KT_OK;

	for (size_t p = 0; !code && p + 1 < text->n; p++) {
		uint32_t target = fold->target[class_of[p]];

		if (target != class_of[p + 1] &&
		    kt_text_symbol(text, p) >= KT_SYMBOL_LETTER) {
			code = kt_fold_unite(fold, target, class_of[p + 1]);
		}
	}
	return code;
}

static void find_places(struct kt_word_place *places, const uint32_t *class_of,
			const struct kt_text *text)
{
	for (size_t i = 0; i < text->words->n_words; i++) {
		places[i].entry = class_of[kt_text_begin(text, i)];
		places[i].exit = class_of[kt_text_begin(text, i + 1) - 1];
	}
}

int kt_chains_fold(struct kt_fold *fold, struct kt_levels *levels,
		   struct kt_word_place *places, const struct kt_text *text, uint64_t lo,
		   uint64_t hi)
{
	struct kt_quotient quotient;
	int code = kt_quotient_divide(&quotient, text, lo, hi);

	if (code) {
		return code;
	}
	find_places(places, quotient.class_of, text);
	code = kt_fold_begin(fold, quotient.n_classes);
	if (!code) {
		read_transitions(fold, quotient.class_of, text);
		code = unite_start(fold, text);
	}
	code = code ? code : unite_targets(fold, quotient.class_of, text);
	*levels = quotient.levels;
	quotient.levels = (struct kt_levels){0};
	kt_quotient_clear(&quotient);
	return code;
}
