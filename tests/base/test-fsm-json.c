/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/fsm.h>
#include <ktail/status.h>

#include "base/fsm-json.h"
#include "tests/suite.h"

#define HASH "0123456789abcdef0123456789abcdef"

#define HEAD                                                                               \
	"{ \"format\": \"ktail-fsm/1\", \"k\": 2, \"machine\": \"chains\", \"word\": "     \
	"\"process\",\n  \"alphabet\": null,\n"
#define LETTERS "  \"letters\": [\"a\", \"b\\\"\\\\<&é\"],\n"
#define WORDS                                                                              \
	"  \"words\": [\n    {\"name\": \"t/app.0\", \"events\": 3, \"lost\": 1, "         \
	"\"entry\": "                                                                      \
	"0, \"exit\": 1, \"complete\": false, \"hash\": \"" HASH "\"}\n  ],\n"
#define STATES                                                                             \
	"  \"start\": 0,\n  \"states\": [\n    {\"id\": 0, \"visits\": 1, \"ends\": 0},\n" \
	"    {\"id\": 1, \"visits\": 3, \"ends\": 1}\n  ],\n"
#define TRANSITIONS                                                                         \
	"  \"transitions\": [\n    {\"from\": 0, \"letter\": \"a\", \"to\": 1, "            \
	"\"count\": "                                                                       \
	"1},\n    {\"from\": 1, \"letter\": \"b\\\"\\\\<&é\", \"to\": 1, \"count\": 2}\n " \
	" ]\n"
#define GOOD HEAD LETTERS WORDS STATES TRANSITIONS "}\n"

static int parse(struct kt_fsm **out, const char *text)
{
	char *copy = strdup(text);
	FILE *in = fmemopen(copy, strlen(copy), "r");
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	code = kt_fsm_read_json(out, in, "x.json");
	fclose(in);
	free(copy);
	return code;
}

static char *print(const struct kt_fsm *fsm)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(kt_fsm_write_json(fsm, out), KT_OK);
	fclose(out);
	return text;
}

static void expect_round_trip(const char *text)
{
	struct kt_fsm *fsm = NULL;
	char *again;

	CU_ASSERT_EQUAL_FATAL(parse(&fsm, text), KT_OK);
	again = print(fsm);
	CU_ASSERT_STRING_EQUAL(again, text);
	free(again);
	kt_fsm_free(fsm);
}

/*
 * Replaces the first `old` in `good`. The result must be refused, for a reason that
 * contains `reason`.
 */
static void expect_refusal_in(const char *good, const char *old, const char *new,
			      const char *reason)
{
	struct kt_fsm *fsm = NULL;
	const char *match = strstr(good, old);
	char text[2048];

	CU_ASSERT_PTR_NOT_NULL_FATAL(match);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(match - good), good, new,
		 match + strlen(old));
	CU_ASSERT_EQUAL(parse(&fsm, text), KT_E_MALFORMED);
	CU_ASSERT_PTR_NULL(fsm);
	CU_ASSERT_EQUAL(strncmp(kt_error_message(), "read x.json: ", 13), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), reason));
	if (!strstr(kt_error_message(), reason)) {
		fprintf(stderr, "'%s' for '%s': %s\n", new, old, kt_error_message());
	}
	kt_fsm_free(fsm);
}

static void expect_refusal(const char *old, const char *new, const char *reason)
{
	expect_refusal_in(GOOD, old, new, reason);
}

static void goes_round(void)
{
	expect_round_trip(GOOD);
	expect_round_trip(HEAD
			  "  \"letters\": [],\n  \"words\": [],\n  \"start\": 0,\n"
			  "  \"states\": [\n    {\"id\": 0, \"visits\": 0, \"ends\": 0}\n"
			  "  ],\n  \"transitions\": []\n}\n");
}

#define NAMES "  \"names\": {\"b\\\"\\\\<&é\": \"B or not\"},\n"

