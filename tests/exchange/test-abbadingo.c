/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/exchange/rig.h"
#include "tests/suite.h"

/* Returns a line for each word, with its name and its letters. The caller frees it. */
static char *encode(const kt_words *words)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n = 0;

		kt_words_get(words, i, &info, &n);
		fprintf(out, "%s:", info.name);
		for (uint64_t j = 0; j < n; j++) {
			uint32_t letter = 0;

			kt_words_read(words, i, j, 1, &letter);
			fprintf(out, " %s", kt_words_letter_name(words, letter));
		}
		putc('\n', out);
	}
	fclose(out);
	return text;
}

static void expect_words(const char *text, const char *expected,
			 const struct kt_abbadingo_report *report)
{
	struct kt_abbadingo_report found;
	kt_words *words = NULL;
	char *encoded;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(rig_read_words(words, text, strlen(text), &found), KT_OK);
	encoded = encode(words);
	CU_ASSERT_STRING_EQUAL(encoded, expected);
	CU_ASSERT_EQUAL(memcmp(&found, report, sizeof(found)), 0);
	free(encoded);
	kt_words_free(words);
}

static void reads_the_original(void)
{
	const struct kt_abbadingo_report report = {
		.words = 3, .negative = 1, .unlabelled = 1};

	expect_words("5 2\n1 3 0 1 0\n0 2 1 1\n1 0\n-1 1 0\n1 1  1 \n",
		     "x.0: 0 1 0\nx.2:\nx.4: 1\n", &report);
	/* The lines may end in \r\n, and a blank line or no newline may be at the end. */
	expect_words("5 2\r\n1 3 0 1 0\r\n0 2 1 1\r\n1 0 \r\n-1 1 0\r\n\t1 1 1\n\n ",
		     "x.0: 0 1 0\nx.2:\nx.4: 1\n", &report);
}

static void reads_flexfringe(void)
{
	const struct kt_abbadingo_report report = {.words = 2, .attributes = 5};
	const struct kt_abbadingo_report one = {.words = 1};

	expect_words("2 3:d/time,f/size\n"
		     "1 2:1.0/x open:1.0,2.5 read/type:0.5,1.0|data\n"
		     "failed 3 read|x open_now:1.0 open/a\n",
		     "x.0: open read\nx.1: read open_now open\n", &report);
	/* Without attributes in the first line, a colon is part of a name. */
	expect_words("1 1\n1 1 W:reg\n", "x.0: W:reg\n", &one);
}

static void undoes_escapes(void)
{
	const struct kt_abbadingo_report report = {.words = 1};

	expect_words("1 1\n1 3 W_3areg a_5fb _c3_a9\n", "x.0: W:reg a_b é\n", &report);
	/*
	 * Escapes that ktail never writes are not decoded: those with upper-case digits,
	 * those of a letter or a digit, those that are too short, and those that give
	 * invalid UTF-8 or a control character.
	 */
	expect_words("1 1\n1 8 W_3Areg a_41 a_ a_5 a_ba _0a a-b _\n",
		     "x.0: W_3Areg a_41 a_ a_5 a_ba _0a a-b _\n", &report);
}

static void writes(void)
{
	static const char *const letters[] = {"W:reg", "a_b/c", "é", "x y"};
	struct kt_word_info info = KT_WORD_INFO_INIT;
	kt_words *words = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
	for (size_t i = 0; i < 4; i++) {
		uint32_t letter;

		kt_words_letter(&letter, words, letters[i], strlen(letters[i]));
		kt_words_append(words, &letter, 1);
	}
	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
	CU_ASSERT_EQUAL(kt_words_write_abbadingo(words, out), KT_OK);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "2 4\n1 4 W_3areg a_5fb_2fc _c3_a9 x_20y\n1 0\n");
	free(text);
	kt_words_free(words);
}

static void expect_refusal(const char *text, size_t size, const char *message)
{
	kt_words *words = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(rig_read_words(words, text, size, NULL), KT_E_MALFORMED);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), message);
	kt_words_free(words);
}

#define REFUSE(text, message) expect_refusal(text, sizeof(text) - 1, message)
#define NO_HEAD                                                                            \
	"read x.dat:1: the first line is not the number of examples and the number of "    \
	"symbols"

static void refuses(void)
{
	REFUSE("", NO_HEAD);
	REFUSE("\n", NO_HEAD);
	REFUSE("1\n", NO_HEAD);
	REFUSE("1 x\n", NO_HEAD);
	REFUSE("-1 2\n", NO_HEAD);
	REFUSE("1 2 3\n", NO_HEAD);
	REFUSE("99999999999999999999 2\n", NO_HEAD);
	REFUSE("1 2\n", "read x.dat: it has 0 examples, but declares 1");
	REFUSE("1 2\n1 1 a\n1 1 a\n", "read x.dat: it has 2 examples, but declares 1");
	REFUSE("1 2\n1\n", "read x.dat:2: expected the number of symbols after the label");
	REFUSE("1 2\n1 a\n",
	       "read x.dat:2: expected the number of symbols after the label");
	REFUSE("2 2\n1 1 a\n1 2 a\n",
	       "read x.dat:3: the example has 1 symbol, but declares 2");
	REFUSE("1 2\n1 1 a b\n", "read x.dat:2: the example has 2 symbols, but declares 1");
	REFUSE("1 2\n1 1 /a\n", "read x.dat:2: a symbol without a name: '/a'");
	REFUSE("1 2\n1 1 \xff\n",
	       "read x.dat:2: add letter: its name is not valid UTF-8 or contains control "
	       "characters");
	REFUSE("1 2\n1 1 a\0b\n", "read x.dat:2: a control character");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"reads the original", reads_the_original},
		{"reads FlexFringe's", reads_flexfringe},
		{"undoes escapes", undoes_escapes},
		{"writes", writes},
		{"refuses", refuses},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("abbadingo", tests);
}
