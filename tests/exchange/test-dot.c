/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/exchange/expect.h"
#include "tests/suite.h"

#define TEN  "0123456789"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN

static void reads_others(void)
{
	rig_expect_machine(kt_fsm_read_dot, DATA, "aalpy-dfa.dot", DATA, "aalpy-dfa.json");
	rig_expect_machine(kt_fsm_read_dot, DATA, "aalpy-mealy.dot", DATA,
			   "aalpy-mealy.json");
	rig_expect_machine(kt_fsm_read_dot, DATA, "aalpy-moore.dot", DATA,
			   "aalpy-moore.json");
	rig_expect_machine(kt_fsm_read_dot, DATA, "learnlib-dfa.dot", DATA,
			   "learnlib-dfa.json");
	rig_expect_machine(kt_fsm_read_dot, DATA, "learnlib-mealy.dot", DATA,
			   "learnlib-mealy.json");
	rig_expect_machine(kt_fsm_read_dot, DATA, "learnlib-moore.dot", DATA,
			   "learnlib-moore.json");
	rig_expect_machine(kt_fsm_read_dot, DATA, "twins.gv", DATA, "twins.json");
}

static void reads_the_language(void)
{
	rig_expect_machine(kt_fsm_read_dot, DATA, "language.dot", DATA, "language.json");
}

static void writes_dialects(void)
{
	rig_expect_text(rig_write_ktail, GOLDEN, "small.json", "small.gv");
	rig_expect_text(rig_write_aalpy, GOLDEN, "small.json", "small-aalpy.dot");
	rig_expect_text(rig_write_learnlib, GOLDEN, "small.json", "small-learnlib.dot");
	rig_expect_machine(kt_fsm_read_dot, GOLDEN, "small.gv", GOLDEN, "small.json");
}

static void knows_dialects(void)
{
	enum kt_dot_dialect dialect = KT_DOT_KTAIL;

	CU_ASSERT_EQUAL(kt_dot_dialect_of("learnlib", &dialect), KT_OK);
	CU_ASSERT_EQUAL(dialect, KT_DOT_LEARNLIB);
	CU_ASSERT_EQUAL(kt_dot_dialect_of("AALpy", &dialect), KT_E_USAGE);
}

