/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"

static void gives_code_and_message(void)
{
	CU_ASSERT_EQUAL(kt_error(KT_E_MALFORMED, "read %s: %d", "x", 7), KT_E_MALFORMED);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "read x: 7");
}

static void names_and_keeps_errno(void)
{
	errno = ENOENT;
	CU_ASSERT_EQUAL(kt_error_errno(KT_E_IO, "open %s", "f"), KT_E_IO);
	CU_ASSERT_EQUAL(errno, ENOENT);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "open f: No such file or directory");
}

static void prepends(void)
{
	kt_error(KT_E_IO, "inner");
	CU_ASSERT_EQUAL(kt_error_prepend(KT_E_EMPTY, "read %s", "a"), KT_E_EMPTY);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "read a: inner");
}

/* A message that is too long for its buffer keeps its beginning. */
static void cuts_long_messages(void)
{
	char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	kt_error(KT_E_IO, "a%s", text);
	CU_ASSERT_TRUE(strlen(kt_error_message()) < sizeof(text) - 1);
	errno = EIO;
	kt_error_errno(KT_E_IO, "b%s", text);
	kt_error_prepend(KT_E_IO, "c%s", text);
	CU_ASSERT_EQUAL(kt_error_message()[0], 'c');
	kt_error_prepend(KT_E_IO, "short");
	CU_ASSERT_EQUAL(strncmp(kt_error_message(), "short: cxx", 10), 0);
}

static void maps_codes_to_exit_statuses(void)
{
	CU_ASSERT_EQUAL(kt_exit_status(KT_OK), 0);
	CU_ASSERT_EQUAL(kt_exit_status(KT_E_USAGE), 2);
	CU_ASSERT_EQUAL(kt_exit_status(KT_E_IO), 2);
	CU_ASSERT_EQUAL(kt_exit_status(KT_E_MEMORY), 2);
	CU_ASSERT_EQUAL(kt_exit_status(KT_E_INTERNAL), 2);
	CU_ASSERT_EQUAL(kt_exit_status(KT_E_MALFORMED), 3);
	CU_ASSERT_EQUAL(kt_exit_status(KT_E_EMPTY), 3);
	CU_ASSERT_EQUAL(kt_exit_status(KT_E_LOSS), 4);
	CU_ASSERT_EQUAL(kt_exit_status(-1000), 2);
	for (int code = KT_E_INTERNAL; code <= KT_OK; code++) {
		CU_ASSERT_STRING_NOT_EQUAL(kt_status_sentence(code),
					   kt_status_sentence(-1000));
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"gives code and message", gives_code_and_message},
		{"names and keeps errno", names_and_keeps_errno},
		{"prepends", prepends},
		{"cuts long messages", cuts_long_messages},
		{"maps codes to exit statuses", maps_codes_to_exit_statuses},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("status", tests);
}
