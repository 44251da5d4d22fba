/* SPDX-License-Identifier: MIT */
/* Tests plateaus and the choice of k, on tables of points and then on curves of words. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "infer/graph/curve.h"
#include "infer/graph/say-choice.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define POINTS_MAX 24

/* A point of a curve, for 10 words with 990 letters in total; states = 0 ends a table. */
struct row {
	unsigned states, transitions, complex;
	unsigned components, cycles, mixed; /* if all are 0, the point is not measured */
	unsigned kinds_in_cycles;           /* of 9 kinds */
	unsigned looping_doorbells;         /* of 100 doorbells */
};

static void fill(struct kt_curve *curve, uint64_t k, const struct row *rows)
{
	*curve = (struct kt_curve){.words = 10, .letters = 990};
	curve->points = calloc(POINTS_MAX, sizeof(*curve->points));
	CU_ASSERT_PTR_NOT_NULL_FATAL(curve->points);
	for (const struct row *row = rows; row->states; row++) {
		struct kt_curve_point *point = &curve->points[curve->n_points++];

		point->row = (struct kt_sweep_row){k++, row->states, row->transitions,
						   row->complex};
		point->measured = row->components || row->cycles || row->mixed;
		point->measures.components = row->components;
		point->measures.cycles = row->cycles;
		point->measures.mixed = row->mixed;
		point->measures.letters = 990;
		point->measures.kinds = 9;
		point->measures.kinds_in_cycles = row->kinds_in_cycles;
		point->measures.doorbells = 100;
		point->measures.looping_doorbells = row->looping_doorbells;
	}
	CU_ASSERT_EQUAL(kt_plateaus_find(curve), KT_OK);
	kt_curve_choose(curve);
}

/* --- plateaus --- */

static const struct {
	const char *what;
	const char *expected; /* "K-K " for each plateau: the first and the last k */
	uint64_t k;           /* k of the first row */
	struct row rows[POINTS_MAX];
} flats[] = {
	{"one k is none", "", 1, {{5, 5, 1, 0, 0, 0, 0, 0}}},
	{"two are one", "1-2 ", 1, {{5, 5, 1, 0, 0, 0, 0, 0}, {5, 5, 1, 0, 0, 0, 0, 0}}},
	{"between others",
	 "2-4 ",
	 1,
	 {{4, 5, 1, 0, 0, 0, 0, 0},
	  {5, 6, 1, 0, 0, 0, 0, 0},
	  {5, 6, 1, 0, 0, 0, 0, 0},
	  {5, 6, 1, 0, 0, 0, 0, 0},
	  {6, 7, 1, 0, 0, 0, 0, 0}}},
	{"joint: states differ",
	 "",
	 1,
	 {{5, 5, 1, 0, 0, 0, 0, 0}, {6, 5, 1, 0, 0, 0, 0, 0}}},
	{"joint: transitions differ",
	 "",
	 1,
	 {{5, 5, 1, 0, 0, 0, 0, 0}, {5, 6, 1, 0, 0, 0, 0, 0}}},
	{"joint: complex states differ",
	 "",
	 1,
	 {{5, 5, 1, 0, 0, 0, 0, 0}, {5, 5, 2, 0, 0, 0, 0, 0}}},
	{"complex states may fall",
	 "",
	 1,
	 {{5, 5, 2, 0, 0, 0, 0, 0}, {5, 5, 1, 0, 0, 0, 0, 0}}},
	{"a hundredth",
	 "1-2 ",
	 1,
	 {{200, 300, 10, 0, 0, 0, 0, 0}, {202, 303, 10, 0, 0, 0, 0, 0}}},
	{"more than that",
	 "",
	 1,
	 {{200, 300, 10, 0, 0, 0, 0, 0}, {203, 303, 10, 0, 0, 0, 0, 0}}},
	{"no drift",
	 "1-3 4-5 ",
	 1,
	 {{200, 300, 10, 0, 0, 0, 0, 0},
	  {201, 301, 10, 0, 0, 0, 0, 0},
	  {202, 302, 10, 0, 0, 0, 0, 0},
	  {203, 303, 10, 0, 0, 0, 0, 0},
	  {204, 304, 10, 0, 0, 0, 0, 0}}},
	{"one after the other",
	 "0-1 2-3 ",
	 0,
	 {{1, 5, 1, 0, 0, 0, 0, 0},
	  {1, 5, 1, 0, 0, 0, 0, 0},
	  {2, 5, 1, 0, 0, 0, 0, 0},
	  {2, 5, 1, 0, 0, 0, 0, 0}}},
	{"two at 20", "20-21 ", 20, {{5, 5, 1, 0, 0, 0, 0, 0}, {5, 5, 1, 0, 0, 0, 0, 0}}},
	{"three at 21", "", 21, {{5, 5, 1, 0, 0, 0, 0, 0}, {5, 5, 1, 0, 0, 0, 0, 0}}},
	{"and they are",
	 "21-23 ",
	 21,
	 {{5, 5, 1, 0, 0, 0, 0, 0}, {5, 5, 1, 0, 0, 0, 0, 0}, {5, 5, 1, 0, 0, 0, 0, 0}}},
};