/* A letter that the other program's reader would change is not written. */
static void refuses_letters(void)
{
	static const struct {
		const char *letter;
		bool aalpy;
		bool learnlib;
	} cases[] = {
		{"a b", true, true},  {"a\"b", false, true}, {"a\\b", false, true},
		{"a ", false, false}, {" a", false, false},  {"{a}", false, true},
		{"{a", true, true},   {"a/b", true, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kt_fsm_state state = {0};
		struct kt_fsm_transition t = {0};
		union {
			const char *read_only;
			char *text;
		} letter = {.read_only = cases[i].letter};
		struct kt_fsm fsm = {.letters = &letter.text,
				     .n_letters = 1,
				     .states = &state,
				     .n_states = 1,
				     .transitions = &t,
				     .n_transitions = 1};
		char *aalpy = rig_write(rig_write_aalpy, &fsm);
		char *learnlib = rig_write(rig_write_learnlib, &fsm);

		CU_ASSERT_EQUAL(aalpy != NULL, cases[i].aalpy);
		CU_ASSERT_EQUAL(learnlib != NULL, cases[i].learnlib);
		free(aalpy);
		free(learnlib);
	}
}

static void expect_refusal(const char *text, const char *reason)
{
	rig_expect_refusal(kt_fsm_read_dot, text, "read x", reason);
}

static void refuses_other_texts(void)
{
	expect_refusal("", "x:1: expected 'digraph', not the end");
	expect_refusal("{}", "x:1: expected 'digraph', not '{'");
	expect_refusal("graph { a -- b }", "x:1: the graph is undirected");
	expect_refusal("digraph {\n a -- b }", "x:2: an undirected edge");
	expect_refusal("digraph {", "x:1: expected a statement, not the end");
	expect_refusal("digraph {} x", "x:1: expected the end, not 'x'");
	expect_refusal("digraph { \"a", "x:1: an unterminated string");
	expect_refusal("digraph { \"a\\", "x:1: an unterminated string");
	expect_refusal("digraph { a [label=<b<c>] }", "x:1: an unterminated HTML string");
	expect_refusal("digraph { /* a", "x:1: an unterminated comment");
	expect_refusal("digraph { a [label] [=] }", "x:1: expected an attribute, not '='");
	expect_refusal("digraph { a [label=] }", "x:1: expected a value, not ']'");
	expect_refusal("digraph { a [label=b }", "x:1: expected an attribute, not '}'");
	expect_refusal("digraph { node a }", "x:1: expected '[', not 'a'");
	expect_refusal("digraph { a -> {b c} }", "x:1: an edge of a whole subgraph");
	expect_refusal("digraph { a -> subgraph {b} }", "x:1: an edge of a whole subgraph");
	expect_refusal("digraph { {b c} -> a }", "x:1: an edge of a whole subgraph");
	expect_refusal("digraph { a: -> b }", "x:1: expected a port, not an edge");
	expect_refusal("digraph { a -> }", "x:1: expected a node, not '}'");
	expect_refusal("digraph { a ? }", "x:1: unexpected '?'");
	expect_refusal("digraph { \x01 }", "x:1: a control character");
	expect_refusal("digraph { = }", "x:1: expected a statement, not '='");
	/* Line numbers include the lines before "digraph". */
	expect_refusal("\n# a\n\ndigraph {\n = }", "x:5: expected a statement, not '='");
}

static void refuses_what_is_too_deep(void)
{
	char text[1024] = "digraph ";

	memset(text + 8, '{', 500);
	expect_refusal(text, "x:1: subgraphs more than 100 deep");
}

static void refuses_other_graphs(void)
{
	expect_refusal("digraph {}", "x: it has no start state: no unlabelled edge "
				     "comes from a node of its own, such as __start0");
	expect_refusal("digraph { a -> b [label=c] }",
		       "x: it has no start state: no unlabelled edge comes from a node "
		       "of its own, such as __start0");
	expect_refusal("digraph { i -> a; j -> b; }",
		       "x: line 1: it has two start states, a and b");
	expect_refusal("digraph { i -> a; a -> b; a -> c [label=x] }",
		       "x: line 1: an edge from a has no label");
	expect_refusal(
		"digraph { i -> a; a -> b [label=\" \"] }",
		"x: line 1: the label of an edge from a is empty, not valid UTF-8 or "
		"contains control characters");
	expect_refusal(
		"digraph { i -> a; a -> b [label=\"x\ny\"] }",
		"x: line 1: the label of an edge from a is empty, not valid UTF-8 or "
		"contains control characters");
	expect_refusal(
		"digraph { i -> a; a -> b [label=\"\xff\"] }",
		"x: line 1: the label of an edge from a is empty, not valid UTF-8 or "
		"contains control characters");
	expect_refusal("digraph { i -> a; a -> b [label=x]; a -> c [label=x] }",
		       "x: line 1: state a has two transitions with the letter x");
	/* A long name with a control character is shown as "?". */
	expect_refusal("digraph { i -> \"" LONG "\x01\"; \"" LONG "\x01\" -> b [label=x]; "
		       "\"" LONG "\x01\" -> c [label=x] }",
		       "x: line 1: state ? has two transitions with the letter x");
	expect_refusal("digraph { i -> a; a -> b [label=x]; b [shape=doublecircle] }",
		       "x: line 1: state a rejects, but leads to one that accepts: "
		       "machines of ktail accept every prefix");
	expect_refusal("digraph { i -> a; b [shape=doublecircle] }",
		       "x: it accepts nothing, not even the empty word");
	expect_refusal("digraph { graph [id=fsm, class=fsm]; i -> a }",
		       "x: it is a drawing; only .json and .gv can be read back");
}

#define HEAD                                                                               \
	"{\\\"format\\\":\\\"ktail-fsm/1\\\",\\\"k\\\":1,\\\"machine\\\":\\\"chains\\\","  \
	"\\\"word\\\":\\\"process\\\",\\\"alphabet\\\":null,\\\"letters\\\":[\\\"a\\\"],"  \
	"\\\"words\\\":[{\\\"name\\\":\\\"w\\\",\\\"events\\\":1,\\\"lost\\\":0,"          \
	"\\\"entry\\\":0,\\\"exit\\\":0,\\\"complete\\\":true,\\\"hash\\\":"               \
	"\\\"0123456789abcdef0123456789abcdef\\\"}],\\\"start\\\":0}"
#define OURS(states, edges)                                                                \
	"digraph { fsm=\"" HEAD "\"; " states " " edges " __start0 -> s0 }"

/* In the dialect "ktail", all attributes must be present and fit one another. */
static void checks_ours(void)
{
	static const char good[] =
		OURS("s0 [visits=2, ends=1]", "s0 -> s0 [label=a count=1]");
	struct kt_fsm *fsm = NULL;

	CU_ASSERT_EQUAL(rig_read(kt_fsm_read_dot, &fsm, good, strlen(good)), KT_OK);
	kt_fsm_free(fsm);
	expect_refusal(OURS("s0 [visits=3, ends=1]", "s0 -> s0 [label=a count=1]"),
		       "x: read its machine: the \"visits\" of \"states\" add up to 3, but "
		       "the words have 1 letters and 1 beginnings");
	expect_refusal(OURS("s0 [visits=2]", "s0 -> s0 [label=a count=1]"),
		       "x: line 1: 'ends' is missing");
	expect_refusal(OURS("s0 [visits=-2]", ""),
		       "x: line 1: 'visits' must be a whole number below 2^63, not '-2'");
	expect_refusal(OURS("s0 [visits=99999999999999999999]", ""),
		       "x: line 1: 'visits' must be a whole number below 2^63, not "
		       "'99999999999999999999'");
	expect_refusal("digraph { fsm=\"" HEAD
		       "\"; s1 [visits=2, ends=1]; __start0 -> s1 }",
		       "x: there is no state s0, but 1 states");
	expect_refusal(OURS("s7 [visits=2, ends=1]", ""),
		       "x: line 1: a state is called 's7', must be one of s0, s1, ..., "
		       "without duplicates");
	expect_refusal(OURS("q [visits=2, ends=1]", ""),
		       "x: line 1: a state is called 'q', must be one of s0, s1, ..., "
		       "without duplicates");
	expect_refusal(OURS("s0 [visits=2, ends=1]; s00", ""),
		       "x: line 1: a state is called 's00', must be one of s0, s1, ..., "
		       "without duplicates");
	expect_refusal(OURS("s0 [visits=2, ends=1]", "s0 -> s0 [count=1]"),
		       "x: line 1: a transition has no letter");
	expect_refusal(OURS("s0 [visits=2, ends=1]", "s0 -> s0 [label=a]"),
		       "x: line 1: 'count' is missing");
	expect_refusal(OURS("s0 [visits=2, ends=1]", "s0 -> s0 [label=b count=1]"),
		       "x: read its machine: transitions[0].letter: must be one of "
		       "\"letters\", not \"b\"");
	expect_refusal(OURS("s0 [visits=2, ends=1]", "s0 -> __start0 [label=a count=1]"),
		       "x: line 1: a transition has no target state");
	expect_refusal(
		OURS("s0 [visits=2, ends=1]", "s0 -> s0 [label=\"\xff\" count=1]"),
		"x: line 1: a letter is not valid UTF-8 or contains control characters");
	expect_refusal("digraph { fsm=\"[\" }",
		       "x: 'fsm' is not a JSON object: ']' expected near end of file");
	expect_refusal("digraph { fsm=\"7\" }",
		       "x: 'fsm' is not a JSON object: '[' or '{' expected near '7'");
	expect_refusal("digraph { fsm=\"{}\"; s0 [visits=0 ends=0] }",
		       "x: read its machine: format: is missing, must be \"ktail-fsm/1\"");
}

/* Every proper prefix of a file is refused. */
static void refuses_every_cut(void)
{
	char *text = rig_load(GOLDEN, "small.gv");
	size_t length = strlen(text) - 1; /* without the newline */

	for (size_t i = 0; i < length; i++) {
		struct kt_fsm *fsm = NULL;

		CU_ASSERT_EQUAL(rig_read(kt_fsm_read_dot, &fsm, text, i), KT_E_MALFORMED);
		kt_fsm_free(fsm);
	}
	free(text);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"reads others", reads_others},
		{"reads the language", reads_the_language},
		{"writes dialects", writes_dialects},
		{"knows dialects", knows_dialects},
		{"refuses letters", refuses_letters},
		{"refuses other texts", refuses_other_texts},
		{"refuses what is too deep", refuses_what_is_too_deep},
		{"refuses other graphs", refuses_other_graphs},
		{"checks ours", checks_ours},
		{"refuses every cut", refuses_every_cut},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("dot", tests);
}
