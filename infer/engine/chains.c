/* SPDX-License-Identifier: MIT */
#include "infer/engine/canonicalise.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/text.h"
#include "infer/engine/suffixes.h"
#include "infer/engine/word-set.h"

#define NO_CLASS UINT32_MAX

/*
 * The quotient of the chains by equality of k-tails, for the largest k of a range: the
 * class of each position of the text (see text.h), and the pairs of classes that merge as k
 * decreases. A transition leads from the class of a position to the class of the next
 * position.
 *
 * All positions of a class have the same letter, or all are separators. Words that begin at
 * the start may have different first letters, so several classes stand for the start: class
 * 0 for words without letters, then one class for each letter, by rank (struct kt_text).
 * Determinising merges these classes. They may have no positions; every other class has at
 * least one.
 */
struct quotient {
	uint32_t *class_of; /* Owned by this: indexed by position */
	uint32_t n_classes;
	struct kt_levels levels; /* the classes that merge for smaller k */
};

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool same_symbol(const struct kt_text *text, size_t p, size_t q)
{
	if (text->width == 1) {
		return text->bytes[p] == text->bytes[q];
	}
	return memcmp(text->bytes + p * text->width, text->bytes + q * text->width,
		      text->width) == 0;
}

/* --- the start --- */

struct start {
	size_t position; /* position of the first letter of the longest word that begins at
			  * the start */
	uint64_t level;  /* the largest k for which the start has the k-tail of that
			  * position; 0: none */
};

/*
 * Finds a chain state with the same k-tail as the start, and the largest k for which this
 * holds. Only one string of letters follows a chain state. The k-tails can therefore be
 * equal only if every word that begins at the start agrees with the longest such word on
 * its first k letters (or on all its letters, if it has fewer), and if none is truncated
 * before its k-th letter. The k-tail of the start is then the first k letters of the
 * longest word.
 */
static struct start find_start(const struct kt_text *text, uint64_t hi)
{
	const struct kt_word *words = text->words->words;
	size_t n_words = text->words->n_words;
	size_t longest = n_words;
	struct start start = {.level = hi};

	for (size_t i = 0; i < n_words; i++) {
		if (!words[i].cut_begin &&
		    (longest == n_words || words[i].n > words[longest].n)) {
			longest = i;
		}
	}
	if (longest == n_words) {
		return (struct start){0};
	}
	start.position = kt_text_begin(text, longest);
	for (size_t i = 0; i < n_words; i++) {
		uint64_t most = min(words[i].n, start.level);
		size_t p = kt_text_begin(text, i);
		uint64_t agree = 0;

		if (words[i].cut_begin) {
			continue;
		}
		while (agree < most &&
		       same_symbol(text, p + agree, start.position + agree)) {
			agree++;
		}
		if (agree < most || words[i].cut_end) {
			start.level = agree;
		}
	}
	return start;
}

/* --- classes for k <= 1: by the next symbol --- */

/*
 * Divides the positions for k <= 1, where the next symbol alone decides the class. A
 * position at the separator of a truncated word has an unknown tail and becomes a class of
 * its own.
 */
static int divide_by_symbol(struct quotient *quotient, const struct kt_text *text,
			    const struct start *start)
{
	size_t size = (KT_SYMBOL_LETTER + text->n_letters) * sizeof(uint32_t);
	uint32_t *class_of_symbol = malloc(size);
	uint32_t class;
	int code;

	if (!class_of_symbol) {
		return kt_no_memory("merge states of equal k-tails");
	}
	memset(class_of_symbol, 0xff, size);
	for (size_t i = 0; i < text->words->n_words; i++) {
		size_t p = kt_text_begin(text, i) + !text->words->words[i].cut_begin;

		for (; p < kt_text_begin(text, i + 1); p++) {
			uint32_t symbol = kt_text_symbol(text, p);

			if (symbol == KT_SYMBOL_CUT) {
				quotient->class_of[p] = quotient->n_classes++;
				continue;
			}
			if (class_of_symbol[symbol] == NO_CLASS) {
				class_of_symbol[symbol] = quotient->n_classes++;
			}
			quotient->class_of[p] = class_of_symbol[symbol];
		}
	}
	class = start->level ? class_of_symbol[kt_text_symbol(text, start->position)]
			     : NO_CLASS;
	if (class != NO_CLASS) {
		kt_levels_count(&quotient->levels, start->level);
	}
	code = kt_levels_allocate(&quotient->levels);
	if (!code && class != NO_CLASS) {
		kt_levels_put(&quotient->levels, start->level, 0, class);
	}
	free(class_of_symbol);
	return code;
}