static void test_plateaus(void)
{
	for (size_t i = 0; i < sizeof(flats) / sizeof(flats[0]); i++) {
		struct kt_curve curve;
		char text[256] = "";
		size_t used = 0;

		fill(&curve, flats[i].k, flats[i].rows);
		for (size_t j = 0; j < curve.n_plateaus; j++) {
			const struct kt_plateau *p = &curve.plateaus[j];

			used += (size_t)snprintf(text + used, sizeof(text) - used, "%d-%d ",
						 (int)curve.points[p->first].row.k,
						 (int)curve.points[p->last].row.k);
		}
		CU_ASSERT_STRING_EQUAL(text, flats[i].expected);
		if (strcmp(text, flats[i].expected) != 0) {
			printf("%s: %s\n", flats[i].what, text);
		}
		kt_curve_clear(&curve);
	}
}

/* --- evidence against a machine --- */

static const struct {
	struct row row;
	enum kt_verdict verdict;
} judged[] = {
	{{500, 510, 9, 1, 99, 0, 0, 0}, KT_VERDICT_GOOD},
	{{500, 510, 9, 1, 98, 0, 0, 0}, KT_VERDICT_RARE},
	{{501, 510, 9, 1, 99, 0, 0, 0}, KT_VERDICT_UNFOLDED},
	{{100, 110, 9, 1, 101, 100, 0, 0}, KT_VERDICT_GOOD},
	{{100, 110, 9, 1, 100, 100, 0, 0}, KT_VERDICT_MIXED},
	{{501, 510, 9, 1, 10, 100, 0, 0}, KT_VERDICT_MIXED},
	{{1, 43, 1, 0, 0, 900, 0, 0}, KT_VERDICT_NO_CYCLE},
	{{900, 905, 1, 0, 0, 1, 0, 0}, KT_VERDICT_NO_CYCLE},
	{{500, 510, 9, 0, 0, 0, 0, 0}, KT_VERDICT_UNKNOWN},
	{{501, 510, 9, 0, 0, 0, 0, 0}, KT_VERDICT_UNFOLDED},
};

static void test_judge(void)
{
	for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++) {
		struct row rows[2] = {judged[i].row};
		struct kt_curve curve;

		fill(&curve, 5, rows);
		CU_ASSERT_EQUAL(kt_curve_judge(&curve, 0), judged[i].verdict);
		if (kt_curve_judge(&curve, 0) != judged[i].verdict) {
			printf("judged %zu\n", i);
		}
		kt_curve_clear(&curve);
	}
}

/* --- the choice --- */

#define TRIVIAL                                                                            \
	{                                                                                  \
		1, 43, 1, 0, 0, 900, 0, 0                                                  \
	}
#define LOOSE                                                                              \
	{                                                                                  \
		20, 50, 3, 1, 330, 350, 0, 0                                               \
	}
#define CHAIN                                                                              \
	{                                                                                  \
		950, 960, 12, 1, 100, 0, 0, 0                                              \
	}

