/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "tests/suite.h"

struct seen {
	char log[128]; /* options set, in order */
};

static int set_o(void *context, const char *value)
{
	struct seen *seen = context;

	strcat(strcat(strcat(seen->log, "o="), value), ";");
	return strcmp(value, "bad") == 0 ? kt_error(KT_E_USAGE, "bad value") : KT_OK;
}

static int set_v(void *context, const char *value)
{
	struct seen *seen = context;

	strcat(seen->log, value ? "v?;" : "v;");
	return KT_OK;
}

static int set_m(void *context, const char *value)
{
	struct seen *seen = context;

	strcat(strcat(strcat(seen->log, "m="), value ? value : "?"), ";");
	return KT_OK;
}

static const struct kt_option table[] = {
	{"output", 'o', "FILE", "where to", KT_SET(set_o)},
	{"verbose", 'v', NULL, "say more", KT_SET(set_v)},
	{"long-only", 0, NULL, "no letter", KT_SET(set_v)},
	{"mode", 'm', "[MODE]", "perhaps how", KT_SET(set_m)},
	{0},
};

static const struct kt_command_line command = {"prog [-o FILE]", "Does it.", table, false,
					       NULL};

/*
 * Parses up to five words. Compares the log of options with `log`, and the operands, each
 * followed by a comma, with `operands`. Returns the code.
 */
static int parse(const struct kt_command_line *with, const char *log, const char *operands,
		 const char *const words[5])
{
	struct seen seen = {""};
	char joined[128] = "";
	char program[] = "prog";
	char *argv[7] = {program};
	char *kept[7];
	int argc = 1;
	int n = 0;
	int code;

	for (int i = 0; i < 5 && words[i]; i++) {
		argv[argc++] = strdup(words[i]);
	}
	memcpy(kept, argv, sizeof(kept));
	code = kt_options_parse(with, argc, argv, &seen, &n);
	for (int i = 0; !code && i < n; i++) {
		strcat(strcat(joined, argv[i]), ",");
	}
	CU_ASSERT_STRING_EQUAL(seen.log, log);
	CU_ASSERT_STRING_EQUAL(joined, operands);
	for (int i = 1; i < argc; i++) {
		free(kept[i]);
	}
	return code;
}

#define PARSE(log, operands, ...)                                                          \
	parse(&command, log, operands, (const char *const[5]){__VA_ARGS__})

static void takes_every_form(void)
{
	CU_ASSERT_EQUAL(PARSE("", "", NULL), KT_OK);
	CU_ASSERT_EQUAL(
		PARSE("o=a;o=b;o=c;o=d;", "", "-oa", "--output=b", "--output=c", "-od"),
		KT_OK);
	CU_ASSERT_EQUAL(PARSE("o=a;o=;", "", "-o", "a", "--output", ""), KT_OK);
	CU_ASSERT_EQUAL(PARSE("v;o=x;v;", "", "-vox", "--verbose"), KT_OK);
	CU_ASSERT_EQUAL(PARSE("o=-v;", "", "-o", "-v"), KT_OK);
	CU_ASSERT_EQUAL(PARSE("o=a=b;", "", "--output=a=b"), KT_OK);
}

static void may_leave_an_argument_out(void)
{
	CU_ASSERT_EQUAL(PARSE("m=?;", "a,", "--mode", "a"), KT_OK);
	CU_ASSERT_EQUAL(PARSE("m=a;m=;", "", "--mode=a", "--mode="), KT_OK);
	CU_ASSERT_EQUAL(PARSE("m=?;v;o=x;", "", "-mvox"), KT_OK);
}

static void sorts_out_operands(void)
{
	CU_ASSERT_EQUAL(PARSE("v;v;", "a,-,b,", "a", "-v", "-", "-v", "b"), KT_OK);
	CU_ASSERT_EQUAL(PARSE("v;", "-v,--,a,", "-v", "--", "-v", "--", "a"), KT_OK);
}

static void stops_at_the_first_operand_of_posix(void)
{
	const struct kt_command_line posix = {"prog", "Runs.", table, true, NULL};
	const char *const words[5] = {"-v", "run", "-v", "--output"};

	CU_ASSERT_EQUAL(parse(&posix, "v;", "run,-v,--output,", words), KT_OK);
}