/* --- classes for larger k: by the order of suffixes --- */

/*
 * A flag in the level of a word's first position. It is set if the word begins at the
 * start: then the position is not a state of its own. The level itself never needs this
 * bit, because it is less than the length of a text, which is less than 2^31.
 */
#define BEGINNING 0x80000000u

/*
 * Replaces previous[p], the position before p in the order of suffixes, by the largest k,
 * at most hi, for which both positions have the same k-tail. The k-tails are the same if
 * the next k letters are the same. They are also the same if fewer than k letters remain,
 * the remaining letters are the same, and both words have a known end.
 *
 * No symbol is compared twice: if p agrees on l symbols with the position before p in the
 * order, then p + 1 agrees on at least l - 1 symbols with the position before p + 1
 * (Kärkkäinen, Manzini and Puglisi, "Permuted longest-common-prefix array", CPM 2009).
 */
static void compare_all(uint32_t *previous, const struct kt_text *text, uint64_t hi)
{
	for (size_t i = 0; i < text->words->n_words; i++) {
		size_t begin = kt_text_begin(text, i);
		size_t end = kt_text_begin(text, i + 1) - 1;
		bool known = kt_text_symbol(text, end) == KT_SYMBOL_END;
		/*
		 * How many symbols the suffixes at p and at previous[p] share. Counting
		 * the bytes that they share would be wrong, since suffixes.c may sort by
		 * codes whose bytes differ from the bytes of the text.
		 */
		size_t agree = 0;

		for (size_t p = begin; p <= end; p++) {
			size_t left = end - p; /* letters */
			size_t enough = left >= hi ? (size_t)hi : left + 1;
			size_t q = previous[p];

			if (p + KT_AHEAD <= end &&
			    previous[p + KT_AHEAD] != KT_NO_POSITION) {
				__builtin_prefetch(text->bytes +
						   (size_t)previous[p + KT_AHEAD] *
							   text->width);
			}
			if (q == KT_NO_POSITION) {
				previous[p] = 0;
				agree = 0;
				continue;
			}
			/*
			 * The next `enough` symbols of p lie within p's word, including
			 * the separator. The comparison ends at the first symbol that
			 * differs, so it does not go beyond the separator of q's word
			 * either.
			 */
			while (agree < enough && same_symbol(text, p + agree, q + agree)) {
				agree++;
			}
			previous[p] = (uint32_t)(agree <= left ? agree : known ? hi : left);
			agree -= agree > 0;
		}
		if (!text->words->words[i].cut_begin) {
			previous[begin] |= BEGINNING;
		}
	}
}

/*
 * The neighbours, in the order of suffixes, of the position that the start is equivalent
 * to.
 */
struct neighbours {
	uint32_t before; /* the state before that position, or KT_NO_POSITION */
	uint32_t after;
	uint64_t to_before; /* the largest k for which `before` and the position have the
			     * same k-tail */
	uint64_t to_after;
};

/*
 * Removes from the order the positions at which words begin at the start, since these are
 * not states of their own. Counts in `levels` the pairs of positions that are then
 * neighbours. The level of a position becomes the lowest of its own level and the levels of
 * the positions removed just before it. Writes the neighbours of `start` to *near, and
 * returns the number of positions left.
 */