static void keeps_names(void)
{
	const char *good = HEAD LETTERS NAMES WORDS STATES TRANSITIONS "}\n";
	struct kt_fsm *fsm = NULL;
	char *text;

	expect_round_trip(good);
	CU_ASSERT_EQUAL_FATAL(parse(&fsm, good), KT_OK);
	CU_ASSERT_STRING_EQUAL(kt_fsm_letter_name(fsm, 0), "a");
	CU_ASSERT_STRING_EQUAL(kt_fsm_letter_name(fsm, 1), "B or not");
	CU_ASSERT_EQUAL(kt_fsm_find_letter(fsm, "a"), 0);
	CU_ASSERT_EQUAL(kt_fsm_find_letter(fsm, "B or not"), SIZE_MAX);
	CU_ASSERT_EQUAL(kt_fsm_set_name(fsm, 1, "C"), KT_OK);
	CU_ASSERT_STRING_EQUAL(kt_fsm_letter_name(fsm, 1), "C");
	kt_fsm_clear_names(fsm);
	text = print(fsm);
	CU_ASSERT_STRING_EQUAL(text, GOOD);
	free(text);
	kt_fsm_free(fsm);
	expect_refusal_in(good, "{\"b\\\"\\\\<&é\"", "{\"c\"", "names: 'c' is not in ");
	expect_refusal_in(good, "\"B or not\"", "1", "é: must be a string");
	expect_refusal_in(good, "\"B or not\"", "\"\\n\"", "control characters");
	expect_refusal_in(good, "{\"b\\\"\\\\<&é\": \"B or not\"}", "[]",
			  "names: must be an object");
}

static void keeps_the_alphabet(void)
{
	struct kt_fsm *fsm = NULL;
	char text[2048] =
		"{ \"format\": \"ktail-fsm/1\", \"k\": 2, \"machine\": \"chains\", "
		"\"word\": \"process\",\n  \"alphabet\": {\"name\": \"table1\", "
		"\"rules\": [1, \"x\"]},\n" LETTERS WORDS STATES TRANSITIONS "}\n";

	expect_round_trip(text);
	CU_ASSERT_EQUAL_FATAL(parse(&fsm, text), KT_OK);
	CU_ASSERT_STRING_EQUAL(fsm->alphabet_json,
			       "{\"name\": \"table1\", \"rules\": [1, \"x\"]}");
	kt_fsm_free(fsm);
}

static void reads_what_is_written(void)
{
	struct kt_fsm *fsm = NULL;
	size_t complex = 99;

	CU_ASSERT_EQUAL_FATAL(parse(&fsm, GOOD), KT_OK);
	CU_ASSERT_EQUAL(fsm->k, 2);
	CU_ASSERT_STRING_EQUAL(fsm->letters[1], "b\"\\<&é");
	CU_ASSERT_EQUAL(fsm->words[0].lost, 1);
	CU_ASSERT_FALSE(fsm->words[0].complete);
	CU_ASSERT_STRING_EQUAL(fsm->words[0].hash, HASH);
	CU_ASSERT_EQUAL(fsm->states[1].visits, 3);
	CU_ASSERT_EQUAL(fsm->transitions[1].letter, 1);
	CU_ASSERT_EQUAL(kt_fsm_count_complex(fsm, &complex), KT_OK);
	CU_ASSERT_EQUAL(complex, 1);
	kt_fsm_free(fsm);
}

/* Every text survives a round trip, except that invalid UTF-8 becomes U+FFFD. */
static void escapes_every_text(void)
{
	struct kt_fsm *fsm = NULL;
	struct kt_fsm *again = NULL;
	char *text;

	CU_ASSERT_EQUAL_FATAL(parse(&fsm, GOOD), KT_OK);
	free(fsm->machine);
	free(fsm->word);
	free(fsm->words[0].name);
	fsm->machine = strdup("a\"b");
	fsm->word = strdup("c\\d\n");
	fsm->words[0].name = strdup("\xff\x01\x7f\"é");
	text = print(fsm);
	CU_ASSERT_EQUAL_FATAL(parse(&again, text), KT_OK);
	CU_ASSERT_STRING_EQUAL(again->machine, "a\"b");
	CU_ASSERT_STRING_EQUAL(again->word, "c\\d\n");
	CU_ASSERT_STRING_EQUAL(again->words[0].name, "\xef\xbf\xbd\x01\x7f\"é");
	free(text);
	kt_fsm_free(fsm);
	kt_fsm_free(again);
}

#define TRUTH_HEAD                                                                         \
	"{ \"format\": \"ktail-fsm/1\", \"k\": null, \"machine\": \"truth\", \"word\": "   \
	"\"process\",\n  \"alphabet\": null,\n  \"letters\": [\"a\"],\n"                   \
	"  \"words\": [],\n  \"start\": 0,\n"