static void names_other_options(void)
{
	static const char *const names[] = {"output", "mode", NULL};
	bool given[4] = {false};
	const struct kt_command_line noting = {"prog", "Runs.", table, false, given};
	const char *const usual[5] = {"-oa", "--mode"};
	const char *const other[5] = {"-vob"};

	CU_ASSERT_EQUAL(parse(&noting, "o=a;m=?;", "", usual), KT_OK);
	CU_ASSERT_PTR_NULL(kt_options_other(&noting, names));
	CU_ASSERT_EQUAL(parse(&noting, "v;o=b;", "", other), KT_OK);
	CU_ASSERT_STRING_EQUAL(kt_options_other(&noting, names), "verbose");
}

static void refuses_what_it_does_not_know(void)
{
	CU_ASSERT_EQUAL(PARSE("", "", "--outpu", "x"), KT_E_USAGE);
	CU_ASSERT_EQUAL(PARSE("", "", "-x"), KT_E_USAGE);
	CU_ASSERT_EQUAL(PARSE("", "", "--=x"), KT_E_USAGE);
	CU_ASSERT_EQUAL(PARSE("", "", "--verbose=yes"), KT_E_USAGE);
	CU_ASSERT_EQUAL(PARSE("", "", "--output"), KT_E_USAGE);
	CU_ASSERT_EQUAL(PARSE("v;", "", "-vo"), KT_E_USAGE);
	CU_ASSERT_EQUAL(PARSE("o=bad;", "", "-obad", "-v"), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "bad value");
}

struct typed {
	bool flag;
	const char *text;
	unsigned long number;
	const char *choice;
	enum typed_enum { ZERO, ONE } enumerated;
};

static const struct kt_option typed_table[] = {
	{"flag", 'f', NULL, "a flag", KT_FLAG(struct typed, flag)},
	{"text", 't', "TEXT", "a text", KT_TEXT(struct typed, text)},
	{"number", 'n', "N", "a number", KT_NUMBER(struct typed, number, 2, 9)},
	{"choice", 'c', "WORD", "a word",
	 KT_CHOICE(struct typed, choice, "one", "two", "three")},
	{"enum", 'e', "WORD", "a word, too",
	 KT_ENUM(struct typed, enumerated, "zero", "one")},
	{0},
};

static const struct kt_command_line typed_command = {"prog", "Runs.", typed_table, false,
						     NULL};

static int parse_typed(struct typed *typed, const char *word)
{
	char program[] = "prog";
	char *argv[3] = {program, strdup(word)};
	char *kept = argv[1];
	int n = 0;
	int code = kt_options_parse(&typed_command, 2, argv, typed, &n);

	/* typed->text points into the word, which is freed below. */
	CU_ASSERT(code || !typed->text || strcmp(typed->text, "x") == 0);
	typed->text = NULL;
	free(kept);
	return code;
}

static void fills_in_members_by_kind(void)
{
	struct typed typed = {0};

	CU_ASSERT_EQUAL(parse_typed(&typed, "-tx"), KT_OK);
	CU_ASSERT_FALSE(typed.flag);
	CU_ASSERT_EQUAL(parse_typed(&typed, "-fn7"), KT_OK);
	CU_ASSERT_TRUE(typed.flag);
	CU_ASSERT_EQUAL(typed.number, 7);
	CU_ASSERT_EQUAL(parse_typed(&typed, "--choice=three"), KT_OK);
	CU_ASSERT_STRING_EQUAL(typed.choice, "three");
	CU_ASSERT_EQUAL(parse_typed(&typed, "-cone"), KT_OK);
	CU_ASSERT_STRING_EQUAL(typed.choice, "one");
	CU_ASSERT_EQUAL(parse_typed(&typed, "--enum=one"), KT_OK);
	CU_ASSERT_EQUAL(typed.enumerated, ONE);
	CU_ASSERT_EQUAL(parse_typed(&typed, "-ezero"), KT_OK);
	CU_ASSERT_EQUAL(typed.enumerated, ZERO);
}

