/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/terminal.h"
#include "tests/suite.h"

static void wraps_to(const char *expected, const char *text, size_t at, size_t indent,
		     size_t width)
{
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	kt_print_wrapped(out, text, at, indent, width);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(got, expected);
	free(got);
}

static void breaks_between_words(void)
{
	wraps_to("one two\nthree\n", "one two three", 0, 0, 8);
	wraps_to("one two three\n", "one two three", 0, 0, 13);
	wraps_to("one two\nthree\n", "one two three", 0, 0, 12);
	wraps_to("one two three\n", "one two three", 0, 0, 0);
	wraps_to("one two three\n", "one\ntwo  three", 0, 0, 80);
	wraps_to("\n", "", 0, 0, 80);
}

static void hangs(void)
{
	wraps_to("one\n    two\n    three\n", "one two three", 4, 4, 9);
	wraps_to("one\n two\n three\n", "one two three", 6, 1, 6);
}

static void breaks_no_word(void)
{
	wraps_to("a\nlongerthanthat\nb\n", "a longerthanthat b", 0, 0, 6);
}

/* Continuation bytes of UTF-8 take no columns. */
static void counts_columns(void)
{
	wraps_to("µµµ µµ\n", "µµµ µµ", 0, 0, 6);
}

/* Callers report a failed write from errno after these functions. */
static void leaves_errno_alone(void)
{
	FILE *out = fopen("/dev/full", "we");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	errno = ENOSPC;
	CU_ASSERT_EQUAL(kt_terminal_width(out), 0);
	CU_ASSERT_STRING_EQUAL(kt_colors_of(out)->bold, "");
	CU_ASSERT_EQUAL(errno, ENOSPC);
	fclose(out);
}

static void colours_standard_output_alone(void)
{
	CU_ASSERT_EQUAL(kt_color_set(NULL, "always"), KT_OK);
	CU_ASSERT_STRING_EQUAL(kt_colors_of(stdout)->red, "\033[31m");
	CU_ASSERT_STRING_EQUAL(kt_colors_of(stderr)->red, "");
	CU_ASSERT_EQUAL(kt_color_set(NULL, "sometimes"), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_color_set(NULL, "never"), KT_OK);
	CU_ASSERT_STRING_EQUAL(kt_colors_of(stdout)->red, "");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"breaks between words", breaks_between_words},
		{"hangs", hangs},
		{"breaks no word", breaks_no_word},
		{"counts columns", counts_columns},
		{"leaves errno alone", leaves_errno_alone},
		{"colours standard output alone", colours_standard_output_alone},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("terminal", tests);
}
