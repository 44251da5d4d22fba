/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/suite.h"

static kt_words *new_set(void)
{
	kt_words *words = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	return words;
}

static uint32_t letter(kt_words *words, const char *name)
{
	uint32_t number = UINT32_MAX;

	CU_ASSERT_EQUAL_FATAL(kt_words_letter(&number, words, name, strlen(name)), KT_OK);
	return number;
}

static void test_empty(void)
{
	kt_words *words = new_set();
	struct kt_word_info info;
	uint64_t n;

	CU_ASSERT_EQUAL(kt_words_count(words), 0);
	CU_ASSERT_EQUAL(kt_words_total(words), 0);
	CU_ASSERT_EQUAL(kt_words_letter_count(words), 0);
	CU_ASSERT_PTR_NULL(kt_words_letter_name(words, 0));
	CU_ASSERT_EQUAL(kt_words_get(words, 0, &info, &n), KT_E_USAGE);
	kt_words_free(words);
	kt_words_free(NULL);
}

static void test_letters(void)
{
	kt_words *words = new_set();

	CU_ASSERT_EQUAL(letter(words, "R:sys"), 0);
	CU_ASSERT_EQUAL(letter(words, "W:sys"), 1);
	CU_ASSERT_EQUAL(letter(words, "R:sys"), 0);
	CU_ASSERT_EQUAL(letter(words, "R"), 2);
	CU_ASSERT_EQUAL(kt_words_letter_count(words), 3);
	CU_ASSERT_STRING_EQUAL(kt_words_letter_name(words, 1), "W:sys");
	CU_ASSERT_PTR_NULL(kt_words_letter_name(words, 3));
	kt_words_free(words);
}

static void test_bad_letters(void)
{
	static const struct {
		const char *name;
		size_t length;
	} bad[] = {
		{"", 0},         {"a\nb", 3},
		{"\x7f", 1},     {"a\0b", 3},
		{"\xc3", 1},     {"\xc0\x80", 2},
		{"\xc2\x85", 2}, {"\xed\xa0\x80", 3},
		{"a\xff", 2},    {"\xf5\x80\x80\x80", 4},
	};
	kt_words *words = new_set();
	uint32_t number;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_EQUAL(kt_words_letter(&number, words, bad[i].name, bad[i].length),
				KT_E_MALFORMED);
		CU_ASSERT_EQUAL(strncmp(kt_error_message(), "add letter: ", 12), 0);
	}
	CU_ASSERT_EQUAL(kt_words_letter_count(words), 0);
	kt_words_free(words);
}

/* Letters do not change when the store changes from one byte per letter to two and four. */
static void test_widths(void)
{
	enum { KINDS = 70000 };
	kt_words *words = new_set();
	char name[16];
	uint32_t numbers[3];

	CU_ASSERT_EQUAL(kt_words_begin(words, &(struct kt_word_info){.name = "w"}), KT_OK);
	for (uint32_t i = 0; i < KINDS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		CU_ASSERT_FATAL(letter(words, name) == i);
		CU_ASSERT_FATAL(kt_words_append(words, &i, 1) == KT_OK);
	}
	for (uint32_t i = 0; i + 3 <= KINDS; i++) {
		CU_ASSERT_FATAL(kt_words_read(words, 0, i, 3, numbers) == KT_OK);
		CU_ASSERT_FATAL(numbers[0] == i && numbers[1] == i + 1 &&
				numbers[2] == i + 2);
	}
	CU_ASSERT_EQUAL(kt_words_total(words), KINDS);
	kt_words_free(words);
}

static void test_words(void)
{
	kt_words *words = new_set();
	uint32_t ab[2] = {letter(words, "a"), letter(words, "b")};
	uint32_t read[2] = {9, 9};
	struct kt_word_info info = {.name = "one", .lost = 3, .cut_begin = true};
	uint64_t n;

	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
	CU_ASSERT_EQUAL(kt_words_append(words, ab, 2), KT_OK);
	CU_ASSERT_EQUAL(kt_words_append(words, ab, 0), KT_OK);
	CU_ASSERT_EQUAL(kt_words_begin(words, &(struct kt_word_info)KT_WORD_INFO_INIT),
			KT_OK);
	CU_ASSERT_EQUAL(kt_words_append(words, ab + 1, 1), KT_OK);
	CU_ASSERT_EQUAL(kt_words_count(words), 2);
	CU_ASSERT_EQUAL(kt_words_total(words), 3);
	CU_ASSERT_EQUAL(kt_words_get(words, 0, &info, &n), KT_OK);
	CU_ASSERT_STRING_EQUAL(info.name, "one");
	CU_ASSERT_EQUAL(info.lost, 3);
	CU_ASSERT_TRUE(info.cut_begin);
	CU_ASSERT_FALSE(info.cut_end);
	CU_ASSERT_EQUAL(n, 2);
	CU_ASSERT_EQUAL(kt_words_read(words, 1, 0, 1, read), KT_OK);
	CU_ASSERT_EQUAL(read[0], ab[1]);
	CU_ASSERT_EQUAL(kt_words_read(words, 0, 2, 0, read), KT_OK);
	CU_ASSERT_EQUAL(kt_words_read(words, 0, 1, 2, read), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_words_read(words, 0, 3, 0, read), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_words_read(words, 2, 0, 0, read), KT_E_USAGE);
	kt_words_free(words);
}

/* kt_words_describe() accepts a name that kt_words_get() returned, owned by the set. */
static void test_describe(void)
{
	kt_words *words = new_set();
	struct kt_word_info info = KT_WORD_INFO_INIT;
	uint64_t n;

	CU_ASSERT_EQUAL(kt_words_describe(words, &info), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
	CU_ASSERT_EQUAL(kt_words_get(words, 0, &info, &n), KT_OK);
	info.cut_end = true;
	info.lost = 7;
	CU_ASSERT_EQUAL(kt_words_describe(words, &info), KT_OK);
	CU_ASSERT_EQUAL(kt_words_get(words, 0, &info, &n), KT_OK);
	CU_ASSERT_STRING_EQUAL(info.name, "unknown");
	CU_ASSERT_TRUE(info.cut_end);
	CU_ASSERT_EQUAL(info.lost, 7);
	info.name = NULL;
	CU_ASSERT_EQUAL(kt_words_describe(words, &info), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_words_count(words), 1);
	kt_words_free(words);
}

static void test_bad_appends(void)
{
	kt_words *words = new_set();
	uint32_t numbers[2] = {letter(words, "a"), 1};

	CU_ASSERT_EQUAL(kt_words_append(words, numbers, 1), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_words_begin(words, &(struct kt_word_info){.name = ""}), KT_OK);
	CU_ASSERT_EQUAL(kt_words_append(words, numbers, 2), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "append letters: there is no letter 1");
	CU_ASSERT_EQUAL(kt_words_total(words), 0);
	kt_words_free(words);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"empty set", test_empty},
		{"letters", test_letters},
		{"bad letters", test_bad_letters},
		{"widths", test_widths},
		{"words", test_words},
		{"describe", test_describe},
		{"bad appends", test_bad_appends},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("words", tests);
}