#define TRUTH_STATES                                                                       \
	"  \"states\": [\n    {\"id\": 0, \"visits\": 0, \"ends\": 0,\n"                   \
	"     \"points\": [\"main:1: ioctl \\\"a\\\"\", \"main:2: a\"]},\n"                \
	"    {\"id\": 1, \"visits\": 0, \"ends\": 0}\n  ],\n"
#define TRUTH_TAIL                                                                         \
	"  \"transitions\": [\n    {\"from\": 0, \"letter\": \"a\", \"to\": 1, "           \
	"\"count\": 0}\n  ]\n}\n"
#define TRUTH TRUTH_HEAD TRUTH_STATES TRUTH_TAIL

/* A machine that was not inferred has no k and no words; its states have program points. */
static void keeps_the_truth(void)
{
	struct kt_fsm *fsm = NULL;

	expect_round_trip(TRUTH);
	CU_ASSERT_EQUAL_FATAL(parse(&fsm, TRUTH), KT_OK);
	CU_ASSERT_TRUE(fsm->no_k);
	CU_ASSERT_EQUAL_FATAL(fsm->states[0].n_points, 2);
	CU_ASSERT_STRING_EQUAL(fsm->states[0].points[0], "main:1: ioctl \"a\"");
	CU_ASSERT_EQUAL(fsm->states[1].n_points, 0);
	kt_fsm_free(fsm);
}

/* A machine of another program ("imported") has no k either. */
static void keeps_the_imported(void)
{
	expect_refusal_in(TRUTH, "\"k\": null, \"machine\": \"truth\"",
			  "\"k\": 1, \"machine\": \"imported\"",
			  "k: must be null where \"machine\" is \"imported\", not 1");
	expect_round_trip("{ \"format\": \"ktail-fsm/1\", \"k\": null, \"machine\": "
			  "\"imported\", \"word\": \"unknown\",\n  \"alphabet\": null,\n"
			  "  \"letters\": [],\n  \"words\": [],\n  \"start\": 0,\n"
			  "  \"states\": [\n    {\"id\": 0, \"visits\": 0, \"ends\": 0}\n"
			  "  ],\n  \"transitions\": []\n}\n");
}

#define MEANINGS                                                                           \
	HEAD LETTERS WORDS                                                                 \
		"  \"start\": 0,\n  \"states\": [\n    {\"id\": 0, \"visits\": 1, "        \
		"\"ends\": 0,\n     \"label\": \"begin\"},\n    {\"id\": 1, "              \
		"\"visits\": 3, \"ends\": 1,\n     \"label\": \"submit: \\\"é\",\n     "  \
		"\"phase\": \"USE\"}\n  ],\n  \"transitions\": [\n    {\"from\": 0, "      \
		"\"letter\": \"a\", \"to\": 1, \"count\": 1,\n     \"label\": "            \
		"\"end\"},\n  "                                                            \
		"  {\"from\": 1, \"letter\": \"b\\\"\\\\<&é\", \"to\": 1, \"count\": "    \
		"2}\n "                                                                    \
		" ]\n}\n"

/* Meanings of states and transitions are read and written where present. */
static void keeps_meanings(void)
{
	struct kt_fsm *fsm = NULL;

	expect_round_trip(MEANINGS);
	CU_ASSERT_EQUAL_FATAL(parse(&fsm, MEANINGS), KT_OK);
	CU_ASSERT_STRING_EQUAL(fsm->states[0].label, "begin");
	CU_ASSERT_PTR_NULL(fsm->states[0].phase);
	CU_ASSERT_STRING_EQUAL(fsm->states[1].label, "submit: \"é");
	CU_ASSERT_STRING_EQUAL(fsm->states[1].phase, "USE");
	CU_ASSERT_STRING_EQUAL(fsm->transitions[0].label, "end");
	CU_ASSERT_PTR_NULL(fsm->transitions[1].label);
	kt_fsm_free(fsm);
	expect_refusal_in(
		MEANINGS, "\"begin\"", "3",
		"states[0].label: must be a string without control characters, not 3");
	expect_refusal_in(MEANINGS, "\"begin\"", "\"a\\u0007\"",
			  "states[0].label: must be a string without control characters, "
			  "not \"a\\u0007\"");
	expect_refusal_in(
		MEANINGS, "\"USE\"", "null",
		"states[1].phase: must be a string without control characters, not null");
	expect_refusal_in(MEANINGS, "\"end\"", "[]",
			  "transitions[0].label: must be a string without control "
			  "characters, not an array");
}

