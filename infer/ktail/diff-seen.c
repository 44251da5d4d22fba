/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-seen.h"

#include <stdlib.h>
#include <string.h>

#define WORK_MAX 500000000

/* The letters of a difference by the numbers of a word set; UINT32_MAX: it has none so. */
struct counting {
	struct kt_diff_seen *seen; /* Weak */
	enum kt_compare_side side;
	const kt_words *words; /* Weak */
	uint32_t *number;      /* Owned by this: of the set's letters, the difference's */
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
		const char *name = kt_words_letter_name(c->words, l);
		const char *other;

		c->number[l] = UINT32_MAX;
		for (uint32_t i = 0; (other = kt_compare_letter(compare, i)); i++) {
			if (strcmp(name, other) == 0) {
				c->number[l] = i;
			}
		}
	}
	return KT_OK;
}

/* last: the letters up to here, the newest at the end; n of them. */
static void count_here(struct counting *c, const uint32_t *last, uint64_t n)
{
	for (size_t i = 0; i < c->seen->n; i++) {
		const struct kt_diff_sequence *s = &c->seen->list[i];

		c->seen->times[i] += s->side == c->side && s->n <= n &&
				     memcmp(last + KT_DIFF_SEQUENCE_MAX - s->n, s->letters,
					    s->n * sizeof(*last)) == 0;
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
		.side = side ? KT_COMPARE_NEW : KT_COMPARE_OLD,
		.words = words,
	};
	int code = number_letters(&c, compare);

	for (size_t i = 0; !code && i < kt_words_count(words); i++) {
		code = count_word(&c, i);
	}
	free(c.number);
	return code;
}

int kt_diff_count_seen(struct kt_diff_seen *out, const struct kt_diff_sides *sides,
		       const kt_diff *diff)
{
	uint64_t letters = 0;
	int code = KT_OK;

	*out = (struct kt_diff_seen){0};
	out->list = kt_diff_sequences(&out->n, diff);
	if (!kt_diff_sides_have_words(sides) || out->n == 0) {
		return KT_OK;
	}
	for (int s = 0; s < 2; s++) {
		letters += kt_words_total(sides->side[s].input.words);
	}
	if (letters > WORK_MAX / out->n) {
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
