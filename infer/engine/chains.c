/* SPDX-License-Identifier: MIT */
#include "infer/engine/chains.h"

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/quotient.h"
#include "infer/engine/word-set.h"

int kt_chains_fold(struct kt_fold *fold, struct kt_levels *levels,
		   struct kt_word_place *places, const struct kt_text *text, uint64_t lo,
		   uint64_t hi)
{
	struct kt_quotient quotient;
	const uint32_t *class_of;
	int code;

	KT_TRY(kt_quotient_divide(&quotient, text, lo, hi));
	class_of = quotient.class_of;
	for (size_t i = 0; i < text->words->n_words; i++) {
		places[i].entry = class_of[kt_text_begin(text, i)];
		places[i].exit = class_of[kt_text_begin(text, i + 1) - 1];
	}
	KT_TRY_END(kt_fold_begin(fold, quotient.n_classes));
	/* Each class's letter, its first target, and how many of its positions there are.
	 */
	for (size_t p = 0; p < text->n; p++) {
		uint32_t symbol = kt_text_symbol(text, p);

		if (symbol >= KT_SYMBOL_LETTER) {
			kt_fold_add(fold, class_of[p], symbol - KT_SYMBOL_LETTER,
				    class_of[p + 1], 1);
		}
	}
	kt_fold_settle(fold);
	/* The start is a class for each letter that a word may begin with. */
	for (uint32_t class = 1; class <= text->n_letters; class ++) {
		KT_TRY_END(kt_fold_unite(fold, 0, class));
	}
	/* What a class leads to besides its first target is the same state. */
	for (size_t p = 0; p + 1 < text->n; p++) {
		uint32_t target = fold->target[class_of[p]];

		if (target != class_of[p + 1] &&
		    kt_text_symbol(text, p) >= KT_SYMBOL_LETTER) {
			KT_TRY_END(kt_fold_unite(fold, target, class_of[p + 1]));
		}
	}
end:
	*levels = quotient.levels;
	quotient.levels = (struct kt_levels){0};
	kt_quotient_clear(&quotient);
	return code;
}