/* Removes every `piece` from text; returns how many there were. */
static size_t take_out(char *text, const char *piece)
{
	size_t n = 0;

	for (char *at = text; (at = strstr(at, piece)); n++) {
		memmove(at, at + strlen(piece), strlen(at + strlen(piece)) + 1);
	}
	return n;
}

static char *print_with(const struct kt_fsm *fsm, const struct kt_fsm_more *more)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(kt_fsm_write_with(fsm, more, out), KT_OK);
	fclose(out);
	return text;
}

/* Additional members change none of a machine's bytes; readers skip them. */
static void adds_members(void)
{
	json_t *call = json_pack("{s:[{s:s, s:i}], s:n}", "calls", "name", "cuInit\"é",
				 "count", 2, "time");
	json_t *top = json_pack("{s:{s:[]}, s:f}", "annotation", "traces", "share", 0.25);
	json_t *states[] = {NULL, call};
	json_t *transitions[] = {call, call};
	struct kt_fsm_more more = {top, states, transitions};
	struct kt_fsm *fsm = NULL;
	struct kt_fsm *again = NULL;
	char *text;

	CU_ASSERT_EQUAL_FATAL(parse(&fsm, MEANINGS), KT_OK);
	text = print_with(fsm, &more);
	CU_ASSERT_EQUAL_FATAL(parse(&again, text), KT_OK);
	kt_fsm_free(again);
	CU_ASSERT_EQUAL(take_out(text, ",\n     \"calls\": [{\"name\": \"cuInit\\\"é\", "
				       "\"count\": 2}],\n     \"time\": null"),
			3);
	CU_ASSERT_EQUAL(take_out(text, ",\n  \"annotation\": {\"traces\": []},\n  "
				       "\"share\": 0.25"),
			1);
	CU_ASSERT_EQUAL(strncmp(text, MEANINGS, strlen(MEANINGS) - 3), 0);
	CU_ASSERT_STRING_EQUAL(text, MEANINGS);
	free(text);
	kt_fsm_free(fsm);
	json_decref(call);
	json_decref(top);
}

static void refuses_half_truths(void)
{
	expect_refusal_in(TRUTH, "\"k\": null", "\"k\": 2",
			  "k: must be null where \"machine\" is \"truth\", not 2");
	expect_refusal_in(
		TRUTH, "\"truth\"", "\"chains\"",
		"k: must be a whole number where \"machine\" is \"chains\", not null");
	expect_refusal_in(TRUTH, "\"k\": null, ", "",
			  "k: is missing, must be null where \"machine\" is \"truth\"");
	expect_refusal_in(
		GOOD, "\"k\": 2, ", "",
		"k: is missing, must be a whole number from 0 to 9223372036854775807");
	expect_refusal_in(TRUTH, "\"count\": 0", "\"count\": 1",
			  "the \"count\" of \"transitions\" adds up to 1, but the "
			  "\"events\" of \"words\" to 0");
	expect_refusal_in(TRUTH, "\"visits\": 0", "\"visits\": 1",
			  "the \"visits\" of \"states\" add up to 1, but the words have 0 "
			  "letters and 0 beginnings");
	expect_refusal_in(
		TRUTH, "\"points\": [", "\"points\": [5, ",
		"states[0].points[0]: must be a string without control characters, not 5");
	expect_refusal_in(TRUTH, "main:1", "main:\\n",
			  "states[0].points[0]: must be a string without control "
			  "characters, not \"main:\\n: ioctl \\\"a\\\"\"");
	expect_refusal_in(TRUTH, "main:1", "main:3",
			  "states[0].points[1]: must be greater than the previous one "
			  "(sorted by bytes, without duplicates), not \"main:2: a\"");
	expect_refusal_in(TRUTH, "[\"main:1: ioctl \\\"a\\\"\", \"main:2: a\"]", "7",
			  "states[0].points: must be an array, not 7");
}

