/* SPDX-License-Identifier: MIT */
/* Tests label rules: accepted and refused texts, the choice of a rule, and labels. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/label-rules.h"
#include "tests/suite.h"

static int parse(kt_label_rules **out, const char *text)
{
	char *copy = strdup(text);
	FILE *in = fmemopen(copy, strlen(copy), "r");
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	code = kt_label_rules_read(out, in, "x.tsv");
	fclose(in);
	free(copy);
	return code;
}

static void expect_refusal(const char *text, const char *message)
{
	kt_label_rules *rules = NULL;

	CU_ASSERT_EQUAL(parse(&rules, text), KT_E_MALFORMED);
	CU_ASSERT_PTR_NULL(rules);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), message);
}

static void refuses_line_by_line(void)
{
	expect_refusal("# nothing\n\n", "read x.tsv: no rule in it");
	expect_refusal("\n#\nevent=map\ta\tother\n",
		       "read x.tsv: line 3: not four fields separated by tabs");
	expect_refusal("event=map\ta\tother\tb\tc\n",
		       "read x.tsv: line 1: not four fields separated by tabs");
	expect_refusal("event=map\t\tother\tb\n",
		       "read x.tsv: line 1: not four fields separated by tabs");
	expect_refusal("event=map\ta\tother\t\n",
		       "read x.tsv: line 1: not four fields separated by tabs");
	expect_refusal("colour=red\ta\tother\tb\n",
		       "read x.tsv: line 1: a condition names an unknown fact: colour=red");
	expect_refusal("event\ta\tother\tb\n",
		       "read x.tsv: line 1: a condition names an unknown fact: event");
	expect_refusal("=map\ta\tother\tb\n",
		       "read x.tsv: line 1: a condition names an unknown fact: =map");
	expect_refusal(
		"event=\ta\tother\tb\n",
		"read x.tsv: line 1: a condition has no value to compare with: event=");
	expect_refusal(
		"op=R|\ta\tother\tb\n",
		"read x.tsv: line 1: a condition has no value to compare with: op=R|");
	expect_refusal(
		"op=|R\ta\tother\tb\n",
		"read x.tsv: line 1: a condition has no value to compare with: op=|R");
	expect_refusal(
		"op=R||W\ta\tother\tb\n",
		"read x.tsv: line 1: a condition has no value to compare with: op=R||W");
	expect_refusal("  \ta\tother\tb\n",
		       "read x.tsv: line 1: neither a condition nor \"-\"");
	expect_refusal("op=R\ta\tpart\tb\n", "read x.tsv: line 1: unknown role: part");
	expect_refusal(
		"op=R\ta {of}\tother\tb\n",
		"read x.tsv: line 1: a brace in the label names an unknown fact: a {of}");
	expect_refusal(
		"op=R\ta {op\tother\tb\n",
		"read x.tsv: line 1: a brace in the label names an unknown fact: a {op");
	expect_refusal(
		"op=R\ta }\tother\tb\n",
		"read x.tsv: line 1: a brace in the label names an unknown fact: a }");
	expect_refusal("op=R\ta\x01\tother\tb\n",
		       "read x.tsv: line 1: a control character");
}

static void refuses_merges(void)
{
	expect_refusal("letter=a\tx\tmerge\ts\n",
		       "read x.tsv: line 1: rules that merge states do not know the fact: "
		       "letter");
	expect_refusal("after=a\tx\tother\ts\n",
		       "read x.tsv: line 1: rules for labels do not know the fact: after");
	expect_refusal("-\tx\tmerge\ts\n",
		       "read x.tsv: line 1: without a condition, it merges all states");
	expect_refusal("in=a\t{label}\tmerge\ts\n",
		       "read x.tsv: line 1: a brace in the name of merged states: {label}");
	expect_refusal("in=a\tx\xff\tmerge\ts\n",
		       "read x.tsv: line 1: the name of merged states is not printable "
		       "UTF-8: x\xff");
	expect_refusal("after!=a\tx\tmerge\ts\n",
		       "read x.tsv: line 1: \"after\" names one state, so it takes no "
		       "\"!=\": a");
	expect_refusal(
		"in=a after=a,,b\tx\tmerge\ts\n",
		"read x.tsv: line 1: an empty letter after a comma or before it: a,,b");
	expect_refusal(
		"after=,a\tx\tmerge\ts\n",
		"read x.tsv: line 1: an empty letter after a comma or before it: ,a");
	expect_refusal(
		"after=a,\tx\tmerge\ts\n",
		"read x.tsv: line 1: an empty letter after a comma or before it: a,");
	expect_refusal(
		"after=a,|b\tx\tmerge\ts\n",
		"read x.tsv: line 1: an empty letter after a comma or before it: a,|b");
	expect_refusal(
		"after=a|,b\tx\tmerge\ts\n",
		"read x.tsv: line 1: an empty letter after a comma or before it: a|,b");
}

#define STATES "state\tb\tuser\ts\nstate\tm\tuser\ts\nstate\te\tuser\ts\n"

static void refuses_columns(void)
{
	expect_refusal(
		"role=wait\tm\tuser\tb\n",
		"read x.tsv: line 1: no line \"state\" before it names the state: m");
	expect_refusal(STATES "state\tm\tuser\ts\n",
		       "read x.tsv: line 4: the column has this state already: m");
	expect_refusal("state\tm\tother\ts\n",
		       "read x.tsv: line 1: a condition names an unknown fact: state");
	expect_refusal(
		"state\tm\tsystem\ts\n",
		"read x.tsv: the column \"system\" has 1 states, must have 3 or more");
	expect_refusal(STATES "role=wait\tm\tuser\tr\n",
		       "read x.tsv: the last rule of the column \"user\" must have no "
		       "condition (\"-\"), so that each letter has a state");
	expect_refusal(STATES "event=map\tm\tuser\tr\n",
		       "read x.tsv: line 4: rules for states do not know the fact: event");
	expect_refusal("label=x\tm\tother\tr\n",
		       "read x.tsv: line 1: rules for labels do not know the fact: label");
	expect_refusal(STATES "-\te\tuser\tr\n",
		       "read x.tsv: line 4: words begin or end in this state, so no letter "
		       "leads to it: e");
}

/*
 * Built-in rules replace what is missing in a file: here labels, and the states of the
 * system's column.
 */
