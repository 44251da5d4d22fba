/* SPDX-License-Identifier: MIT */
#include "infer/changes/noise.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

/* A word, and how often it has each letter. */
struct counted {
	const char *name; /* Weak: without the name of the trace */
	size_t number;
	uint64_t n;
	uint64_t *counts; /* Owned by this: by letter: how often the word has it */
};

bool kt_noise_is_access(const char *letter)
{
	return (letter[0] == 'R' || letter[0] == 'W') && letter[1] == ':' &&
	       strcmp(letter, "W:reg") != 0;
}

static int count(struct counted *out, const kt_words *words, size_t number)
{
	struct kt_word_info info;
	const char *slash;

	KT_TRY(kt_words_get(words, number, &info, &out->n));
	slash = strrchr(info.name, '/');
	out->name = slash ? slash + 1 : info.name;
	out->number = number;
	out->counts = calloc(kt_words_letter_count(words) + 1, sizeof(*out->counts));
	if (!out->counts) {
		return kt_no_memory("find noise");
	}
	for (uint64_t i = 0; i < out->n; i++) {
		uint32_t letter;

		KT_TRY(kt_words_read(words, number, i, 1, &letter));
		out->counts[letter]++;
	}
	return KT_OK;
}

static int compare_counted(const void *left, const void *right)
{
	const struct counted *a = left;
	const struct counted *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/*
 * Reads the next letter from *at on that is not noise, and moves *at past it; *more is
 * false if the word has no further letter of this kind.
 */
static int next_letter(bool *more, uint32_t *letter, uint64_t *at,
		       const struct counted *word, const kt_words *words, const bool *noise)
{
	for (*more = false; *at < word->n && !*more; ++*at) {
		KT_TRY(kt_words_read(words, word->number, *at, 1, letter));
		*more = !noise[*letter];
	}
	return KT_OK;
}

static int compare_without(bool *equal, const struct counted *a, const struct counted *b,
			   const kt_words *words, const bool *noise)
{
	uint64_t at[2] = {0, 0};
	bool more[2] = {true, true};

	*equal = true;
	while (*equal && more[0] && more[1]) {
		uint32_t letter[2] = {0, 0};

		KT_TRY(next_letter(&more[0], &letter[0], &at[0], a, words, noise));
		KT_TRY(next_letter(&more[1], &letter[1], &at[1], b, words, noise));
		*equal = more[0] == more[1] && (!more[0] || letter[0] == letter[1]);
	}
	return KT_OK;
}

int kt_noise_find(struct kt_noise *out, const kt_words *words)
{
	const size_t n = kt_words_count(words);
	const size_t n_letters = kt_words_letter_count(words);
	struct counted *counted = calloc(n + 1, sizeof(*counted));
	size_t first = 0; /* index of the first word with the current name */
	int code = KT_OK;

	*out = (struct kt_noise){.equal = true};
	out->letters = calloc(n_letters + 1, sizeof(*out->letters));
	out->seen = calloc(n_letters + 1, sizeof(*out->seen));
	if (!counted || !out->letters || !out->seen) {
		code = kt_no_memory("find noise");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(count(&counted[i], words, i));
	}
	qsort(counted, n, sizeof(*counted), compare_counted);
	for (size_t l = 0; l < n_letters; l++) {
		out->letters[l] =
			kt_noise_is_access(kt_words_letter_name(words, (uint32_t)l));
	}
	for (size_t i = 0; i < n; i++) {
		first = strcmp(counted[i].name, counted[first].name) == 0 ? first : i;
		out->recordings =
			i - first + 1 > out->recordings ? i - first + 1 : out->recordings;
		for (size_t l = 0; l < n_letters; l++) {
			out->seen[l] = out->seen[l] ||
				       counted[i].counts[l] != counted[first].counts[l];
		}
	}
	for (size_t l = 0; l < n_letters; l++) {
		out->letters[l] = out->letters[l] || out->seen[l];
	}
	first = 0;
	for (size_t i = 0; i < n && out->equal; i++) {
		first = strcmp(counted[i].name, counted[first].name) == 0 ? first : i;
		KT_TRY_END(compare_without(&out->equal, &counted[first], &counted[i], words,
					   out->letters));
	}
end:
	for (size_t i = 0; counted && i < n; i++) {
		free(counted[i].counts);
	}
	free(counted);
	return code;
}

void kt_noise_free(struct kt_noise *noise)
{
	free(noise->letters);
	free(noise->seen);
	*noise = (struct kt_noise){.recordings = 0};
}