#define DIFF_HEAD                                                                          \
	"{ \"format\": \"ktail-fsm/1\", \"k\": null, \"machine\": \"diff\", \"word\": "    \
	"\"process\",\n  \"alphabet\": null,\n  \"letters\": [\"a\", \"b\"],\n"            \
	"  \"words\": [],\n  \"start\": 0,\n"
#define DIFF_STATES                                                                        \
	"  \"states\": [\n"                                                                \
	"    {\"id\": 0, \"visits\": 9, \"ends\": 1, \"side\": \"both\", \"old\": 0, "     \
	"\"new\": 1},\n"                                                                   \
	"    {\"id\": 1, \"visits\": 4, \"ends\": 0, \"side\": \"old\", \"old\": 2},\n"    \
	"    {\"id\": 2, \"visits\": 5, \"ends\": 0, \"side\": \"new\", \"new\": 0,\n"     \
	"     \"points\": [\"main:1: a\"]}\n  ],\n"
#define DIFF_TRANSITIONS                                                                   \
	"  \"transitions\": [\n"                                                           \
	"    {\"from\": 0, \"letter\": \"a\", \"to\": 0, \"count\": 7, \"side\": "         \
	"\"both\", "                                                                       \
	"\"old\": 3, \"new\": 4},\n"                                                       \
	"    {\"from\": 0, \"letter\": \"b\", \"to\": 1, \"count\": 5, \"side\": "         \
	"\"old\", "                                                                        \
	"\"old\": 5, \"new\": 0},\n"                                                       \
	"    {\"from\": 0, \"letter\": \"b\", \"to\": 2, \"count\": 1, \"side\": "         \
	"\"new\", "                                                                        \
	"\"old\": 0, \"new\": 1},\n"                                                       \
	"    {\"from\": 1, \"letter\": \"a\", \"to\": 0, \"count\": 2, \"side\": "         \
	"\"old\", "                                                                        \
	"\"old\": 2, \"new\": 0}\n  ]\n}\n"
#define DIFF DIFF_HEAD DIFF_STATES DIFF_TRANSITIONS

/*
 * In the difference of two machines, counts need not add up to words, and a letter may lead
 * from one state to two.
 */
static void keeps_differences(void)
{
	struct kt_fsm *fsm = NULL;
	char with_k[sizeof(DIFF)];

	expect_round_trip(DIFF);
	CU_ASSERT_EQUAL_FATAL(parse(&fsm, DIFF), KT_OK);
	CU_ASSERT_TRUE(fsm->no_k);
	CU_ASSERT_EQUAL(fsm->states[0].presence, KT_PRESENCE_BOTH);
	CU_ASSERT_EQUAL(fsm->states[1].presence, KT_PRESENCE_OLD);
	CU_ASSERT_EQUAL(fsm->states[2].presence, KT_PRESENCE_NEW);
	CU_ASSERT_EQUAL(fsm->state_origins[0].in_new, 1);
	CU_ASSERT_EQUAL(fsm->state_origins[1].in_old, 2);
	CU_ASSERT_EQUAL(fsm->transitions[0].presence, KT_PRESENCE_BOTH);
	CU_ASSERT_EQUAL(fsm->transition_origins[0].in_old, 3);
	CU_ASSERT_EQUAL(fsm->transition_origins[0].in_new, 4);
	kt_fsm_free(fsm);
	snprintf(with_k, sizeof(with_k), "%s", DIFF);
	memcpy(strstr(with_k, "null"), "1234", 4);
	expect_round_trip(with_k);
}

/* In machines other than "diff", the members "side", "old" and "new" are skipped. */
static void skips_presence_elsewhere(void)
{
	struct kt_fsm *fsm = NULL;

	CU_ASSERT_EQUAL_FATAL(
		parse(&fsm, "{\"format\": \"ktail-fsm/1\", \"k\": 1, \"machine\": \"pta\","
			    "\"word\": \"thread\", \"letters\": [], \"words\": [],"
			    "\"start\": 0, \"transitions\": [], \"states\": [{\"id\": 0,"
			    "\"visits\": 0, \"ends\": 0, \"side\": \"new\", \"new\": 5}]}"),
		KT_OK);
	CU_ASSERT_EQUAL(fsm->states[0].presence, KT_PRESENCE_NONE);
	CU_ASSERT_PTR_NULL(fsm->state_origins);
	CU_ASSERT_PTR_NULL(fsm->transition_origins);
	CU_ASSERT_PTR_NULL(kt_presence_name(fsm->states[0].presence));
	kt_fsm_free(fsm);
}

