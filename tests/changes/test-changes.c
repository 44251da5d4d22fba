/* SPDX-License-Identifier: MIT */
/*
 * Tests changes between repeated recordings: the alignment against a slow oracle, the exact
 * test against known values, and which differences are found among noise.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "infer/changes/align.h"
#include "infer/changes/changes.h"
#include "infer/changes/exact-test.h"
#include "infer/changes/noise.h"
#include "infer/words/alphabet/letter-filter.h"
#include "tests/suite.h"

static uint64_t seed;

/* xorshift64, which gives the same numbers everywhere */
static uint32_t draw(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % below;
}

/* --- alignment --- */

/* Returns the number of edits of a shortest script, by dynamic programming. */
static size_t count_edits(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
	size_t table[64][64];

	for (size_t i = 0; i <= n_a; i++) {
		for (size_t j = 0; j <= n_b; j++) {
			size_t best = i + j;

			if (i && j) {
				best = table[i - 1][j] + 1;
				best = table[i][j - 1] + 1 < best ? table[i][j - 1] + 1
								  : best;
				if (a[i - 1] == b[j - 1] && table[i - 1][j - 1] < best) {
					best = table[i - 1][j - 1];
				}
			}
			table[i][j] = best;
		}
	}
	return table[n_a][n_b];
}

static void check_hunks(const struct kt_hunks *hunks, const uint32_t *a, size_t n_a,
			const uint32_t *b, size_t n_b)
{
	size_t edits = 0;
	size_t i = 0;
	size_t j = 0;

	for (size_t h = 0; h < hunks->n; h++) {
		const struct kt_hunk *hunk = &hunks->items[h];

		/* The letters between hunks are equal, and hunks do not touch. */
		CU_ASSERT_FATAL(hunk->at - i == hunk->to - j);
		CU_ASSERT(h == 0 || hunk->at > i);
		CU_ASSERT(memcmp(a + i, b + j, (hunk->at - i) * sizeof(*a)) == 0);
		CU_ASSERT(hunk->removed + hunk->added > 0);
		edits += hunk->removed + hunk->added;
		i = hunk->at + hunk->removed;
		j = hunk->to + hunk->added;
	}
	CU_ASSERT_FATAL(i <= n_a && j <= n_b && n_a - i == n_b - j);
	CU_ASSERT(memcmp(a + i, b + j, (n_a - i) * sizeof(*a)) == 0);
	CU_ASSERT_EQUAL(edits, count_edits(a, n_a, b, n_b));
}

static void test_align(void)
{
	seed = 20261126;
	for (int round = 0; round < 20000; round++) {
		struct kt_hunks hunks = {0};
		uint32_t a[40];
		uint32_t b[40];
		const uint32_t letters = 1 + draw(5);
		size_t n_a = draw(40);
		size_t n_b = 0;

		for (size_t i = 0; i < n_a; i++) {
			a[i] = draw(letters);
			if (draw(8) && n_b < 40) { /* mostly similar sequences */
				b[n_b++] = draw(8) ? a[i] : draw(letters);
			}
		}
		CU_ASSERT_EQUAL_FATAL(kt_align(&hunks, a, n_a, b, n_b), KT_OK);
		check_hunks(&hunks, a, n_a, b, n_b);
		free(hunks.items);
	}
}

/* An added or removed letter among equal ones is always the last of them. */
static void test_align_slides(void)
{
	static const uint32_t a[] = {1, 2, 2, 3};
	static const uint32_t b[] = {1, 2, 2, 2, 3};
	struct kt_hunks hunks = {0};

	CU_ASSERT_EQUAL_FATAL(kt_align(&hunks, a, 4, b, 5), KT_OK);
	CU_ASSERT_EQUAL_FATAL(hunks.n, 1);
	CU_ASSERT_EQUAL(hunks.items[0].at, 3);
	CU_ASSERT_EQUAL(hunks.items[0].to, 3);
	free(hunks.items);
	hunks = (struct kt_hunks){0};
	CU_ASSERT_EQUAL_FATAL(kt_align(&hunks, b, 5, a, 4), KT_OK);
	CU_ASSERT_EQUAL_FATAL(hunks.n, 1);
	CU_ASSERT_EQUAL(hunks.items[0].at, 3);
	free(hunks.items);
}

