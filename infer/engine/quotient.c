/* SPDX-License-Identifier: MIT */
#include "infer/engine/quotient.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/engine/suffixes.h"
#include "infer/engine/word-set.h"

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "merge states of equal k-tails: out of memory");
}

/*
 * With k <= 1 the next symbol says it all. What stands before a cut end has an unknown tail
 * and is equal to nothing, itself apart.
 */
static void divide_by_symbol(struct kt_quotient *quotient, const struct kt_text *text)
{
	uint32_t end = quotient->n_classes++;
	uint32_t first_letter = quotient->n_classes;

	quotient->n_classes += text->n_letters;
	for (size_t p = 0; p < text->n; p++) {
		uint32_t symbol = kt_text_symbol(text, p);

		if (symbol == KT_SYMBOL_END) {
			quotient->class_of[p] = end;
		} else if (symbol == KT_SYMBOL_CUT) {
			quotient->class_of[p] = quotient->n_classes++;
		} else {
			quotient->class_of[p] = first_letter + symbol - KT_SYMBOL_LETTER;
		}
	}
}

static void set_bit(unsigned char *bits, size_t i)
{
	bits[i >> 3] |= (unsigned char)(1u << (i & 7));
}

static bool get_bit(const unsigned char *bits, size_t i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}

static bool same_symbol(const struct kt_text *text, size_t p, size_t q)
{
	if (text->width == 1) {
		return text->bytes[p] == text->bytes[q];
	}
	return memcmp(text->bytes + p * text->width, text->bytes + q * text->width,
		      text->width) == 0;
}

/*
 * Sets equal[p] where p has the k-tail of previous[p]: the next k letters are the same, or
 * all that remain and the known end behind them. Nothing is compared twice: when p agrees
 * with its neighbour on l symbols, p + 1 agrees with its own on l - 1 at least (Kärkkäinen,
 * Manzini and Puglisi, "Permuted longest-common-prefix array", CPM 2009).
 */
static void compare_word(unsigned char *equal, const uint32_t *previous,
			 const struct kt_text *text, size_t begin, size_t end, uint64_t k)
{
	bool known = kt_text_symbol(text, end) == KT_SYMBOL_END;
	size_t agree =
		0; /* symbols; bytes would not do, suffixes need not be in their order */

	for (size_t p = begin; p <= end; p++) {
		bool whole = end - p >= k;
		size_t enough = whole ? (size_t)k : end - p + 1;
		size_t q = previous[p];

		if (q == KT_NO_POSITION) {
			agree = 0;
			continue;
		}
		/* Up to `enough` lies in p's word, hence, being equal, in the other's. */
		while (agree < enough && same_symbol(text, p + agree, q + agree)) {
			agree++;
		}
		if (agree == enough && (whole || known)) {
			set_bit(equal, p);
		}
		agree -= agree > 0;
	}
}

/* Positions of equal k-tails stand side by side in the order; each learns their first. */
static void find_first(uint32_t *first_of, const uint32_t *order,
		       const unsigned char *equal, size_t n)
{
	size_t end;

	for (size_t begin = 0; begin < n; begin = end) {
		uint32_t first = order[begin];

		for (end = begin + 1; end < n && get_bit(equal, order[end]); end++) {
			first = order[end] < first ? order[end] : first;
		}
		for (size_t i = begin; i < end; i++) {
			first_of[order[i]] = first;
		}
	}
}

/*
 * Turns first positions into classes, in place. Classes in order of the text, not of the
 * suffixes, keep what comes later near in memory.
 */
static void number_classes(struct kt_quotient *quotient, size_t n)
{
	uint32_t *class_of = quotient->class_of;

	for (size_t p = 0; p < n; p++) {
		class_of[p] =
			class_of[p] == p ? quotient->n_classes++ : class_of[class_of[p]];
	}
}

static int divide_by_suffixes(struct kt_quotient *quotient, const struct kt_text *text,
			      uint64_t k)
{
	unsigned char *equal = calloc(text->n / 8 + 1, 1);
	uint32_t *order = NULL;
	int code = equal ? kt_suffixes_sort(&order, text) : out_of_memory();

	if (code) {
		goto end;
	}
	kt_suffixes_link(quotient->class_of, order, text->n);
	for (size_t i = 0; i < text->words->n_words; i++) {
		compare_word(equal, quotient->class_of, text, kt_text_begin(text, i),
			     kt_text_begin(text, i + 1) - 1, k);
	}
	find_first(quotient->class_of, order, equal, text->n);
	number_classes(quotient, text->n);
end:
	free(order);
	free(equal);
	return code;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The first position of a word that has the start's k-tail, if one has: all words that
 * begin at the start must begin with a prefix of it, and none may be cut before its k-th
 * letter.
 */
static size_t find_start(const struct kt_text *text, uint64_t k)
{
	const struct kt_word *words = text->words->words;
	size_t n_words = text->words->n_words;
	size_t longest = n_words;

	for (size_t i = 0; i < n_words; i++) {
		if (words[i].cut_begin) {
			continue;
		}
		if (words[i].cut_end && words[i].n < k) {
			return KT_NO_POSITION;
		}
		if (longest == n_words || min(words[i].n, k) > min(words[longest].n, k)) {
			longest = i;
		}
	}
	if (longest == n_words) {
		return KT_NO_POSITION;
	}
	for (size_t i = 0; i < n_words; i++) {
		size_t compared = (size_t)min(words[i].n, k) * text->width;
		const unsigned char *letters =
			text->bytes + kt_text_begin(text, i) * text->width;

		if (!words[i].cut_begin &&
		    memcmp(letters,
			   text->bytes + kt_text_begin(text, longest) * text->width,
			   compared) != 0) {
			return KT_NO_POSITION;
		}
	}
	return kt_text_begin(text, longest);
}

/* Takes the first positions of the words that begin at the start out of the chains. */
static void place_start(struct kt_quotient *quotient, const struct kt_text *text,
			uint64_t k)
{
	size_t equal = find_start(text, k);

	quotient->start_also =
		equal == KT_NO_POSITION ? KT_NO_CLASS : quotient->class_of[equal];
	for (size_t i = 0; i < text->words->n_words; i++) {
		size_t first = kt_text_begin(text, i);
		uint32_t symbol = kt_text_symbol(text, first);

		if (!text->words->words[i].cut_begin) {
			quotient->class_of[first] = symbol < KT_SYMBOL_LETTER
							    ? 0
							    : 1 + symbol - KT_SYMBOL_LETTER;
		}
	}
}

int kt_quotient_divide(struct kt_quotient *quotient, const struct kt_text *text, uint64_t k)
{
	int code = KT_OK;

	*quotient = (struct kt_quotient){
		.class_of = malloc((text->n + 1) * sizeof(*quotient->class_of)),
		.n_classes = 1 + text->n_letters,
		.all_equal = k == 0,
	};
	if (!quotient->class_of) {
		return out_of_memory();
	}
	if (k <= 1) {
		divide_by_symbol(quotient, text);
	} else {
		code = divide_by_suffixes(quotient, text, k);
	}
	if (code) {
		kt_quotient_clear(quotient);
		return code;
	}
	place_start(quotient, text, k);
	return KT_OK;
}

void kt_quotient_clear(struct kt_quotient *quotient)
{
	free(quotient->class_of);
	*quotient = (struct kt_quotient){0};
}