static void refuses_wrong_presence(void)
{
	expect_refusal_in(
		DIFF, "\"k\": null, ", "",
		"k: is missing, must be a whole number from 0 to 9223372036854775807");
	expect_refusal_in(
		DIFF, "\"both\"", "\"none\"",
		"states[0].side: must be \"both\", \"old\" or \"new\", not \"none\"");
	expect_refusal_in(
		DIFF, "\"side\": \"both\", ", "",
		"states[0].side: is missing, must be \"both\", \"old\" or \"new\"");
	expect_refusal_in(DIFF, "\"both\"", "7",
			  "states[0].side: must be \"both\", \"old\" or \"new\", not 7");
	expect_refusal_in(DIFF, "\"both\"", "\"old\"",
			  "states[0].new: must be absent: \"side\" is the other machine");
	expect_refusal_in(DIFF, "\"both\"", "\"new\"",
			  "states[0].old: must be absent: \"side\" is the other machine");
	expect_refusal_in(
		DIFF, ", \"old\": 2}", "}",
		"states[1].old: is missing, must be a whole number from 0 to 4294967295");
	expect_refusal_in(DIFF, "\"new\": 0,\n", "\"old\": 1,\n",
			  "states[2].old: must be absent: \"side\" is the other machine");
	expect_refusal_in(
		DIFF, "\"old\": 2}", "\"old\": -2}",
		"states[1].old: must be a whole number from 0 to 4294967295, not -2");
	expect_refusal_in(
		DIFF, "\"new\": 1}", "\"new\": \"1\"}",
		"states[0].new: must be a whole number from 0 to 4294967295, not \"1\"");
	expect_refusal_in(DIFF, "\"old\": 2}", "\"old\": 3}",
			  "states[1].old: 3 is a duplicate id, or too large");
	expect_refusal_in(DIFF, "\"old\": 2}", "\"old\": 0}",
			  "states[1].old: 0 is a duplicate id, or too large");
	expect_refusal_in(DIFF, "\"new\": 0,\n", "\"new\": 1,\n",
			  "states[2].new: 1 is a duplicate id, or too large");
	expect_refusal_in(DIFF, "\"old\": 3", "\"old\": 4",
			  "transitions[0].count: 7 is not the sum of \"old\" and \"new\"");
	expect_refusal_in(DIFF, "\"old\": 3, ", "",
			  "transitions[0].old: is missing, must be a whole number from 0 "
			  "to 9223372036854775807");
	expect_refusal_in(DIFF, "\"old\": 5, \"new\": 0", "\"old\": 4, \"new\": 1",
			  "transitions[1].count: 5 is not the sum of \"old\" and \"new\"");
	expect_refusal_in(DIFF, "\"new\", \"old\": 0", "\"new\", \"old\": 1",
			  "transitions[2].count: 1 is not the sum of \"old\" and \"new\"");
	expect_refusal_in(
		DIFF, "\"count\": 2, \"side\": \"old\"", "\"count\": 2, \"side\": \"both\"",
		"transitions[3].side: is missing, or differs from that of its states");
	expect_refusal_in(
		DIFF, "\"count\": 5, \"side\": \"old\"", "\"count\": 5, \"side\": \"new\"",
		"transitions[1].side: is missing, or differs from that of its states");
}

static void refuses_twins_in_a_version(void)
{
	expect_refusal_in(DIFF, "\"letter\": \"b\", \"to\": 1",
			  "\"letter\": \"a\", \"to\": 1",
			  "transitions[1].letter: leads to two states in one machine");
	expect_refusal_in(DIFF, "\"to\": 1, ", "\"to\": 2, ",
			  "transitions[2]: not sorted by from and letter, or a duplicate");
	expect_refusal_in(DIFF, "\"to\": 2, ", "\"to\": 1, ",
			  "transitions[2]: not sorted by from and letter, or a duplicate");
}

/*
 * Three transitions have the same letter and the origins old, new and old: adjacent origins
 * differ, but two transitions are in the old machine.
 */