static void test_align_limit(void)
{
	const size_t n = KT_ALIGN_MAX / 2 + 1;
	uint32_t *a = calloc(n, sizeof(*a));
	uint32_t *b = malloc(n * sizeof(*b));
	struct kt_hunks hunks = {0};

	CU_ASSERT_FATAL(a && b);
	for (size_t i = 0; i < n; i++) {
		b[i] = 1;
	}
	CU_ASSERT_EQUAL(kt_align(&hunks, a, n, b, n), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_align(&hunks, a, n - 1, b, n - 1), KT_OK);
	CU_ASSERT_EQUAL_FATAL(hunks.n, 1);
	CU_ASSERT_EQUAL(hunks.items[0].removed, n - 1);
	CU_ASSERT_EQUAL(hunks.items[0].added, n - 1);
	free(hunks.items);
	free(a);
	free(b);
}

/* --- exact test --- */

static void test_fisher(void)
{
	/* Fisher's tea: 3 of 4 against 1 of 4 */
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(3, 4, 1, 4), 34.0 / 70, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(4, 4, 0, 4), 2.0 / 70, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(0, 3, 3, 3), 0.1, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(0, 5, 0, 7), 1, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(16, 16, 0, 16), 2 / 601080390.0, 1e-18);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(8, 16, 0, 16), 0.00244717, 1e-8);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(1, 1, 0, 1), 1, 1e-12);
	/* R: fisher.test(matrix(c(1, 9, 11, 3), 2))$p.value */
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher(1, 10, 11, 14), 0.002759456185220, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher_least(8, 16, 16), kt_fisher(8, 16, 0, 16), 1e-15);
	CU_ASSERT_DOUBLE_EQUAL(kt_fisher_least(1, 3, 5), kt_fisher(1, 3, 0, 5), 1e-15);
}

static void test_tarone(void)
{
	static const double least[] = {1e-9, 0.5, 0.002, 0.2, 0.6};

	CU_ASSERT_DOUBLE_EQUAL(kt_tarone_bound(NULL, 0, 0.01), 0.01, 0);
	CU_ASSERT_DOUBLE_EQUAL(kt_tarone_bound(least, 1, 0.01), 0.01, 0);
	/* Of five comparisons two can be findings: the bound is halved. */
	CU_ASSERT_DOUBLE_EQUAL(kt_tarone_bound(least, 5, 0.01), 0.005, 1e-15);
	/* At the whole level two can be findings, at level / 2 only one. */
	CU_ASSERT_DOUBLE_EQUAL(kt_tarone_bound(least, 5, 0.003), 0.0015, 1e-15);
}

/* --- changes --- */

/* Adds a word, whose letters are separated by blanks in `text`. */
static void add(kt_words *words, const char *name, const char *text)
{
	const struct kt_word_info info = {.name = name};

	CU_ASSERT_EQUAL_FATAL(kt_words_begin(words, &info), KT_OK);
	while (*text) {
		const size_t n = strcspn(text, " ");
		uint32_t letter;

		CU_ASSERT_EQUAL_FATAL(kt_words_letter(&letter, words, text, n), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_words_append(words, &letter, 1), KT_OK);
		text += n + (text[n] == ' ');
	}
}

struct compared {
	kt_words *words[2];
	struct kt_changes changes;
};

static void begin(struct compared *s)
{
	CU_ASSERT_EQUAL_FATAL(kt_words_new(&s->words[0]), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_words_new(&s->words[1]), KT_OK);
}

static void find(struct compared *s)
{
	CU_ASSERT_EQUAL_FATAL(kt_changes_find(&s->changes, s->words[0], s->words[1]),
			      KT_OK);
}

static void end(struct compared *s)
{
	kt_changes_free(&s->changes);
	kt_words_free(s->words[0]);
	kt_words_free(s->words[1]);
}

/* Adds a word "open BEFORE poll... AFTER close" with a random number of polls. */
static void add_polled(kt_words *words, const char *before, const char *after)
{
	char text[512];
	size_t n = (size_t)snprintf(text, sizeof(text), "open %s", before);

	for (uint32_t i = 1 + draw(20); i > 0; i--) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, " poll");
	}
	snprintf(text + n, sizeof(text) - n, " %s close", after);
	add(words, "trace/app.0", text);
}

