/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-seen.h"

#include <stdlib.h>
#include <string.h>

/* The sequences of one side, as its words have them. */
struct counting {
	struct kt_diff_seen *seen; /* Weak */
	const kt_words *words;     /* Weak */
	uint32_t *number;          /* Owned by this: of the set's letters, the difference's;
				      UINT32_MAX: it has none so */
	const struct kt_diff_sequence **sorted; /* Owned by this: see compare_sequences() */
	size_t n;                               /* of them */
};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "count sequences: out of memory");
}

static int number_letters(struct counting *c, const kt_compare *compare)
{
	size_t n = kt_words_letter_count(c->words);

	c->number = calloc(n + 1, sizeof(*c->number));
	if (!c->number) {
		return no_memory();
	}
	for (uint32_t l = 0; l < n; l++) {
		c->number[l] =
			kt_compare_find_letter(compare, kt_words_letter_name(c->words, l));
	}
	return KT_OK;
}

/* By length, then by letters. */
static int compare_sequences(const void *left, const void *right)
{
	const struct kt_diff_sequence *a = *(const struct kt_diff_sequence *const *)left;
	const struct kt_diff_sequence *b = *(const struct kt_diff_sequence *const *)right;

	if (a->n != b->n) {
		return a->n < b->n ? -1 : 1;
	}
	return memcmp(a->letters, b->letters, a->n * sizeof(*a->letters));
}

static int sort_sequences(struct counting *c, enum kt_compare_side side)
{
	c->sorted = calloc(c->seen->n + 1, sizeof(*c->sorted));
	if (!c->sorted) {
		return no_memory();
	}
	for (size_t i = 0; i < c->seen->n; i++) {
		if (c->seen->list[i].side == side) {
			c->sorted[c->n++] = &c->seen->list[i];
		}
	}
	qsort(c->sorted, c->n, sizeof(*c->sorted), compare_sequences);
	return KT_OK;
}

/* last: the letters up to here, the newest at the end; n of them. */
static void count_here(struct counting *c, const uint32_t *last, uint64_t n)
{
	struct kt_diff_sequence key = {.n = 1};
	const struct kt_diff_sequence *at = &key;

	for (; c->n > 0 && key.n <= KT_DIFF_SEQUENCE_MAX && key.n <= n; key.n++) {
		const struct kt_diff_sequence **found;

		memcpy(key.letters, last + KT_DIFF_SEQUENCE_MAX - key.n,
		       key.n * sizeof(*last));
		found = bsearch(&at, c->sorted, c->n, sizeof(*c->sorted),
				compare_sequences);
		if (found) {
			c->seen->times[*found - c->seen->list]++;
		}
	}
}

static int count_word(struct counting *c, size_t word)
{
	uint32_t last[KT_DIFF_SEQUENCE_MAX] = {0};
	struct kt_word_info info;
	uint32_t letter;
	uint64_t n = 0;
	int code = kt_words_get(c->words, word, &info, &n);

	for (uint64_t i = 0; !code && i < n; i++) {
		code = kt_words_read(c->words, word, i, 1, &letter);
		if (!code) {
			memmove(last, last + 1, sizeof(last) - sizeof(*last));
			last[KT_DIFF_SEQUENCE_MAX - 1] = c->number[letter];
			count_here(c, last, i + 1);
		}
	}
	return code;
}

static int count_side(struct kt_diff_seen *seen, int side, const kt_words *words,
		      const kt_compare *compare)
{
	struct counting c = {
		.seen = seen,
		.words = words,
	};
	int code = number_letters(&c, compare);

	code = code ? code : sort_sequences(&c, side ? KT_COMPARE_NEW : KT_COMPARE_OLD);
	for (size_t i = 0; !code && i < kt_words_count(words); i++) {
		code = count_word(&c, i);
	}
	free(c.number);
	free(c.sorted);
	return code;
}

int kt_diff_count_seen(struct kt_diff_seen *out, const struct kt_diff_sides *sides,
		       const kt_diff *diff)
{
	int code = KT_OK;

	*out = (struct kt_diff_seen){0};
	out->list = kt_diff_sequences(&out->n, diff);
	if (!kt_diff_sides_have_words(sides) || out->n == 0) {
		return KT_OK;
	}
	out->times = calloc(out->n, sizeof(*out->times));
	code = out->times ? KT_OK : no_memory();
	for (int s = 0; !code && s < 2; s++) {
		code = count_side(out, s, sides->side[s].input.words,
				  kt_diff_compare(diff));
	}
	if (code) {
		free(out->times);
		out->times = NULL;
	}
	return code;
}