static size_t drop_beginnings(struct neighbours *near, uint32_t *order, uint32_t *level,
			      size_t n, size_t start, struct kt_levels *levels)
{
	uint32_t hi = (uint32_t)levels->hi;
	uint32_t carry = hi;
	size_t kept = 0;

	*near = (struct neighbours){KT_NO_POSITION, KT_NO_POSITION, 0, 0};
	for (size_t i = 0; i < n; i++) {
		uint32_t p = order[i];
		uint32_t l = level[p] & ~BEGINNING;

		__builtin_prefetch(&level[order[i + KT_AHEAD < n ? i + KT_AHEAD : i]]);
		carry = l < carry ? l : carry;
		if (near->after == KT_NO_POSITION) {
			near->to_after = min(near->to_after, l);
		}
		if (level[p] & BEGINNING) {
			if (p == start) {
				near->before = kept ? order[kept - 1] : KT_NO_POSITION;
				near->to_before = carry;
				near->to_after = hi;
			}
			continue;
		}
		if (near->to_after && near->after == KT_NO_POSITION) {
			near->after = p;
		}
		level[p] = carry;
		order[kept++] = p;
		if (carry < hi && kept > 1) {
			kt_levels_count(levels, carry);
		}
		carry = hi;
	}
	return kept;
}

/*
 * Joins positions with the same k-tail for k = hi, which are adjacent in the order, into a
 * group: level[] of each of them becomes the position of the group that comes first in the
 * text. Every two adjacent groups become a pair.
 */
static void join_runs(uint32_t *level, const uint32_t *order, size_t n,
		      struct kt_levels *levels)
{
	uint32_t last = NO_CLASS;
	size_t end;

	for (size_t begin = 0; begin < n; begin = end) {
		uint32_t first = order[begin];
		uint32_t boundary = level[first];

		for (end = begin + 1; end < n && level[order[end]] == levels->hi; end++) {
			__builtin_prefetch(
				&level[order[end + KT_AHEAD < n ? end + KT_AHEAD : end]]);
			first = order[end] < first ? order[end] : first;
		}
		for (size_t i = begin; i < end; i++) {
			level[order[i]] = first;
		}
		if (begin > 0) {
			kt_levels_put(levels, boundary, last, first);
		}
		last = first;
	}
}

/*
 * Returns the class of a position in a pair; KT_NO_POSITION stands for the start, class 0.
 */
static uint32_t class_at(const struct quotient *quotient, uint32_t position)
{
	return position == KT_NO_POSITION ? 0 : quotient->class_of[position];
}

static int divide_by_suffixes(struct quotient *quotient, const struct kt_text *text,
			      const struct start *start)
{
	struct kt_levels *levels = &quotient->levels;
	uint32_t *class_of = quotient->class_of;
	struct neighbours near;
	uint64_t to_before;
	uint64_t to_after;
	uint32_t *order = NULL;
	size_t n_pairs;
	size_t kept;
	int code;

	KT_TRY_END(kt_suffixes_sort(&order, text));
	kt_suffixes_link(class_of, order, text->n);
	compare_all(class_of, text, levels->hi);
	kept = drop_beginnings(&near, order, class_of, text->n,
			       start->level ? start->position : KT_NO_POSITION, levels);
	to_before = min(near.to_before, start->level);
	to_after = min(near.to_after, start->level);
	kt_levels_count(levels, to_before);
	kt_levels_count(levels, to_after);
	KT_TRY_END(kt_levels_allocate(levels));
	join_runs(class_of, order, kept, levels);
	kt_levels_put(levels, to_before, KT_NO_POSITION, near.before);
	kt_levels_put(levels, to_after, KT_NO_POSITION, near.after);

	/*
	 * Number classes in place, in order of the text rather than of the suffixes, so
	 * that classes used together are close in memory.
	 */
	for (size_t p = 0; p < text->n; p++) {
		if (!(class_of[p] & BEGINNING)) {
			class_of[p] = class_of[p] == p ? quotient->n_classes++
						       : class_of[class_of[p]];
		}
	}
	n_pairs = kt_levels_until(levels, levels->lo);
	for (size_t i = 0; i < n_pairs; i++) {
		levels->pairs[i].a = class_at(quotient, levels->pairs[i].a);
		levels->pairs[i].b = class_at(quotient, levels->pairs[i].b);
	}
end:
	free(order);
	return code;
}

