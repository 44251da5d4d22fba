/* SPDX-License-Identifier: MIT */
#include "random-sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define LONGEST   200
#define KINDS_MAX 1000
#define MANY      30 /* maximum number of words in a set of short words */
#define SHORT     12 /* maximum number of letters of a short word */

static void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "make test words: %s\n", kt_error_message());
		abort();
	}
}

uint32_t random_below(struct random *random, uint32_t n)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return (uint32_t)((random->state * 0x2545f4914f6cdd1du >> 32) * n >> 32);
}

/*
 * Returns the letter of a number. The byte order of the names differs from the order of the
 * numbers, and the name "a" is a prefix of most others.
 */
static uint32_t letter(kt_words *words, uint32_t number)
{
	static const char *const few[] = {"b", "a", "\xc3\xa9", "ab"};
	char name[16];
	uint32_t out = 0;

	snprintf(name, sizeof(name), "a%03x", number * 37 % 1009);
	must(kt_words_letter(&out, words, number < 4 ? few[number] : name,
			     strlen(number < 4 ? few[number] : name)));
	return out;
}

struct shape {
	uint32_t kinds;
	uint32_t longest;
	bool cuts;
};

/* Draws a motif of one to eight letters, and repeats it with random errors. */
static size_t repeat(uint32_t *letters, size_t n, struct random *random, kt_words *words,
		     uint32_t kinds)
{
	uint32_t motif[8];
	uint32_t length = 1 + random_below(random, 8);

	for (uint32_t i = 0; i < length; i++) {
		motif[i] = letter(words, random_below(random, kinds));
	}
	for (size_t i = 0; i < n; i++) {
		bool slip = random_below(random, 25) == 0;

		letters[i] = slip ? letter(words, random_below(random, kinds))
				  : motif[i % length];
	}
	return n;
}

static void shuffle(size_t *items, size_t n, struct random *random)
{
	for (size_t i = 0; i < n; i++) {
		items[i] = i;
	}
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(random, (uint32_t)i);
		size_t item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

/* Draws a word that has every letter once. */
static size_t draw_all(uint32_t *letters, struct random *random, kt_words *words)
{
	size_t order[KINDS_MAX];

	shuffle(order, KINDS_MAX, random);
	for (size_t i = 0; i < KINDS_MAX; i++) {
		letters[i] = letter(words, (uint32_t)order[i]);
	}
	return KINDS_MAX;
}

/* Draws the letters of a word; letters[0..before) are those of the previous word. */
static size_t draw_letters(uint32_t *letters, size_t before, struct random *random,
			   kt_words *words, const struct shape *shape)
{
	size_t n = random_below(random, shape->longest + 1);
	uint32_t kind = random_below(random, 8);

	if (shape->kinds == KINDS_MAX && shape->longest == LONGEST) {
		if (!kt_words_total(words)) {
			return draw_all(letters, random, words);
		}
		n = LONGEST - n / 2;
		kind = kind < 3 ? kind : 7;
	}
	if (kind == 0) {
		return 0;
	}
	if (kind == 1 && before) {
		return before;
	}
	if (kind == 2 && before) {
		return random_below(random, (uint32_t)before + 1);
	}
	if (kind <= 5) {
		return repeat(letters, n, random, words, shape->kinds);
	}
	for (size_t i = 0; i < n; i++) {
		letters[i] = letter(words, random_below(random, shape->kinds));
	}
	return n;
}

static void add_word(kt_words *words, struct random *random, const struct shape *shape)
{
	static const char *const names[] = {"app.0", "app.1", "app.0.1", "unknown"};
	struct kt_word_info info = {.name = names[random_below(random, 4)]};

	if (shape->cuts) {
		info.cut_begin = random_below(random, 2);
		info.cut_end = random_below(random, 2);
		info.lost = random_below(random, 3);
	}
	must(kt_words_begin(words, &info));
}

kt_words *random_set(uint64_t seed, uint32_t longest)
{
	struct random random = {.state = seed * 0x9e3779b97f4a7c15u | 1};
	struct shape shape = {.longest = longest};
	uint32_t n_words = 1 + random_below(&random, 5);
	uint32_t letters[KINDS_MAX];
	kt_words *words = NULL;
	size_t n = 0;

	must(longest > LONGEST ? KT_E_USAGE : kt_words_new(&words));
	shape.kinds = 1 + random_below(&random, 4);
	if (random_below(&random, 6) == 0) {
		shape.kinds = random_below(&random, 2)
				      ? KINDS_MAX
				      : 5 + random_below(&random, KINDS_MAX - 5);
	}
	shape.cuts = random_below(&random, 2);
	if (shape.kinds == KINDS_MAX) {
		n_words = 5;
	} else if (random_below(&random, 6) == 0) {
		n_words = 6 + random_below(&random, MANY - 5);
		shape.longest = longest < SHORT ? longest : SHORT;
	}
	for (uint32_t i = 0; i < n_words; i++) {
		add_word(words, &random, &shape);
		n = draw_letters(letters, n, &random, words, &shape);
		must(kt_words_append(words, letters, n));
	}
	return words;
}

void copy_word(kt_words *to, const kt_words *from, size_t i)
{
	struct kt_word_info info;
	uint64_t n;
	uint32_t old;
	uint32_t new;

	must(kt_words_get(from, i, &info, &n));
	must(kt_words_begin(to, &info));
	for (uint64_t j = 0; j < n; j++) {
		const char *name;

		must(kt_words_read(from, i, j, 1, &old));
		name = kt_words_letter_name(from, old);
		must(kt_words_letter(&new, to, name, strlen(name)));
		must(kt_words_append(to, &new, 1));
	}
}

kt_words *reordered_set(const kt_words *words, uint64_t seed)
{
	struct random random = {.state = seed | 1};
	size_t n_letters = kt_words_letter_count(words);
	size_t n_words = kt_words_count(words);
	size_t *order = calloc(n_letters + n_words + 1, sizeof(*order));
	kt_words *copy = NULL;
	uint32_t number;

	must(order ? kt_words_new(&copy) : KT_E_MEMORY);
	must(kt_words_letter(&number, copy, "occurs nowhere", 14));
	shuffle(order, n_letters, &random);
	for (size_t i = 0; i < n_letters; i++) {
		const char *name = kt_words_letter_name(words, (uint32_t)order[i]);

		must(kt_words_letter(&number, copy, name, strlen(name)));
	}
	shuffle(order, n_words, &random);
	for (size_t i = 0; i < n_words; i++) {
		copy_word(copy, words, order[i]);
	}
	free(order);
	return copy;
}

kt_words *set_of_strings(const char *const *strings, size_t n)
{
	kt_words *words = NULL;

	must(kt_words_new(&words));
	for (size_t i = 0; i < n; i++) {
		const char *s = strings[i];
		size_t length = strlen(s);
		struct kt_word_info info = KT_WORD_INFO_INIT;

		info.cut_begin = length && s[0] == '<';
		info.cut_end = length && s[length - 1] == '>';
		must(kt_words_begin(words, &info));
		for (const char *c = s + info.cut_begin; c < s + length - info.cut_end;
		     c++) {
			uint32_t number;

			must(kt_words_letter(&number, words, c, 1));
			must(kt_words_append(words, &number, 1));
		}
	}
	return words;
}
