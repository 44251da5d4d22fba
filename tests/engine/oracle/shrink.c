/* SPDX-License-Identifier: MIT */
#include "shrink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

struct word {
	struct kt_word_info info;
	uint32_t *letters;
	size_t n;
};

struct shrinking {
	const kt_words *set; /* Weak: the original set, which has the names */
	fails_fn fails;
	void *context;
	struct word *words;
	size_t n;
};

static void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "shrink test words: %s\n", kt_error_message());
		abort();
	}
}

/* --- to and from a set --- */

static void read_set(struct shrinking *s)
{
	s->n = kt_words_count(s->set);
	s->words = calloc(s->n + 1, sizeof(*s->words));
	must(s->words ? KT_OK : KT_E_MEMORY);
	for (size_t i = 0; i < s->n; i++) {
		struct word *word = &s->words[i];
		uint64_t n;

		must(kt_words_get(s->set, i, &word->info, &n));
		word->n = (size_t)n;
		word->letters = calloc(word->n + 1, sizeof(*word->letters));
		must(word->letters ? KT_OK : KT_E_MEMORY);
		must(kt_words_read(s->set, i, 0, word->n, word->letters));
	}
}

static void append(kt_words *words, const struct shrinking *s, uint32_t letter)
{
	const char *name = kt_words_letter_name(s->set, letter);
	uint32_t number;

	must(kt_words_letter(&number, words, name, strlen(name)));
	must(kt_words_append(words, &number, 1));
}

static kt_words *make_set(const struct shrinking *s)
{
	kt_words *words;

	must(kt_words_new(&words));
	for (size_t i = 0; i < s->n; i++) {
		must(kt_words_begin(words, &s->words[i].info));
		for (size_t j = 0; j < s->words[i].n; j++) {
			append(words, s, s->words[i].letters[j]);
		}
	}
	return words;
}

static bool still_fails(const struct shrinking *s)
{
	kt_words *words = make_set(s);
	bool fails = s->n > 0 && s->fails(words, s->context);

	kt_words_free(words);
	return fails;
}

/* --- reductions: each is undone if the set does not fail any more --- */

static bool drop_words(struct shrinking *s)
{
	bool progress = false;

	for (size_t i = s->n; i-- > 0;) {
		struct word dropped = s->words[i];
		size_t n_after = s->n - i - 1;

		memmove(&s->words[i], &s->words[i + 1], n_after * sizeof(dropped));
		s->n--;
		if (still_fails(s)) {
			free(dropped.letters);
			progress = true;
			continue;
		}
		memmove(&s->words[i + 1], &s->words[i], n_after * sizeof(dropped));
		s->words[i] = dropped;
		s->n++;
	}
	return progress;
}

/* Removes letters [from, from + n) from a word if the set still fails. */
static bool drop_span(struct shrinking *s, struct word *word, size_t from, size_t n)
{
	uint32_t *old = word->letters;
	size_t old_n = word->n;

	word->letters = calloc(old_n + 1, sizeof(*old));
	must(word->letters ? KT_OK : KT_E_MEMORY);
	memcpy(word->letters, old, from * sizeof(*old));
	memcpy(word->letters + from, old + from + n, (old_n - from - n) * sizeof(*old));
	word->n = old_n - n;
	if (still_fails(s)) {
		free(old);
		return true;
	}
	free(word->letters);
	word->letters = old;
	word->n = old_n;
	return false;
}

/* Tries to remove long spans of letters first, then shorter ones. */
static bool drop_letters(struct shrinking *s)
{
	bool progress = false;

	for (size_t i = 0; i < s->n; i++) {
		struct word *word = &s->words[i];

		for (size_t span = word->n; span > 0; span /= 2) {
			for (size_t from = word->n; from >= span; from -= span) {
				progress |= drop_span(s, word, from - span, span);
			}
		}
	}
	return progress;
}

static bool undo_cuts(struct shrinking *s)
{
	bool progress = false;

	for (size_t i = 0; i < s->n; i++) {
		struct kt_word_info *info = &s->words[i].info;

		for (unsigned what = 0; what < 3; what++) {
			struct kt_word_info old = *info;

			info->lost = what == 0 ? 0 : old.lost;
			info->cut_begin = what == 1 ? false : old.cut_begin;
			info->cut_end = what == 2 ? false : old.cut_end;
			if (info->lost == old.lost && info->cut_begin == old.cut_begin &&
			    info->cut_end == old.cut_end) {
				continue;
			}
			if (still_fails(s)) {
				progress = true;
			} else {
				*info = old;
			}
		}
	}
	return progress;
}

/* Replaces each `old` by `new`; returns whether there was an `old`. */
static bool replace(struct shrinking *s, uint32_t old, uint32_t new)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		for (size_t j = 0; j < s->words[i].n; j++) {
			if (s->words[i].letters[j] == old) {
				s->words[i].letters[j] = new;
				any = true;
			}
		}
	}
	return any;
}

static void copy_words(struct shrinking *to, const struct shrinking *from)
{
	*to = *from;
	to->words = calloc(from->n + 1, sizeof(*to->words));
	must(to->words ? KT_OK : KT_E_MEMORY);
	for (size_t i = 0; i < from->n; i++) {
		size_t size = (from->words[i].n + 1) * sizeof(uint32_t);

		to->words[i] = from->words[i];
		to->words[i].letters = malloc(size);
		must(to->words[i].letters ? KT_OK : KT_E_MEMORY);
		memcpy(to->words[i].letters, from->words[i].letters, size);
	}
}

static void free_words(struct shrinking *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->words[i].letters);
	}
	free(s->words);
}

/* Replaces one letter by another if the set still fails. */
static bool try_kind(struct shrinking *s, uint32_t old, uint32_t new)
{
	struct shrinking changed;
	bool progress;

	copy_words(&changed, s);
	progress = replace(&changed, old, new) && still_fails(&changed);
	if (progress) {
		replace(s, old, new);
	}
	free_words(&changed);
	return progress;
}

static bool occurs(const struct shrinking *s, uint32_t letter)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t j = 0; j < s->words[i].n; j++) {
			if (s->words[i].letters[j] == letter) {
				return true;
			}
		}
	}
	return false;
}

static bool merge_kinds(struct shrinking *s)
{
	uint32_t kinds = (uint32_t)kt_words_letter_count(s->set);
	bool progress = false;

	for (uint32_t old = kinds; old-- > 0;) {
		for (uint32_t new = 0; new < old &&occurs(s, old); new ++) {
			progress |= occurs(s, new) && try_kind(s, old, new);
		}
	}
	return progress;
}

kt_words *shrink_set(const kt_words *words, fails_fn fails, void *context)
{
	struct shrinking s = {.set = words, .fails = fails, .context = context};
	kt_words *small;
	bool progress = true;

	read_set(&s);
	while (progress) {
		progress = drop_words(&s);
		progress |= drop_letters(&s);
		progress |= undo_cuts(&s);
		progress |= merge_kinds(&s);
	}
	small = make_set(&s);
	free_words(&s);
	return small;
}

void print_set(FILE *out, const kt_words *words)
{
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		must(kt_words_get(words, i, &info, &n));
		fprintf(out, "  %s, %" PRIu64 " lost:%s", info.name, info.lost,
			info.cut_begin ? " <" : "");
		for (uint64_t j = 0; j < n; j++) {
			uint32_t letter;

			must(kt_words_read(words, i, j, 1, &letter));
			fprintf(out, " %s", kt_words_letter_name(words, letter));
		}
		fprintf(out, "%s\n", info.cut_end ? " >" : "");
	}
}