static const struct {
	const char *what;
	uint64_t k; /* k of the first row */
	uint64_t chosen;
	enum kt_choice_kind kind;
	const char *runners; /* "K " for each runner-up: its first k */
	struct row rows[POINTS_MAX];
} chosen[] = {
	{"the smallest good plateau",
	 1,
	 5,
	 KT_CHOICE_PLATEAU,
	 "7 ",
	 {TRIVIAL,
	  TRIVIAL,
	  LOOSE,
	  LOOSE,
	  {90, 99, 9, 1, 600, 10, 0, 0},
	  {90, 99, 9, 1, 600, 10, 0, 0},
	  {120, 130, 8, 1, 600, 0, 0, 0},
	  {120, 130, 8, 1, 600, 0, 0, 0},
	  CHAIN,
	  CHAIN}},
	{"a later one for the doorbells",
	 1,
	 5,
	 KT_CHOICE_PLATEAU,
	 "1 3 ",
	 {{90, 99, 9, 1, 600, 10, 0, 51},
	  {90, 99, 9, 1, 600, 10, 0, 51},
	  {120, 130, 8, 1, 600, 0, 0, 51},
	  {120, 130, 8, 1, 600, 0, 0, 51},
	  {180, 190, 8, 1, 600, 0, 0, 50},
	  {180, 190, 8, 1, 600, 0, 0, 50},
	  CHAIN,
	  CHAIN}},
	{"not one of more than twice the states",
	 1,
	 1,
	 KT_CHOICE_PLATEAU,
	 "3 ",
	 {{90, 99, 9, 1, 600, 10, 0, 51},
	  {90, 99, 9, 1, 600, 10, 0, 51},
	  {181, 190, 8, 1, 600, 0, 0, 0},
	  {181, 190, 8, 1, 600, 0, 0, 0},
	  CHAIN,
	  CHAIN}},
	{"not one that is nearly chains",
	 1,
	 1,
	 KT_CHOICE_PLATEAU,
	 "",
	 {{490, 499, 9, 1, 600, 10, 0, 51},
	  {490, 499, 9, 1, 600, 10, 0, 51},
	  CHAIN,
	  CHAIN}},
	{"a good machine is not a plateau",
	 1,
	 3,
	 KT_CHOICE_PLATEAU,
	 "",
	 {LOOSE,
	  {90, 99, 9, 1, 600, 10, 0, 0},
	  {95, 104, 9, 1, 600, 0, 0, 0},
	  {95, 104, 9, 1, 600, 0, 0, 0},
	  CHAIN,
	  CHAIN}},
	{"no plateau: the smallest good machine",
	 1,
	 3,
	 KT_CHOICE_CYCLES,
	 "",
	 {LOOSE,
	  LOOSE,
	  {90, 99, 9, 1, 600, 10, 0, 0},
	  {95, 104, 9, 1, 600, 0, 0, 0},
	  CHAIN,
	  CHAIN}},
	{"what is done most is never a cycle: most kinds of the rest are",
	 1,
	 3,
	 KT_CHOICE_KINDS,
	 "",
	 {{20, 50, 3, 1, 330, 350, 4, 0},
	  {20, 50, 3, 1, 330, 350, 4, 0},
	  {90, 99, 9, 1, 330, 350, 5, 0},
	  {90, 99, 9, 1, 330, 350, 5, 0},
	  {120, 130, 9, 1, 330, 350, 9, 0},
	  {120, 130, 9, 1, 330, 350, 9, 0},
	  {950, 960, 12, 1, 0, 0, 9, 0}}},
	{"but not in machines off a plateau, or nearly chains",
	 1,
	 1,
	 KT_CHOICE_ORDER,
	 "",
	 {{20, 50, 3, 1, 330, 350, 4, 0},
	  {90, 99, 9, 1, 330, 350, 5, 0},
	  {700, 710, 9, 1, 330, 350, 9, 0},
	  {700, 710, 9, 1, 330, 350, 9, 0}}},
	{"no cycle of more than one state: order is kept",
	 0,
	 2,
	 KT_CHOICE_ORDER,
	 "",
	 {TRIVIAL,
	  TRIVIAL,
	  {20, 50, 3, 0, 0, 495, 0, 0},
	  {40, 50, 3, 0, 0, 5, 0, 0},
	  CHAIN,
	  CHAIN}},
	{"not k = 0",
	 0,
	 1,
	 KT_CHOICE_ORDER,
	 "",
	 {{1, 1, 1, 0, 0, 1, 0, 0}, {1, 1, 1, 0, 0, 1, 0, 0}}},
	{"all is mixed: the largest",
	 1,
	 3,
	 KT_CHOICE_LAST,
	 "",
	 {TRIVIAL, TRIVIAL, TRIVIAL}},
	{"one k", 7, 7, KT_CHOICE_CYCLES, "", {{90, 99, 9, 1, 600, 10, 0, 0}}},
	{"nothing is measured",
	 1,
	 1,
	 KT_CHOICE_ORDER,
	 "",
	 {{300, 310, 9, 0, 0, 0, 0, 0}, {300, 310, 9, 0, 0, 0, 0, 0}}},
};

