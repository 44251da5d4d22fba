/* SPDX-License-Identifier: MIT */
/* Tests that `ktail decode --brief` joins launches whose QMDs are not in the commands. */
#include <stdlib.h>
#include <string.h>

#include "annotate/listing/print.h"
#include "tests/suite.h"

static void put(struct kt_text_printer *p, enum kt_command_kind kind, uint64_t address)
{
	const struct kt_submission submission = {.number = 1, .process = "app"};
	const struct kt_submitted_entry entry = {.unread = ""};
	const struct kt_decoded decoded = {.command = {.kind = kind, .address = address}};

	kt_print_text.method(p, &submission, &entry, &decoded, NULL);
}

/* Prints launches at 0x100, 0x200, 0x300, an idle wait, and a launch at 0x400. */
static char *print(bool brief)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct kt_text_printer p = {.out = out, .brief = brief};

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	p.line = kt_wrap_line(out, 0);
	for (uint64_t address = 0x100; address <= 0x300; address += 0x100) {
		put(&p, KT_COMMAND_LAUNCH, address);
	}
	put(&p, KT_COMMAND_WAIT_FOR_IDLE, 0);
	put(&p, KT_COMMAND_LAUNCH, 0x400);
	kt_print_text.submission_end(&p, &(struct kt_submission){.number = 1});
	fclose(out);
	return text;
}

static void test_brief(void)
{
	char *text = print(true);

	CU_ASSERT_PTR_NOT_NULL(strstr(text,
				      "      => 3 launches, first qmd 0x100, last 0x300, "
				      "contents not in these commands\n"
				      "      => wait-for-idle"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
				      "      => launch qmd 0x400 contents not in these "
				      "commands\n"));
	free(text);
}

static void test_whole(void)
{
	char *text = print(false);
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, "=> launch qmd 0x")); at++) {
		n++;
	}
	CU_ASSERT_EQUAL(n, 4);
	CU_ASSERT_PTR_NULL(strstr(text, "launches,"));
	free(text);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"launches joined in brief", test_brief},
		{"a line for each launch", test_whole},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("print-text", tests);
}
