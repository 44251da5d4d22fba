/* SPDX-License-Identifier: MIT */
#include "infer/changes/noise.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/order.h"
#include "base/try.h"
#include "infer/words/alphabet/letter-filter.h"

/* A word, and how often it has each letter. */
struct counted {
	const char *name; /* Weak: without the name of the trace */
	size_t process;   /* length of the name of its process in `name` */
	size_t number;
	uint64_t n;
	uint64_t *counts; /* Owned by this: for each letter, how often the word has it */
	uint64_t hash;    /* of its letters without noise */
};

/*
 * Words that are compared with one another. Each of `recordings` recordings contributes one
 * word, or the words of all threads of a process. Words with the same name are adjacent.
 */
struct group {
	const struct counted *words; /* Weak */
	size_t names;                /* number of different names */
	size_t recordings;
};

size_t kt_noise_process_length(const char *name)
{
	const char *dot = strrchr(name, '.');
	const bool thread =
		dot && dot[1] == 't' && dot[2] && !dot[2 + strspn(dot + 2, "0123456789")];

	return thread ? (size_t)(dot - name) : 0;
}

static int count(struct counted *out, const kt_words *words, size_t number)
{
	struct kt_word_info info;
	const char *slash;

	KT_TRY(kt_words_get(words, number, &info, &out->n));
	slash = strrchr(info.name, '/');
	out->name = slash ? slash + 1 : info.name;
	out->process = kt_noise_process_length(out->name);
	out->process = out->process ? out->process : strlen(out->name);
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

static bool is_same_process(const struct counted *a, const struct counted *b)
{
	return a->process == b->process && memcmp(a->name, b->name, a->process) == 0;
}

/* Orders by process, then by name, then by the order of the word set. */
static int compare_counted(const void *left, const void *right)
{
	const struct counted *a = left;
	const struct counted *b = right;
	const size_t shorter = a->process < b->process ? a->process : b->process;
	int order = memcmp(a->name, b->name, shorter);

	order = order ? order : (a->process > b->process) - (a->process < b->process);
	order = order ? order : strcmp(a->name, b->name);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* Hashes the letters of a word that are not noise, in order. */
static int hash_word(struct counted *word, const kt_words *words, const bool *noise)
{
	for (uint64_t i = 0; i < word->n; i++) {
		uint32_t letter;

		KT_TRY(kt_words_read(words, word->number, i, 1, &letter));
		if (!noise[letter]) {
			word->hash = (word->hash ^ (letter + UINT64_C(1))) *
				     UINT64_C(0x9e3779b97f4a7c15);
			word->hash ^= word->hash >> 32;
		}
	}
	return KT_OK;
}

/* --- groups --- */

/*
 * Takes the next group of the words from *at on, and moves *at past it. The threads of a
 * process are one group if each occurs in all recordings.
 */
static struct group next_group(size_t *at, const struct counted *words, size_t n)
{
	struct group group = {.words = &words[*at]};
	size_t names = 0;
	size_t i = *at;
	bool even = true;

	while (i < n && is_same_process(&words[*at], &words[i])) {
		size_t first = i;

		while (i < n && strcmp(words[first].name, words[i].name) == 0) {
			i++;
		}
		group.recordings = names++ == 0 ? i - first : group.recordings;
		even = even && i - first == group.recordings;
	}
	group.names = even ? names : 1;
	*at = even ? i : *at + group.recordings;
	return group;
}

static uint64_t hash_of(const struct counted *word, size_t letter)
{
	(void)letter;
	return word->hash;
}

static uint64_t count_of(const struct counted *word, size_t letter)
{
	return word->counts[letter];
}

typedef uint64_t value_fn(const struct counted *word, size_t letter);

/*
 * Returns whether all recordings have the same values, if the order of threads is ignored.
 * `values` has space for two values per name.
 */
static bool is_even(const struct group *group, value_fn *value_of, size_t letter,
		    uint64_t *values)
{
	uint64_t *row = values + group->names;
	bool even = true;

	for (size_t r = 0; r < group->recordings && even; r++) {
		for (size_t i = 0; i < group->names; i++) {
			row[i] = value_of(&group->words[i * group->recordings + r], letter);
		}
		qsort(row, group->names, sizeof(*row), kt_compare_u64);
		if (r == 0) {
			memcpy(values, row, group->names * sizeof(*row));
		}
		even = memcmp(values, row, group->names * sizeof(*row)) == 0;
	}
	return even;
}

int kt_noise_find(struct kt_noise *out, const kt_words *words)
{
	const size_t n = kt_words_count(words);
	const size_t n_letters = kt_words_letter_count(words);
	struct counted *counted = calloc(n + 1, sizeof(*counted));
	uint64_t *values = calloc(2 * n + 1, sizeof(*values)); /* of is_even() */
	int code = KT_OK;

	*out = (struct kt_noise){.equal = true};
	out->letters = calloc(n_letters + 1, sizeof(*out->letters));
	out->seen = calloc(n_letters + 1, sizeof(*out->seen));
	if (!counted || !values || !out->letters || !out->seen) {
		code = kt_no_memory("find noise");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(count(&counted[i], words, i));
	}
	qsort(counted, n, sizeof(*counted), compare_counted);
	for (size_t at = 0; at < n;) {
		const struct group group = next_group(&at, counted, n);

		out->recordings = group.recordings > out->recordings ? group.recordings
								     : out->recordings;
		for (size_t l = 0; l < n_letters; l++) {
			out->seen[l] =
				out->seen[l] || !is_even(&group, count_of, l, values);
		}
	}
	for (size_t l = 0; l < n_letters; l++) {
		out->letters[l] =
			out->seen[l] ||
			kt_letter_is_access(kt_words_letter_name(words, (uint32_t)l));
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(hash_word(&counted[i], words, out->letters));
	}
	for (size_t at = 0; at < n && out->equal;) {
		const struct group group = next_group(&at, counted, n);

		out->equal = is_even(&group, hash_of, 0, values);
	}
end:
	for (size_t i = 0; counted && i < n; i++) {
		free(counted[i].counts);
	}
	free(counted);
	free(values);
	return code;
}

void kt_noise_free(struct kt_noise *noise)
{
	free(noise->letters);
	free(noise->seen);
	*noise = (struct kt_noise){.recordings = 0};
}