static void test_choose(void)
{
	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++) {
		struct kt_curve curve;
		char text[KT_SAY_SIZE];
		char runners[64] = "";
		const struct kt_plateau *plateau;
		uint64_t k;

		fill(&curve, chosen[i].k, chosen[i].rows);
		k = curve.points[curve.choice.point].row.k;
		for (size_t j = 0; (plateau = kt_runner_up(&curve, j)) != NULL; j++) {
			size_t used = strlen(runners);

			snprintf(runners + used, sizeof(runners) - used, "%d ",
				 (int)curve.points[plateau->first].row.k);
		}
		CU_ASSERT_EQUAL(k, chosen[i].chosen);
		CU_ASSERT_EQUAL(curve.choice.kind, chosen[i].kind);
		CU_ASSERT_STRING_EQUAL(runners, chosen[i].runners);
		kt_say_choice(text, &curve);
		CU_ASSERT_PTR_EQUAL(strstr(text, "no k from"),
				    chosen[i].kind == KT_CHOICE_PLATEAU ? NULL : text);
		if (k != chosen[i].chosen) {
			printf("%s: k = %d\n", chosen[i].what, (int)k);
		}
		kt_curve_clear(&curve);
	}
}

/* Even the largest numbers give texts that fit their buffers. */
static void test_say(void)
{
	/* Doorbells are self-loops in the first machine, and not in the second. */
	struct kt_curve_point points[2] = {
		{.row = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
		 .measured = true,
		 .measures = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, UINT64_MAX, UINT64_MAX,
			      UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
		{.row = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, .measured = true},
	};
	struct kt_plateau plateau = {0, 0, KT_VERDICT_GOOD};
	struct kt_curve curve = {.points = points, .n_points = 2, .plateaus = &plateau};
	char text[KT_SAY_SIZE];

	for (int kind = KT_CHOICE_PLATEAU; kind <= KT_CHOICE_LAST; kind++) {
		curve.choice.kind = (enum kt_choice_kind)kind;
		kt_say_choice(text, &curve);
		CU_ASSERT(strlen(text) < KT_SAY_SIZE - 1);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(text, "doorbells are self-loops, most are not at k = "));
	}
	for (int verdict = KT_VERDICT_GOOD; verdict <= KT_VERDICT_UNFOLDED; verdict++) {
		plateau.verdict = (enum kt_verdict)verdict;
		kt_say_plateau(text, &curve, &plateau);
		CU_ASSERT(strlen(text) > 0 && strlen(text) < KT_SAY_SIZE - 1);
	}
}

/* --- curves of words --- */

static void make(struct kt_curve *curve, const kt_words *words, uint64_t lo, uint64_t hi)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;

	options.lo = lo;
	options.hi = hi;
	CU_ASSERT_EQUAL_FATAL(kt_curve_make(curve, words, &options), KT_OK);
	CU_ASSERT_EQUAL_FATAL(curve->n_points, hi - lo + 1);
}

static bool same_point(const struct kt_curve_point *point, const kt_words *words)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_measures m;
	struct kt_fsm *fsm;
	size_t complex;
	bool same;

	options.k = point->row.k;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_measure(&m, fsm), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_fsm_count_complex(fsm, &complex), KT_OK);
	same = point->row.states == fsm->n_states &&
	       point->row.transitions == fsm->n_transitions &&
	       point->row.complex == complex && point->measured &&
	       memcmp(&m, &point->measures, sizeof(m)) == 0;
	kt_fsm_free(fsm);
	return same;
}

/* Each point describes the machine of its k, and the order of the words does not matter. */
static void test_random(void)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		kt_words *words = random_set(seed, seed % 4 ? 30 : 200);
		kt_words *other = reordered_set(words, seed);
		struct kt_curve curve;
		struct kt_curve again;
		bool same = true;

		make(&curve, words, seed % 3, 12);
		make(&again, other, seed % 3, 12);
		for (size_t i = 0; i < curve.n_points; i++) {
			same = same && curve.points[i].row.k == seed % 3 + i &&
			       same_point(&curve.points[i], words);
		}
		same = same && memcmp(curve.points, again.points,
				      curve.n_points * sizeof(*curve.points)) == 0;
		same = same &&
		       memcmp(&curve.choice, &again.choice, sizeof(curve.choice)) == 0;
		CU_ASSERT(same);
		if (!same) {
			printf("set %d differs\n", (int)seed);
		}
		kt_curve_clear(&curve);
		kt_curve_clear(&again);
		kt_words_free(words);
		kt_words_free(other);
	}
}

