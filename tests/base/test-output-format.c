/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/file-type.h"
#include "base/output-format.h"
#include "tests/suite.h"

static const char *const names[] = {"dot", "txt", "json"};

/* Returns the name of the format, NULL on error. */
static const char *pick(const char *path, const char *asked, bool among)
{
	const struct kt_output_request request = {path, asked, among};
	size_t i;

	return kt_output_format(&i, &request, names, 3) ? NULL : names[i];
}

static void goes_by_ending(void)
{
	CU_ASSERT_STRING_EQUAL(pick("a.json", NULL, false), "json");
	CU_ASSERT_STRING_EQUAL(pick("a.d/b.c.txt", NULL, true), "txt");
	CU_ASSERT_STRING_EQUAL(pick(NULL, NULL, true), "dot");
	CU_ASSERT_STRING_EQUAL(pick("-", NULL, true), "dot");
	CU_ASSERT_STRING_EQUAL(pick("/dev/stdout", NULL, true), "dot");
	CU_ASSERT_PTR_NULL(pick("a.d/json", NULL, false));
	CU_ASSERT_PTR_NULL(pick("json", NULL, false));
	CU_ASSERT_PTR_NULL(pick("a.json2", NULL, false));
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "write a.json2: this version writes .dot, .txt and .json; "
			       "did you mean '.json'?");
}

static void goes_by_name(void)
{
	CU_ASSERT_STRING_EQUAL(pick("-", "json", true), "json");
	CU_ASSERT_STRING_EQUAL(pick(NULL, "text", true), "txt");
	CU_ASSERT_STRING_EQUAL(pick("a.json", "txt", false), "txt");
	CU_ASSERT_STRING_EQUAL(pick("a", "txt", false), "txt");
	/* If standard output is among the outputs, an ending takes precedence over -f. */
	CU_ASSERT_STRING_EQUAL(pick("a.json", "txt", true), "json");
	CU_ASSERT_STRING_EQUAL(pick("a", "txt", true), "txt");
	CU_ASSERT_PTR_NULL(pick("a.json", "html", true));
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "--format must be dot, "
						   "txt or json, not 'html'");
}

static void checks_folders(void)
{
	CU_ASSERT_EQUAL(kt_output_check_folder("a"), KT_OK);
	CU_ASSERT_EQUAL(kt_output_check_folder("/a"), KT_OK);
	CU_ASSERT_EQUAL(kt_output_check_folder("/dev/stdout"), KT_OK);
	CU_ASSERT_EQUAL(kt_output_check_folder("/nowhere/a"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "write /nowhere/a: No such file or directory");
}

static void names_files(void)
{
	char path[] = "/tmp/ktail-test-XXXXXX";
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fflush(out);
	CU_ASSERT_PTR_NULL(kt_file_type(path));
	CU_ASSERT_EQUAL(kt_file_type_refuse(path, "a trace"), KT_E_MALFORMED);
	fputs("{\n  \"format\": \"ktail-fsm/1\",\n", out);
	fflush(out);
	CU_ASSERT_STRING_EQUAL(kt_file_type(path), "a state machine (ktail-fsm/1)");
	fclose(out);
	remove(path);
	CU_ASSERT_EQUAL(kt_file_type_refuse(path, "a trace"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_file_type("/"), "a folder");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"goes by ending", goes_by_ending},
		{"goes by name", goes_by_name},
		{"checks folders", checks_folders},
		{"names files", names_files},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("output-format", tests);
}
