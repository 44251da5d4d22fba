/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "base/texts.h"
#include "tests/suite.h"

#define MANY 5000

static void keeps_each_text_once(void)
{
	static const char *kept[MANY];
	struct kt_texts texts = {.n = 0};
	char text[32];

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < MANY; i++) {
			uint32_t number;

			snprintf(text, sizeof(text), "text %u", i);
			CU_ASSERT_EQUAL_FATAL(kt_texts_add(&texts, text, &number), KT_OK);
			CU_ASSERT_EQUAL(number, i);
			CU_ASSERT_STRING_EQUAL(texts.items[number], text);
			/* A text's address does not change as the set grows. */
			CU_ASSERT(round == 0 || kt_texts_keep(&texts, text) == kept[i]);
			kept[i] = texts.items[number];
		}
	}
	CU_ASSERT_EQUAL(texts.n, MANY);
	kt_texts_free(&texts);
	CU_ASSERT_EQUAL(texts.n, 0);
}

static void keeps_the_empty_text(void)
{
	struct kt_texts texts = {.n = 0};
	const char *kept = kt_texts_keep(&texts, "");

	CU_ASSERT_STRING_EQUAL_FATAL(kept, "");
	CU_ASSERT_PTR_EQUAL(kt_texts_keep(&texts, ""), kept);
	kt_texts_free(&texts);
}

static void makes_texts_printable(void)
{
	struct kt_texts texts = {.n = 0};
	const char *kept;
	const char *again;

	CU_ASSERT_EQUAL_FATAL(kt_texts_printable(&texts, "a\xff\x01", &kept), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_texts_printable(&texts, kept, &again), KT_OK);
	CU_ASSERT_PTR_EQUAL(kept, again);
	CU_ASSERT(strchr(kept, 1) == NULL);
	kt_texts_free(&texts);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"keeps each text once", keeps_each_text_once},
		{"keeps the empty text", keeps_the_empty_text},
		{"makes texts printable", makes_texts_printable},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("texts", tests);
}
