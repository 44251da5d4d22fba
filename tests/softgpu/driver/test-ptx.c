/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "corpus/softgpu/driver/work/ptx.h"
#include "tests/suite.h"

/*
 * Returns the names in the text, each followed by a blank, or "bad" if the text is invalid.
 */
static const char *names_of(const char *text)
{
	static char list[256];
	struct kt_ptx ptx;

	list[0] = '\0';
	if (kt_ptx_read(&ptx, text) != KT_PTX_OK) {
		return "bad";
	}
	for (size_t i = 0; i < ptx.n; i++) {
		strcat(list, ptx.names[i]);
		strcat(list, " ");
	}
	kt_ptx_free(&ptx);
	return list;
}

static void test_entries(void)
{
	CU_ASSERT_STRING_EQUAL(names_of(".version 7.0\n.target sm_52\n"), "");
	CU_ASSERT_STRING_EQUAL(names_of(".version 7.0 .visible .entry a(.param .u64 x){}"
					".entry _b2$(){ ld.param.u64 %r, [x]; }"),
			       "a _b2$ ");
	CU_ASSERT_STRING_EQUAL(
		names_of(".version 7.0 .entry a(); .entry b(){} .entry a(){}"), "a b ");
	CU_ASSERT_STRING_EQUAL(names_of(".version 7.0 .entry\n\t/* c */ // d\n a(){}"),
			       "a ");
	CU_ASSERT_STRING_EQUAL(names_of(".version 7.0 .entrya b(){} x.entry c"), "");
}

static void test_what_is_no_text_of_the_program(void)
{
	CU_ASSERT_STRING_EQUAL(names_of("// .entry a\n/* .entry b */.version 7.0"), "");
	CU_ASSERT_STRING_EQUAL(names_of(".version 7.0 .file 1 \".entry a\\\" .entry b\""),
			       "");
	CU_ASSERT_STRING_EQUAL(names_of(".version 7.0 // \"\n.entry a(){ \"}\" }"), "a ");
	CU_ASSERT_STRING_EQUAL(names_of(".version 7.0 /* \" */ .entry a(){}"), "a ");
}

static void test_garbage(void)
{
	static const char *const texts[] = {
		"",
		"hello",
		".entry a(){}",
		".version 7.0 {",
		".version 7.0 }",
		".version 7.0 /* no end",
		".version 7.0 \"no end",
		".version 7.0 \"no end\n\"",
		".version 7.0 \"\\",
		".version 7.0 .entry",
		".version 7.0 .entry (){}",
		".version 7.0 .entry 1a(){}",
		".version 7.0 .entry _(){}",
		".version 7.0 .entry a.b(){}",
		".version 7.0 { .entry a(){} }",
		".version 7.0 \001",
		".version 7.0 \303\244",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CU_ASSERT_STRING_EQUAL(names_of(texts[i]), "bad");
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"entries", test_entries},
		{"comments and strings", test_what_is_no_text_of_the_program},
		{"garbage", test_garbage},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-ptx", tests);
}