static void names_what_a_member_may_be(void)
{
	struct typed typed = {0};

	CU_ASSERT_EQUAL(parse_typed(&typed, "--number=1"), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "--number must be a whole number from 2 to 9, "
			       "not '1'");
	CU_ASSERT_EQUAL(parse_typed(&typed, "-cfour"), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "--choice must be one, two or three, not 'four'");
	CU_ASSERT_EQUAL(parse_typed(&typed, "-c"), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(typed.choice);
	CU_ASSERT_EQUAL(parse_typed(&typed, "-e1"), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "--enum must be zero or one, not '1'");
	CU_ASSERT_EQUAL(typed.enumerated, ZERO);
}

static void prints_every_option(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	kt_options_help(&command, out);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "usage: prog [-o FILE]\n\nDoes it.\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "-o, --output FILE "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "      --long-only "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "-m, --mode[=MODE] "));
	free(text);
}

/* An old option name works like the new one and is not in --help. */
static void knows_old_spellings(void)
{
	static const struct kt_option old_table[] = {
		{"output", 'o', "FILE", "where to", KT_SET(set_o)},
		{"output", 'p', "FILE", NULL, KT_SET(set_o), .instead = "-o"},
		{"put", 0, "FILE", NULL, KT_SET(set_o), .instead = "--output"},
		{0},
	};
	static const struct kt_command_line old = {"prog", "Does it.", old_table, false,
						   NULL};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(parse(&old, "o=a;o=b;o=c;", "",
			      (const char *const[5]){"-pa", "--put=b", "--output=c"}),
			KT_OK);
	kt_options_help(&old, out);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "-o, --output FILE "));
	CU_ASSERT_PTR_NULL(strstr(text, "-p"));
	CU_ASSERT_PTR_NULL(strstr(text, "--put"));
	free(text);
}

static const struct kt_option long_table[] = {
	KT_HEADING("most used"),
	{"mode", 'm', "NAME", "one two three four five six seven eight nine ten eleven",
	 KT_SET(set_m), KT_PROPOSE("fast", "slow")},
	KT_HEADING("seldom used"),
	{"a-name-that-is-too-long-for-its-column", 0, NULL, "its help is below",
	 KT_SET(set_v)},
	{"hidden", 0, NULL, NULL, KT_SET(set_v)},
	{0},
};

static const struct kt_command_line long_command = {"prog", "Runs.", long_table, false,
						    NULL};

static void check_print(const char *expected,
			void (*print)(const struct kt_command_line *, FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	print(&long_command, out);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, expected);
	free(text);
}

static void wraps_help_under_headings(void)
{
	check_print("usage: prog\n\nRuns.\n\n"
		    "most used:\n"
		    "  -m, --mode NAME  one two three four five six seven eight nine ten "
		    "eleven\n"
		    "\nseldom used:\n"
		    "      --a-name-that-is-too-long-for-its-column\n"
		    "                   its help is below\n",
		    kt_options_help);
}

static void lists_options(void)
{
	check_print("mode\tm\tNAME\tfast,slow\tone two three four five six seven eight "
		    "nine ten eleven\n"
		    "a-name-that-is-too-long-for-its-column\t\t\t\tits help is below\n",
		    kt_options_list);
}

static void names_the_nearest_option(void)
{
	CU_ASSERT_EQUAL(PARSE("", "", "--ouptut=x"), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "unknown option --ouptut; did you mean "
						   "--output? See prog --help");
	CU_ASSERT_EQUAL(PARSE("", "", "--else"), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "unknown option --else; see prog --help");
}

static void parses_numbers(void)
{
	static const char *const wrong[] = {
		"",    "-1",  "+1",  " 1", "1 ",
		"0x1", "1.0", "101", "9",  "99999999999999999999999"};
	unsigned long n = 0;

	CU_ASSERT_EQUAL(kt_parse_number(&n, "100", 10, 100, "--k"), KT_OK);
	CU_ASSERT_EQUAL(n, 100);
	CU_ASSERT_EQUAL(kt_parse_number(&n, "0", 0, 0, "--k"), KT_OK);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CU_ASSERT_EQUAL(kt_parse_number(&n, wrong[i], 10, 100, "--k"), KT_E_USAGE);
		CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "--k"));
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"takes every form", takes_every_form},
		{"may leave an argument out", may_leave_an_argument_out},
		{"sorts out operands", sorts_out_operands},
		{"stops at the first operand of posix",
		 stops_at_the_first_operand_of_posix},
		{"names other options", names_other_options},
		{"refuses what it does not know", refuses_what_it_does_not_know},
		{"fills in members by kind", fills_in_members_by_kind},
		{"names what a member may be", names_what_a_member_may_be},
		{"prints every option", prints_every_option},
		{"knows old spellings", knows_old_spellings},
		{"wraps help under headings", wraps_help_under_headings},
		{"lists options", lists_options},
		{"names the nearest option", names_the_nearest_option},
		{"parses numbers", parses_numbers},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("option-table", tests);
}