static void refuses_three_ways(void)
{
	struct kt_fsm_state states[] = {{.presence = KT_PRESENCE_BOTH},
					{.presence = KT_PRESENCE_BOTH},
					{.presence = KT_PRESENCE_BOTH}};
	struct kt_fsm_origin origins[] = {{0, 0}, {1, 1}, {2, 2}};
	struct kt_fsm_transition transitions[] = {{.to = 0, .presence = KT_PRESENCE_OLD},
						  {.to = 1, .presence = KT_PRESENCE_NEW},
						  {.to = 2, .presence = KT_PRESENCE_OLD}};
	struct kt_fsm_origin counts[3] = {{0, 0}, {0, 0}, {0, 0}};
	struct kt_fsm fsm = {.states = states,
			     .n_states = 3,
			     .transitions = transitions,
			     .n_transitions = 2,
			     .state_origins = origins,
			     .transition_origins = counts};

	CU_ASSERT_EQUAL(kt_fsm_check_presence(&fsm), KT_OK);
	fsm.n_transitions = 3;
	CU_ASSERT_EQUAL(kt_fsm_check_presence(&fsm), KT_E_MALFORMED);
}

static void skips_unknown_members(void)
{
	struct kt_fsm *fsm = NULL;

	CU_ASSERT_EQUAL(parse(&fsm, HEAD
			      "\"note\": {\"x\": [null]}," LETTERS WORDS STATES TRANSITIONS
			      "}\n"),
			KT_OK);
	kt_fsm_free(fsm);
}

static void refuses_every_cut(void)
{
	char text[] = GOOD;

	for (size_t n = strlen(text) - 2; n > 0; n--) {
		struct kt_fsm *fsm = NULL;

		text[n] = '\0';
		CU_ASSERT_EQUAL(parse(&fsm, text), KT_E_MALFORMED);
		CU_ASSERT_PTR_NULL(fsm);
	}
}

static void refuses_nonsense(void)
{
	expect_refusal("ktail-fsm/1", "ktail-fsm/2",
		       "format: must be \"ktail-fsm/1\", not \"ktail-fsm/2\"");
	expect_refusal("{ \"format\"", "[ \"format\"", "line 1: ']' expected near ':'");
	expect_refusal("null", "5", "alphabet: must be an object or null, not 5");
	expect_refusal("\"k\": 2", "\"k\": -2",
		       "k: must be a whole number from 0 to 9223372036854775807, not -2");
	expect_refusal("\"k\": 2", "\"k\": 2.0",
		       "k: must be a whole number from 0 to 9223372036854775807, not 2.0");
	expect_refusal("\"k\": 2", "\"k\": 99999999999999999999",
		       "line 1: too big integer near '99999999999999999999'");
	expect_refusal("\"chains\"", "7", "machine: must be a string, not 7");
	expect_refusal(
		"[\"a\", ", "[\"c\", ",
		"letters[1]: must be greater than the previous one (sorted by bytes, "
		"without duplicates), not \"b\\\"\\\\<&\\u00E9\"");
	expect_refusal(
		"[\"a\", ", "[\"a\", \"a\", ",
		"letters[1]: must be greater than the previous one (sorted by bytes, "
		"without duplicates), not \"a\"");
	expect_refusal(
		"[\"a\", ", "[\"a\\n\", ",
		"letters[0]: must be a string without control characters, not \"a\\n\"");
	expect_refusal("[\"a\", ", "[\"a\\u0000\", ",
		       "line 3: \\u0000 is not allowed without JSON_ALLOW_NUL near "
		       "'\"a\\u0000\"'");
	expect_refusal("[\"a\", ", "[\"a\\u0085\", ",
		       "letters[0]: must be a string without control characters, not "
		       "\"a\\u0085\"");
	expect_refusal("[\"a\", ", "[\"a\xff\", ",
		       "line 3: unable to decode byte 0xff near '\"a'");
	expect_refusal("[\"a\", ", "[5, ",
		       "letters[0]: must be a string without control characters, not 5");
	expect_refusal("\"start\": 0", "\"start\": 2",
		       "start: must be a whole number from 0 to 1, not 2");
	expect_refusal("{\"id\": 0", "{\"id\": 1", "states[0].id: must be 0, not 1");
	expect_refusal("\"entry\": 0", "\"entry\": 2",
		       "words[0].entry: must be a whole number from 0 to 1, not 2");
	expect_refusal("\"exit\": 1", "\"exit\": 2",
		       "words[0].exit: must be a whole number from 0 to 1, not 2");
	expect_refusal(HASH, "0123", "words[0].hash: must be 32 hex digits, not \"0123\"");
	expect_refusal(HASH, "X123456789abcdef0123456789abcdef",
		       "words[0].hash: must be 32 hex digits, not "
		       "\"X123456789abcdef0123456789abcdef\"");
	expect_refusal("\"complete\": false", "\"complete\": 0",
		       "words[0].complete: must be true or false, not 0");
	expect_refusal("{\"from\": 1, \"letter\": \"b\\\"\\\\<&é\"",
		       "{\"from\": 0, \"letter\": \"a\"",
		       "transitions[1]: not sorted by from and letter, or a duplicate");
	expect_refusal("\"from\": 0", "\"from\": 2",
		       "transitions[0].from: must be a whole number from 0 to 1, not 2");
	expect_refusal("\"letter\": \"a\"", "\"letter\": \"c\"",
		       "transitions[0].letter: must be one of \"letters\", not \"c\"");
	expect_refusal("\"to\": 1", "\"to\": 2",
		       "transitions[0].to: must be a whole number from 0 to 1, not 2");
	expect_refusal("\"count\": 1", "\"count\": 2",
		       "the \"count\" of \"transitions\" adds up to 4, but the \"events\" "
		       "of \"words\" to 3");
	expect_refusal("\"visits\": 1", "\"visits\": 2",
		       "the \"visits\" of \"states\" add up to 5, but the words have 3 "
		       "letters and 1 beginnings");
	expect_refusal("\"events\": 3", "\"events\": 4",
		       "the \"count\" of \"transitions\" adds up to 3, but the \"events\" "
		       "of \"words\" to 4");
	expect_refusal(
		"\"ends\": 0", "\"ends\": 1",
		"the \"ends\" of \"states\" add up to 2, but the number of words is 1");
	expect_refusal("\"visits\": 1, ", "\"visits\": 1, \"visits\": 1, ",
		       "line 9: duplicate object key near '\"visits\"'");
}