static void completes_files(void)
{
	kt_label_rules *builtin = NULL;
	kt_label_rules *rules = NULL;
	const kt_label_rules *user;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(kt_label_rules_default(&builtin), KT_OK);
	CU_ASSERT_EQUAL_FATAL(parse(&rules, STATES "-\tm\tuser\twhy\n"), KT_OK);
	CU_ASSERT_EQUAL(kt_label_rules_count(rules), kt_label_rules_count(builtin));
	user = kt_label_rules_column(rules, KT_COLUMN_USER);
	CU_ASSERT_EQUAL_FATAL(kt_label_rules_count(user), 1);
	CU_ASSERT_EQUAL(kt_label_rules_at(user, 0)->state, 1);
	CU_ASSERT_STRING_EQUAL(kt_label_rules_at(user, 0)->source, "why");
	CU_ASSERT_STRING_EQUAL(kt_column_states(user, &n)[1].name, "m");
	CU_ASSERT_EQUAL(n, 3);
	CU_ASSERT_STRING_EQUAL(
		kt_column_states(kt_label_rules_column(rules, KT_COLUMN_SYSTEM), &n)[0]
			.name,
		"init");
	CU_ASSERT_EQUAL(n, 11);
	kt_label_rules_free(rules);
	kt_label_rules_free(builtin);
}

/* Returns the line of the rule that matches these facts, 0 if none does. */
static size_t line_of(const char *text, const struct kt_facts *facts)
{
	kt_label_rules *rules = NULL;
	size_t n;
	size_t i;
	size_t line;

	CU_ASSERT_EQUAL_FATAL(parse(&rules, text), KT_OK);
	n = kt_label_rules_count(rules);
	i = kt_label_rules_match(rules, facts, 0, n);
	line = i < n ? kt_label_rules_at(rules, i)->line : 0;
	kt_label_rules_free(rules);
	return line;
}

static size_t line_for(const char *condition, const char *command)
{
	char text[256];
	struct kt_facts facts = {{NULL}};

	facts.values[KT_FACT_COMMAND] = command;
	snprintf(text, sizeof(text), "# a comment\n%s\tx\tother\ty\n", condition);
	return line_of(text, &facts);
}

static void fits_patterns(void)
{
	CU_ASSERT_EQUAL(line_for("command=A_GET_B", "A_GET_B"), 2);
	CU_ASSERT_EQUAL(line_for("command=A_GET_B", "A_GET_BC"), 0);
	CU_ASSERT_EQUAL(line_for("command=A_GET_BC", "A_GET_B"), 0);
	CU_ASSERT_EQUAL(line_for("command=A_*", "A_GET_B"), 2);
	CU_ASSERT_EQUAL(line_for("command=A_*", "A_"), 2);
	CU_ASSERT_EQUAL(line_for("command=*_GET_*", "A_GET_B"), 2);
	CU_ASSERT_EQUAL(line_for("command=*_GET_*", "A_SET_B"), 0);
	CU_ASSERT_EQUAL(line_for("command=*AB", "AAAB"), 2);
	CU_ASSERT_EQUAL(line_for("command=*AB*C", "AABABBC"), 2);
	CU_ASSERT_EQUAL(line_for("command=*", ""), 2);
	CU_ASSERT_EQUAL(line_for("command=x|y*|z", "yes"), 2);
	CU_ASSERT_EQUAL(line_for("command=x|y*|z", "z"), 2);
	CU_ASSERT_EQUAL(line_for("command=x|y*|z", "no"), 0);
	CU_ASSERT_EQUAL(line_for("command!=x|y*", "no"), 2);
	CU_ASSERT_EQUAL(line_for("command!=x|y*", "yes"), 0);
	/* A missing fact matches no pattern. */
	CU_ASSERT_EQUAL(line_for("command=*", NULL), 0);
	CU_ASSERT_EQUAL(line_for("command!=*", NULL), 2);
	CU_ASSERT_EQUAL(line_for("-", NULL), 2);
	CU_ASSERT_EQUAL(line_for("command=a=b", "a=b"), 2);
}

