/* SPDX-License-Identifier: MIT */
/* Tests how text is escaped in DOT, and the colours of drawings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "viz/drawing/dot-text.h"
#include "viz/drawing/diff-style.h"
#include "viz/drawing/temperature.h"

static void expect(enum kt_dot_context context, const char *text, size_t limit,
		   const char *wanted)
{
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	kt_dot_put_some(out, context, text, limit);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(got, wanted);
	free(got);
}

static void escapes_for_each_context(void)
{
	const char *nasty = "a\"b\\N<&amp;>{|}é";

	expect(KT_DOT_LABEL, nasty, 99, "a\\\"b\\\\N<&amp;amp;>{|}é");
	expect(KT_DOT_TOOLTIP, nasty, 99, "a\\\"b\\\\\\\\N<&amp;amp;>{|}é");
	expect(KT_DOT_HTML, nasty, 99, "a&quot;b\\N&lt;&amp;amp;&gt;{|}é");
}

static void replaces_what_xml_cannot_hold(void)
{
	expect(KT_DOT_LABEL, "a\tb\x7f\xc2\x85", 99,
	       "a\xef\xbf\xbd"
	       "b\xef\xbf\xbd\xef\xbf\xbd");
	expect(KT_DOT_HTML, "\xff\xef\xbf\xbe\xef\xbf\xbf\xe2\x82", 99,
	       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void cuts_at_characters(void)
{
	expect(KT_DOT_LABEL, "éé\"x", 4, "éé\\\"x");
	expect(KT_DOT_LABEL, "éé\"x", 3, "éé\\\"…");
	expect(KT_DOT_LABEL, "", 0, "");
	expect(KT_DOT_LABEL, "a", 0, "…");
}

static double luminance(struct kt_colour c)
{
	const double weight[3] = {0.2126, 0.7152, 0.0722};
	const uint8_t channel[3] = {c.red, c.green, c.blue};
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double x = channel[i] / 255.0;

		sum += weight[i] *
		       (x <= 0.03928 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
	}
	return sum;
}

/*
 * Colours of text have a contrast of at least 4.5 to 1 on white, as WCAG 2 requires; black
 * text on tints has 9 to 1, and the text of a difference on its own tint has 4 to 1.
 */
static void colours_are_legible(void)
{
	for (int i = 0; i <= 100; i++) {
		double stroke = luminance(kt_temperature_stroke(i / 100.0));
		double tint = luminance(kt_temperature_tint(i / 100.0));

		CU_ASSERT_TRUE(1.05 / (stroke + 0.05) >= 4.5);
		CU_ASSERT_TRUE((tint + 0.05) / 0.05 >= 4.5 * 2);
	}
	for (enum kt_presence presence = KT_PRESENCE_NONE; presence <= KT_PRESENCE_NEW;
	     presence++) {
		double text = luminance(kt_diff_style(presence)->text);
		double tint = luminance(kt_diff_style(presence)->tint);

		CU_ASSERT_TRUE(1.05 / (text + 0.05) >= 4.5);
		CU_ASSERT_TRUE((tint + 0.05) / (text + 0.05) >= 4);
	}
}

static void temperature_is_logarithmic(void)
{
	CU_ASSERT_EQUAL(kt_temperature(0, 0), 0);
	CU_ASSERT_EQUAL(kt_temperature(1, 1), 0);
	CU_ASSERT_EQUAL(kt_temperature(1, 1000), 0);
	CU_ASSERT_EQUAL(kt_temperature(2, 2), kt_temperature(2, 10));
	CU_ASSERT_EQUAL(kt_temperature(1000, 1000), 1);
	CU_ASSERT_DOUBLE_EQUAL(kt_temperature(10, 1000), 1 / 3.0, 1e-9);
	CU_ASSERT_EQUAL(kt_temperature(UINT64_MAX, UINT64_MAX), 1);
	CU_ASSERT_TRUE(kt_temperature_stroke(0).blue > kt_temperature_stroke(0).red);
	CU_ASSERT_TRUE(kt_temperature_stroke(1).red > kt_temperature_stroke(1).blue);
	CU_ASSERT_TRUE(kt_temperature_pen(1) > kt_temperature_pen(0));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"escapes for each place", escapes_for_each_context},
		{"replaces what XML cannot hold", replaces_what_xml_cannot_hold},
		{"cuts at characters", cuts_at_characters},
		{"colours are legible", colours_are_legible},
		{"temperature is logarithmic", temperature_is_logarithmic},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("text", tests);
}