static void test_kinds(void)
{
	struct compared s;

	begin(&s);
	seed = 1;
	for (int i = 0; i < 8; i++) {
		add_polled(s.words[0], "a b c", "k d e f g");
		add_polled(s.words[1], "b c a", "k e x g h");
	}
	find(&s);
	CU_ASSERT_EQUAL_FATAL(s.changes.n_noise, 1);
	CU_ASSERT_STRING_EQUAL(s.changes.noise[0], "poll");
	CU_ASSERT_EQUAL(s.changes.recordings[0], 8);
	CU_ASSERT_EQUAL_FATAL(s.changes.n, 4);
	CU_ASSERT_EQUAL(s.changes.n_found, 4);
	CU_ASSERT_EQUAL(s.changes.items[0].kind, KT_CHANGE_MOVED);
	CU_ASSERT_STRING_EQUAL(s.changes.items[0].removed[0], "a");
	CU_ASSERT_STRING_EQUAL(s.changes.items[0].position.before, "open");
	CU_ASSERT_STRING_EQUAL(s.changes.items[0].position.after, "b");
	CU_ASSERT_STRING_EQUAL(s.changes.items[0].elsewhere.before, "c");
	CU_ASSERT_EQUAL(s.changes.items[1].kind, KT_CHANGE_REMOVED);
	CU_ASSERT_STRING_EQUAL(s.changes.items[1].removed[0], "d");
	CU_ASSERT_EQUAL(s.changes.items[2].kind, KT_CHANGE_REPLACED);
	CU_ASSERT_STRING_EQUAL(s.changes.items[2].removed[0], "f");
	CU_ASSERT_STRING_EQUAL(s.changes.items[2].added[0], "x");
	CU_ASSERT_EQUAL(s.changes.items[3].kind, KT_CHANGE_ADDED);
	CU_ASSERT_STRING_EQUAL(s.changes.items[3].added[0], "h");
	CU_ASSERT_STRING_EQUAL(s.changes.items[3].position.after, "close");
	CU_ASSERT_EQUAL(s.changes.items[3].shown[0], 0);
	CU_ASSERT_EQUAL(s.changes.items[3].shown[1], 8);
	CU_ASSERT_DOUBLE_EQUAL(s.changes.items[3].p, kt_fisher(0, 8, 8, 8), 1e-15);
	CU_ASSERT_STRING_EQUAL(s.changes.items[3].word, "app.0");
	end(&s);
}

/* A letter that is moved or added in 8 of 16 recordings of one side is found. */
static void test_power(void)
{
	for (int added = 0; added < 2; added++) {
		struct compared s;

		begin(&s);
		seed = 2;
		for (int i = 0; i < 16; i++) {
			add_polled(s.words[0], "a b c", "d e");
			add_polled(s.words[1],
				   i % 2   ? "a b c"
				   : added ? "a b c b"
					   : "b c a",
				   "d e");
		}
		find(&s);
		CU_ASSERT_EQUAL_FATAL(s.changes.n_found, 1);
		CU_ASSERT_EQUAL(s.changes.items[0].kind,
				added ? KT_CHANGE_ADDED : KT_CHANGE_MOVED);
		CU_ASSERT_EQUAL(s.changes.items[0].shown[0], 0);
		CU_ASSERT_EQUAL(s.changes.items[0].shown[1], 8);
		end(&s);
	}
}

/*
 * In 500 sets of 8 and 8 recordings, polls, letters that change their order, and letters
 * that occur only in some recordings are not taken for changes.
 */
static void test_noise(void)
{
	size_t findings = 0;

	seed = 3;
	for (int round = 0; round < 500; round++) {
		struct compared s;

		begin(&s);
		for (int i = 0; i < 16; i++) {
			static const char *const before[] = {"a b c", "a c b", "a b c w"};
			static const char *const after[] = {"d e", "d e v", "e d", "d"};

			add_polled(s.words[i % 2], before[draw(3)], after[draw(4)]);
		}
		find(&s);
		findings += s.changes.n_found > 0;
		end(&s);
	}
	/* At KT_CHANGES_LEVEL, 2.5 are expected. */
	CU_ASSERT(findings <= 5);
}

