/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"
#include "viz/machine/layout.h"

/* Checks that the picture begins with `wanted`, which has at most 8 bytes. */
static void expect_beginning(FILE *in, const char *wanted)
{
	char text[9] = "";

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	CU_ASSERT_EQUAL(fread(text, 1, strlen(wanted), in), strlen(wanted));
	CU_ASSERT_STRING_EQUAL(text, wanted);
}

static void draws_every_format(void)
{
	struct kt_picture pictures[] = {
		{.format = "svg"}, {.format = "png"}, {.format = "pdf"}};
	struct kt_layout layout = {.way = ""};

	CU_ASSERT_EQUAL_FATAL(
		kt_lay_out(pictures, 3, "digraph { a -> b }", 60, INFINITY, &layout),
		KT_OK);
	CU_ASSERT_PTR_NULL(layout.way);
	CU_ASSERT(layout.width > 10 && layout.width < 200);
	CU_ASSERT_EQUAL(layout.faults.unmoved, 0);
	expect_beginning(pictures[0].file, "<?xml ve");
	expect_beginning(pictures[1].file, "\x89PNG\r\n\x1a\n");
	expect_beginning(pictures[2].file, "%PDF-");
	kt_pictures_close(pictures, 3);
	CU_ASSERT_PTR_NULL(pictures[0].file);
}

static void expect_failure(const char *format, const char *dot, const char *reason)
{
	struct kt_picture picture = {.format = format};
	struct kt_layout layout = {0};

	CU_ASSERT_EQUAL(kt_lay_out(&picture, 1, dot, 60, INFINITY, &layout), KT_E_IO);
	CU_ASSERT_PTR_NULL(picture.file);
	CU_ASSERT_EQUAL(strncmp(kt_error_message(), "lay out drawing: ", 17), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), reason));
}

static void says_why_it_failed(void)
{
	expect_failure("svg", "digraph { a -> ", "syntax error");
	expect_failure("svg", "", "cannot be parsed");
	expect_failure("gemstone", "digraph { a }", "gemstone");
}

static double width_of(const char *dot)
{
	struct kt_picture picture = {.format = "svg"};
	struct kt_layout layout = {0};

	CU_ASSERT_EQUAL_FATAL(kt_lay_out(&picture, 1, dot, 60, INFINITY, &layout), KT_OK);
	kt_pictures_close(&picture, 1);
	CU_ASSERT(layout.faults.unmoved <= 1);
	return layout.width;
}

/*
 * Beside the thick line no label has a place, however much space there is. Then the first
 * layout is taken, not the layout with the most space.
 */
static void takes_the_smallest_of_equal_layouts(void)
{
#define GRAPH(pen)                                                                         \
	"digraph { nodesep=2; a -> b [label=x, penwidth=" pen "]; a -> c; a -> d; a -> e " \
	"}"
	double thin = width_of(GRAPH("1"));

	CU_ASSERT(thin > 400);
	CU_ASSERT(fabs(width_of(GRAPH("4000")) - thin) < 30);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"draws every format", draws_every_format},
		{"says why it failed", says_why_it_failed},
		{"takes the smallest of equal layouts",
		 takes_the_smallest_of_equal_layouts},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("layout", tests);
}
