/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

/* Counts the sequences of one version in its words. */
struct counting {
	struct kt_diff_seen *seen; /* Weak */
	const kt_words *words;     /* Weak */
	/*
	 * Owned by this: for each letter of the words, its number in the comparison, or
	 * UINT32_MAX
	 */
	uint32_t *number;
	/* Owned by this: this version's sequences, in the order of compare_sequences() */
	const struct kt_diff_sequence **sorted;
	size_t n; /* number of elements of `sorted` */
};

/* Orders by length, then by letters. */
static int compare_sequences(const void *left, const void *right)
{
	const struct kt_diff_sequence *a = *(const struct kt_diff_sequence *const *)left;
	const struct kt_diff_sequence *b = *(const struct kt_diff_sequence *const *)right;

	if (a->n != b->n) {
		return a->n < b->n ? -1 : 1;
	}
	return memcmp(a->letters, b->letters, a->n * sizeof(*a->letters));
}

static int count_word(struct counting *c, size_t word)
{
	uint32_t last[KT_DIFF_SEQUENCE_MAX] = {0}; /* the newest letter is last */
	struct kt_word_info info;
	uint32_t letter;
	uint64_t n = 0;

	KT_TRY(kt_words_get(c->words, word, &info, &n));
	for (uint64_t i = 0; i < n; i++) {
		struct kt_diff_sequence key = {.n = 1};
		const struct kt_diff_sequence *at = &key;

		KT_TRY(kt_words_read(c->words, word, i, 1, &letter));
		memmove(last, last + 1, sizeof(last) - sizeof(*last));
		last[KT_DIFF_SEQUENCE_MAX - 1] = c->number[letter];
		for (; c->n > 0 && key.n <= KT_DIFF_SEQUENCE_MAX && key.n <= i + 1;
		     key.n++) {
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
	return KT_OK;
}

static int count_version(struct kt_diff_seen *seen, enum kt_compare_version version,
			 const kt_words *words, const kt_compare *compare)
{
	struct counting c = {
		.seen = seen,
		.words = words,
	};
	size_t n_letters = kt_words_letter_count(words);
	int code = KT_OK;

	c.number = calloc(n_letters + 1, sizeof(*c.number));
	c.sorted = calloc(seen->n + 1, sizeof(*c.sorted));
	if (!c.number || !c.sorted) {
		code = kt_no_memory("count sequences");
		goto end;
	}
	for (uint32_t l = 0; l < n_letters; l++) {
		c.number[l] =
			kt_compare_find_letter(compare, kt_words_letter_name(words, l));
	}
	for (size_t i = 0; i < seen->n; i++) {
		if (seen->list[i].version == version) {
			c.sorted[c.n++] = &seen->list[i];
		}
	}
	qsort(c.sorted, c.n, sizeof(*c.sorted), compare_sequences);
	for (size_t i = 0; i < kt_words_count(words); i++) {
		KT_TRY_END(count_word(&c, i));
	}
end:
	free(c.number);
	free(c.sorted);
	return code;
}

int kt_diff_count_seen(struct kt_diff_seen *out, const struct kt_diff_versions *versions,
		       const kt_diff *diff)
{
	const kt_compare *compare = kt_diff_compare(diff);
	int code;

	*out = (struct kt_diff_seen){0};
	out->list = kt_diff_sequences(&out->n, diff);
	if (!kt_diff_versions_have_words(versions) || out->n == 0) {
		return KT_OK;
	}
	out->times = calloc(out->n, sizeof(*out->times));
	if (!out->times) {
		return kt_no_memory("count sequences");
	}
	KT_TRY_END(count_version(out, KT_COMPARE_OLD, versions->version[0].input.words,
				 compare));
	KT_TRY_END(count_version(out, KT_COMPARE_NEW, versions->version[1].input.words,
				 compare));
	return KT_OK;
end:
	free(out->times);
	out->times = NULL;
	return code;
}