/*
 * Returns whether point i is measured correctly if it must be measured, and not measured
 * otherwise. It must be measured if its machine is within the limit, or if it begins a
 * plateau and its size does not show that the machine is little more than a chain.
 */
static bool is_as_it_should(const struct kt_curve *curve, size_t i, const kt_words *words,
			    uint64_t limit)
{
	const struct kt_curve_point *point = &curve->points[i];
	bool expected = point->row.transitions <= limit;

	for (size_t j = 0; j < curve->n_plateaus; j++) {
		expected = expected ||
			   (curve->plateaus[j].first == i && !kt_curve_unfolded(curve, i));
	}
	return point->measured == expected && (!expected || same_point(point, words));
}

static void test_limit(void)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	int again = 0;

	options.hi = 12;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		kt_words *words = random_set(seed, 100);
		struct kt_curve curve;

		CU_ASSERT_EQUAL_FATAL(
			kt_curve_make_up_to(&curve, words, &options, seed % 10), KT_OK);
		for (size_t i = 0; i < curve.n_points; i++) {
			CU_ASSERT(is_as_it_should(&curve, i, words, seed % 10));
			again += curve.points[i].measured &&
				 curve.points[i].row.transitions > seed % 10;
		}
		kt_curve_clear(&curve);
		kt_words_free(words);
	}
	CU_ASSERT(again > 20);
}

static const struct {
	const char *words[4];
	enum kt_choice_kind kind;
	uint64_t k;
} few[] = {
	/* No state can be merged: every k above 0 gives the chain. */
	{{"abcdefghij"}, KT_CHOICE_ORDER, 1},
	{{"aaaaaaaaaaaaaaaaaaaa"}, KT_CHOICE_ORDER, 1},
	{{"", ""}, KT_CHOICE_ORDER, 1},
	{{"orrrc", "orrc"}, KT_CHOICE_ORDER, 1},
	/* A loop of three letters between a beginning and an end. */
	{{"iwdpwdpwdpwdpwdpwdpx", "iwdpwdpwdpx"}, KT_CHOICE_PLATEAU, 1},
	/* Two loops that share letters. */
	{{"iabcabcabcabcabcjabdabdabdabdabdabdx"}, KT_CHOICE_PLATEAU, 1},
};

static void test_few(void)
{
	for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++) {
		size_t n = 0;
		kt_words *words;
		struct kt_curve curve;
		uint64_t k;

		while (few[i].words[n]) {
			n++;
		}
		words = set_of_strings(few[i].words, n);
		make(&curve, words, 0, 20);
		k = curve.points[curve.choice.point].row.k;
		CU_ASSERT_EQUAL(curve.choice.kind, few[i].kind);
		CU_ASSERT_EQUAL(k, few[i].k);
		if (k != few[i].k || curve.choice.kind != few[i].kind) {
			printf("%s: kind %d, k = %d\n", few[i].words[0],
			       (int)curve.choice.kind, (int)k);
		}
		kt_curve_clear(&curve);
		kt_words_free(words);
	}
}

/* Random letters never give a good plateau, whatever the size of the alphabet. */
static void test_noise(void)
{
	for (uint32_t kinds = 2; kinds <= 64; kinds *= 2) {
		struct random random = {.state = kinds};
		char *text = calloc(1, 5001);
		const char *strings[] = {text, text};
		struct kt_curve curve;
		kt_words *words;

		for (size_t i = 0; i < 5000; i++) {
			text[i] = (char)('?' + random_below(&random, kinds));
		}
		words = set_of_strings(strings, 2);
		make(&curve, words, 1, 60);
		CU_ASSERT_NOT_EQUAL(curve.choice.kind, KT_CHOICE_PLATEAU);
		if (curve.choice.kind != KT_CHOICE_ORDER) {
			printf("%u kinds: kind %d, k = %d\n", kinds, (int)curve.choice.kind,
			       (int)curve.points[curve.choice.point].row.k);
		}
		kt_curve_clear(&curve);
		kt_words_free(words);
		free(text);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"plateaus", test_plateaus},
		{"what speaks against a machine", test_judge},
		{"the choice", test_choose},
		{"long numbers", test_say},
		{"random words", test_random},
		{"large machines", test_limit},
		{"a few words", test_few},
		{"noise", test_noise},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("curves", tests);
}