/* Sums must not wrap round to the expected value. */
static void refuses_huge_counts(void)
{
	struct kt_fsm *fsm = NULL;
	const char *text = HEAD LETTERS WORDS
		"\"start\": 0, \"states\": ["
		"{\"id\": 0, \"visits\": 9223372036854775807, \"ends\": 0},"
		"{\"id\": 1, \"visits\": 9223372036854775807, \"ends\": 0},"
		"{\"id\": 2, \"visits\": 6, \"ends\": 0}]," TRANSITIONS "}";

	CU_ASSERT_EQUAL(parse(&fsm, text), KT_E_MALFORMED);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "too large"));
}

/* A read error is not reported as a malformed file. */
static void distinguishes_io_from_malformed(void)
{
	struct kt_fsm *fsm = NULL;
	FILE *in = fopen("/", "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	CU_ASSERT_EQUAL(kt_fsm_read_json(&fsm, in, "/"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "read /: Is a directory");
	fclose(in);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"goes round", goes_round},
		{"keeps the alphabet", keeps_the_alphabet},
		{"keeps names", keeps_names},
		{"reads what is written", reads_what_is_written},
		{"escapes every text", escapes_every_text},
		{"keeps the truth", keeps_the_truth},
		{"keeps the imported", keeps_the_imported},
		{"keeps meanings", keeps_meanings},
		{"adds members", adds_members},
		{"refuses half truths", refuses_half_truths},
		{"keeps differences", keeps_differences},
		{"skips sides elsewhere", skips_presence_elsewhere},
		{"refuses wrong sides", refuses_wrong_presence},
		{"refuses twins on a side", refuses_twins_in_a_version},
		{"refuses three ways", refuses_three_ways},
		{"skips unknown members", skips_unknown_members},
		{"refuses every cut", refuses_every_cut},
		{"refuses nonsense", refuses_nonsense},
		{"refuses huge counts", refuses_huge_counts},
		{"tells I/O from malformed", distinguishes_io_from_malformed},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("fsm-json", tests);
}