static void test_few(void)
{
	struct compared s;

	/* With one recording on each side, no noise is known, and no change is found. */
	begin(&s);
	add(s.words[0], "t/app.0", "a p p b");
	add(s.words[1], "t/app.0", "a p b c");
	find(&s);
	CU_ASSERT_EQUAL(s.changes.n_noise, 0);
	CU_ASSERT_EQUAL(s.changes.n_found, 0);
	CU_ASSERT_EQUAL(s.changes.n, 2);
	CU_ASSERT_EQUAL(s.changes.recordings[1], 1);
	end(&s);
	/* Empty words, and words with a name that only one side has, give no change. */
	begin(&s);
	add(s.words[0], "t/app.0", "");
	add(s.words[0], "t/other.0", "a b");
	add(s.words[1], "u/app.0", "");
	find(&s);
	CU_ASSERT_EQUAL(s.changes.n, 0);
	CU_ASSERT_EQUAL(s.changes.recordings[0], 1);
	end(&s);
	begin(&s);
	find(&s);
	CU_ASSERT_EQUAL(s.changes.n, 0);
	end(&s);
}

/*
 * Recordings of one program with random accesses between the same letters are equal without
 * noise; a letter whose number varies is noise even if it is not an access.
 */
static void test_noise_of_one(void)
{
	seed = 5;
	for (int round = 0; round < 200; round++) {
		const bool varies = round % 2;
		struct kt_noise noise;
		kt_words *words;

		CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
		for (int i = 0; i < 4; i++) {
			char text[256] = "open";

			for (int j = 0; j < 5; j++) {
				for (uint32_t polls = draw(4); polls > 0; polls--) {
					strcat(text, draw(2) ? " R:sys" : " W:fb");
				}
				strcat(text, j == 2 ? " W:reg ioctl:1" : " W:reg");
			}
			strcat(text, varies && i % 2 ? " wait close" : " close");
			/* Words may end with different noise. */
			strcat(text, i == 1 ? " R:sys" : i == 2 ? " W:fb W:fb" : "");
			add(words, "t/app.0", text);
		}
		CU_ASSERT_EQUAL_FATAL(kt_noise_find(&noise, words), KT_OK);
		CU_ASSERT_EQUAL(noise.recordings, 4);
		CU_ASSERT_TRUE(noise.equal);
		for (uint32_t l = 0; l < kt_words_letter_count(words); l++) {
			const char *letter = kt_words_letter_name(words, l);

			CU_ASSERT_EQUAL(noise.letters[l],
					strcmp(letter, "R:sys") == 0 ||
						strcmp(letter, "W:fb") == 0 ||
						strcmp(letter, "wait") == 0);
		}
		kt_noise_free(&noise);
		add(words, "t/app.0", "open W:reg close");
		CU_ASSERT_EQUAL_FATAL(kt_noise_find(&noise, words), KT_OK);
		CU_ASSERT_EQUAL(noise.recordings, 5);
		kt_noise_free(&noise);
		/* Recordings whose letters differ only in their order are not equal. */
		add(words, "t/two.0", "a b");
		add(words, "t/two.0", "b a");
		CU_ASSERT_EQUAL_FATAL(kt_noise_find(&noise, words), KT_OK);
		CU_ASSERT_FALSE(noise.equal);
		kt_noise_free(&noise);
		kt_words_free(words);
	}
	CU_ASSERT_FALSE(kt_letter_is_access("W:reg"));
	CU_ASSERT_FALSE(kt_letter_is_access("Rx"));
	CU_ASSERT_TRUE(kt_letter_is_access("R:reg"));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"alignment against a slow one", test_align},
		{"hunks slide to the end", test_align_slides},
		{"too many edits", test_align_limit},
		{"Fisher's exact test", test_fisher},
		{"Tarone's correction", test_tarone},
		{"added, removed, replaced, moved", test_kinds},
		{"8 of 16 recordings are enough", test_power},
		{"noise is not a change", test_noise},
		{"few recordings, few words", test_few},
		{"noise of one program", test_noise_of_one},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("changes", tests);
}