/* --- the quotient --- */

static void clear_quotient(struct quotient *quotient)
{
	free(quotient->class_of);
	kt_levels_clear(&quotient->levels);
	*quotient = (struct quotient){0};
}

/*
 * Divides the positions for lo <= k <= hi. hi is at most one more than the letters of the
 * longest word: for larger k the classes no longer change. O(text) for any range, plus
 * sorting; takes at most 8 bytes per symbol in addition to the text, and 8 per class of
 * the largest k.
 */
static int divide(struct quotient *quotient, const struct kt_text *text, uint64_t lo,
		  uint64_t hi)
{
	struct start start = find_start(text, hi);
	int code;

	*quotient = (struct quotient){
		.class_of = malloc((text->n + 1) * sizeof(*quotient->class_of)),
		.n_classes = 1 + text->n_letters,
	};
	KT_TRY_END(quotient->class_of ? kt_levels_begin(&quotient->levels, lo, hi)
				      : kt_no_memory("merge states of equal k-tails"));
	KT_TRY_END(hi <= 1 ? divide_by_symbol(quotient, text, &start)
			   : divide_by_suffixes(quotient, text, &start));
	/*
	 * The classes of the start state get the first positions of the words that begin in
	 * it.
	 */
	for (size_t i = 0; i < text->words->n_words; i++) {
		size_t first = kt_text_begin(text, i);
		uint32_t symbol = kt_text_symbol(text, first);

		if (!text->words->words[i].cut_begin) {
			quotient->class_of[first] = symbol < KT_SYMBOL_LETTER
							    ? 0
							    : 1 + symbol - KT_SYMBOL_LETTER;
		}
	}
end:
	if (code) {
		clear_quotient(quotient);
	}
	return code;
}

int kt_chains_fold(struct kt_fold *fold, struct kt_levels *levels,
		   struct kt_word_span *spans, const struct kt_text *text, uint64_t lo,
		   uint64_t hi)
{
	struct quotient quotient;
	const uint32_t *class_of;
	int code;

	KT_TRY(divide(&quotient, text, lo, hi));
	class_of = quotient.class_of;
	for (size_t i = 0; i < text->words->n_words; i++) {
		spans[i].entry = class_of[kt_text_begin(text, i)];
		spans[i].exit = class_of[kt_text_begin(text, i + 1) - 1];
	}
	KT_TRY_END(kt_fold_begin(fold, quotient.n_classes));
	/* Give each class its letter, its first target and its number of positions. */
	for (size_t p = 0; p < text->n; p++) {
		uint32_t symbol = kt_text_symbol(text, p);

		if (symbol >= KT_SYMBOL_LETTER) {
			kt_fold_add(fold, class_of[p], symbol - KT_SYMBOL_LETTER,
				    class_of[p + 1], 1);
		}
	}
	kt_fold_settle(fold);
	/* Merge the classes of the start, one per letter, into one state. */
	for (uint32_t class = 1; class <= text->n_letters; class ++) {
		KT_TRY_END(kt_fold_merge(fold, 0, class));
	}
	/* Merge all targets of a class, since a class keeps only its first target. */
	for (size_t p = 0; p + 1 < text->n; p++) {
		uint32_t target = fold->target[class_of[p]];

		if (target != class_of[p + 1] &&
		    kt_text_symbol(text, p) >= KT_SYMBOL_LETTER) {
			KT_TRY_END(kt_fold_merge(fold, target, class_of[p + 1]));
		}
	}
end:
	*levels = quotient.levels;
	quotient.levels = (struct kt_levels){0};
	clear_quotient(&quotient);
	return code;
}
