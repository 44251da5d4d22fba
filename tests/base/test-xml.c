/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/xml.h"
#include "tests/suite.h"

static void expect(void (*put)(FILE *, const char *), const char *text,
		   const char *expected)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	put(out, text);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(got, expected);
	free(got);
}

static void escapes_markup(void)
{
	expect(kt_xml_put_text, "", "");
	expect(kt_xml_put_text, "a<b> & \"c\"]]>", "a&lt;b&gt; &amp; \"c\"]]&gt;");
	expect(kt_xml_put_attribute, "", "");
	expect(kt_xml_put_attribute, "a<b> & \"c\"'", "a&lt;b&gt; &amp; &quot;c&quot;'");
}

static void replaces_what_is_not_allowed(void)
{
	expect(kt_xml_put_attribute, "\x1b[2J\n\t\x7f", "?[2J??\x7f");
	expect(kt_xml_put_attribute, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
	       "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
	/* A byte alone, a sequence that is cut off, a surrogate, U+FFFE and U+FFFF. */
	expect(kt_xml_put_attribute,
	       "\xff"
	       "a\xe2\x82",
	       "?a??");
	expect(kt_xml_put_attribute, "\xed\xa0\x80", "???");
	expect(kt_xml_put_attribute, "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd",
	       "??\xef\xbf\xbd");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"escapes markup", escapes_markup},
		{"replaces what is not allowed", replaces_what_is_not_allowed},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("xml", tests);
}
