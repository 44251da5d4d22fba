/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "tests/suite.h"

#define TEN "0123456789"

static void breaks_at_blanks(void)
{
	char *text = NULL;
	size_t size = 0;
	struct kt_wrap wrap = {.out = open_memstream(&text, &size), .indent = 4};

	CU_ASSERT_PTR_NOT_NULL_FATAL(wrap.out);
	kt_wrap_put(&wrap, "begin");
	for (int i = 0; i < 8; i++) {
		kt_wrap_put(&wrap, " %s", TEN);
		kt_wrap_put(&wrap, "%s", i < 7 ? "," : "");
	}
	kt_wrap_put(&wrap, " |");
	kt_wrap_end(&wrap);
	kt_wrap_put(&wrap, "next");
	kt_wrap_end(&wrap);
	fclose(wrap.out);
	CU_ASSERT_STRING_EQUAL(text, "begin " TEN ", " TEN ", " TEN ", " TEN ", " TEN
				     ", " TEN ",\n    " TEN ", " TEN " |\nnext\n");
	free(text);
}

/* A word that is longer than a line has a line of its own. */
static void keeps_long_pieces(void)
{
	char *text = NULL;
	size_t size = 0;
	struct kt_wrap wrap = {.out = open_memstream(&text, &size), .indent = 2};
	char piece[3 * KT_WRAP_WIDTH];

	CU_ASSERT_PTR_NOT_NULL_FATAL(wrap.out);
	memset(piece, 'x', sizeof(piece) - 1);
	piece[sizeof(piece) - 1] = '\0';
	kt_wrap_put(&wrap, "abc");
	kt_wrap_put(&wrap, "%s", "");
	kt_wrap_put(&wrap, " %s", piece);
	kt_wrap_put(&wrap, " %s", piece);
	kt_wrap_end(&wrap);
	fclose(wrap.out);
	CU_ASSERT_EQUAL(strncmp(text, "abc\n  x", 7), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "x\n  x"));
	CU_ASSERT_EQUAL(size, 4 + 2 * (2 + sizeof(piece)));
	free(text);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"breaks at blanks", breaks_at_blanks},
		{"keeps long pieces", keeps_long_pieces},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("wrap", tests);
}
