/* SPDX-License-Identifier: MIT */
#include <ktail/status.h>

#include "random-sets.h"
#include "shrink.h"
#include "tests/suite.h"

/* Returns whether a word has some letter twice, and another word is cut at its end. */
static bool has_both(const kt_words *words, void *context)
{
	bool twice = false;
	bool cut = false;

	++*(unsigned *)context;
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint32_t letters[200];
		uint64_t n;
		bool here = false;

		CU_ASSERT_EQUAL_FATAL(kt_words_get(words, i, &info, &n), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_words_read(words, i, 0, (size_t)n, letters),
				      KT_OK);
		for (size_t j = 0; j < n; j++) {
			for (size_t k = 0; k < j; k++) {
				here |= letters[j] == letters[k];
			}
		}
		twice |= here;
		cut |= info.cut_end && !here;
	}
	return twice && cut;
}

static void test_smallest(void)
{
	const char *const strings[] = {"abcdefgabc", "<bac>", "", "abcabc", "<c"};
	kt_words *words = set_of_strings(strings, 5);
	unsigned calls = 0;
	kt_words *small = shrink_set(words, has_both, &calls);
	char text[200] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_TRUE(calls > 10 && calls < 500);
	CU_ASSERT_EQUAL(kt_words_count(small), 2);
	CU_ASSERT_EQUAL(kt_words_total(small), 2);
	print_set(out, small);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "  unknown, 0 lost: a a\n  unknown, 0 lost: >\n");
	kt_words_free(small);
	kt_words_free(words);
}

/* Fails if the set has at least *context letters, so shrinking must stop at that number. */
static bool is_long(const kt_words *words, void *context)
{
	return kt_words_total(words) >= *(unsigned *)context;
}

static void test_length(void)
{
	unsigned least = 37;

	for (uint64_t seed = 1; seed < 20; seed++) {
		kt_words *words = random_set(seed, 200);
		kt_words *small;

		if (kt_words_total(words) >= least) {
			small = shrink_set(words, is_long, &least);
			CU_ASSERT_EQUAL(kt_words_total(small), least);
			kt_words_free(small);
		}
		kt_words_free(words);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"the smallest set", test_smallest},
		{"a set of some length", test_length},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("shrink", tests);
}