/* Matches a pattern slowly, by trying every length for a star. */
static bool slow_fits(const char *pattern, const char *text)
{
	if (!*pattern) {
		return !*text;
	}
	if (*pattern == '*') {
		return slow_fits(pattern + 1, text) ||
		       (*text && slow_fits(pattern, text + 1));
	}
	return *pattern == *text && slow_fits(pattern + 1, text + 1);
}

static void fits_as_a_slow_reader_says(void)
{
	unsigned seed = 7;

	for (int round = 0; round < 4000; round++) {
		char condition[32] = "command=";
		char text[10] = "";
		size_t n = 1 + (size_t)rand_r(&seed) % 6;
		size_t m = (size_t)rand_r(&seed) % 9;

		for (size_t i = 0; i < n; i++) {
			condition[8 + i] = "ab*"[rand_r(&seed) % 3];
		}
		for (size_t i = 0; i < m; i++) {
			text[i] = "ab"[rand_r(&seed) % 2];
		}
		CU_ASSERT_EQUAL(line_for(condition, text) == 2,
				slow_fits(condition + 8, text));
	}
}

static void takes_the_first(void)
{
	static const char text[] = "event=map op=R\tone\tother\ts\n"
				   "event=map\ttwo\tcreate\ts\n"
				   "-\tthree\tother\ts\n";
	struct kt_facts facts = {{NULL}};

	facts.values[KT_FACT_EVENT] = "map";
	CU_ASSERT_EQUAL(line_of(text, &facts), 2);
	facts.values[KT_FACT_OP] = "R";
	CU_ASSERT_EQUAL(line_of(text, &facts), 1);
	facts.values[KT_FACT_EVENT] = "unmap";
	CU_ASSERT_EQUAL(line_of(text, &facts), 3);
	CU_ASSERT_EQUAL(line_of("-\tone\tother\ts\n", &facts), 1);
}

static void writes_labels(void)
{
	kt_label_rules *rules = NULL;
	struct kt_facts facts = {{NULL}};
	char *label = NULL;

	CU_ASSERT_EQUAL_FATAL(parse(&rules, "-\tsubmit: {work}, {call-kind}!\tdma\ts"),
			      KT_OK);
	facts.values[KT_FACT_WORK] = "copy\n";
	CU_ASSERT_EQUAL(kt_label_rules_at(rules, 0)->role, KT_LABEL_DMA);
	CU_ASSERT_STRING_EQUAL(kt_label_rules_at(rules, 0)->source, "s");
	CU_ASSERT_EQUAL(kt_label_format(&label, kt_label_rules_at(rules, 0), &facts),
			KT_OK);
	CU_ASSERT_STRING_EQUAL(label, "submit: copy?, ?!");
	free(label);
	kt_label_rules_free(rules);
}

static void has_names(void)
{
	for (int i = 0; i < KT_FACTS; i++) {
		CU_ASSERT_PTR_NOT_NULL(kt_fact_name((enum kt_fact)i));
	}
	for (int i = 0; i < KT_LABEL_ROLES; i++) {
		enum kt_label_role role;

		CU_ASSERT_TRUE(kt_label_role_find(
			&role, kt_label_role_name((enum kt_label_role)i)));
		CU_ASSERT_EQUAL((int)role, i);
	}
}

/* In the built-in table, each label has one role, and each rule has a source. */
static void default_table_is_sound(void)
{
	kt_label_rules *rules = NULL;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(kt_label_rules_default(&rules), KT_OK);
	n = kt_label_rules_count(rules);
	CU_ASSERT_TRUE(n > 80);
	for (size_t i = 0; i < n; i++) {
		const struct kt_label_rule *rule = kt_label_rules_at(rules, i);

		CU_ASSERT_TRUE(strlen(rule->source) >= 4);
		for (size_t j = 0; j < i; j++) {
			const struct kt_label_rule *other = kt_label_rules_at(rules, j);

			if (!strchr(rule->label, '{') &&
			    strcmp(rule->label, other->label) == 0) {
				CU_ASSERT_EQUAL(rule->role, other->role);
			}
		}
	}
	kt_label_rules_free(rules);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"refuses line by line", refuses_line_by_line},
		{"refuses columns", refuses_columns},
		{"refuses merges", refuses_merges},
		{"completes files", completes_files},
		{"fits patterns", fits_patterns},
		{"fits as a slow reader says", fits_as_a_slow_reader_says},
		{"takes the first", takes_the_first},
		{"writes labels", writes_labels},
		{"has names", has_names},
		{"default table is sound", default_table_is_sound},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("label-rules", tests);
}
