/* SPDX-License-Identifier: MIT */
/* Compares the machine of each construct of the language with a machine written by hand. */
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "tests/softgpu/truth/from-text.h"
#include "tests/suite.h"

#define HEAD                                                                               \
	"setting version 2 1\n"                                                            \
	"memory one one sys\n"                                                             \
	"memory many many sys\n"                                                           \
	"memory other one fb\n"                                                            \
	"procedure main\n"

/* Prints the transitions in order, as "0 a 1; 1 b 0". */
static void print_machine(char *out, size_t size, const struct kt_fsm *fsm)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < fsm->n_transitions && n < size; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		n += (size_t)snprintf(out + n, size - n, "%s%u %s %u", i ? "; " : "",
				      t->from, fsm->letters[t->letter], t->to);
	}
}

static void expect_text(const char *text, const char *set, const char *alphabet,
			const char *body, const char *machine)
{
	char found[2048];
	struct kt_fsm *fsm = truth_in_letters(text, set, alphabet);

	CU_ASSERT_PTR_NOT_NULL(fsm);
	if (!fsm) {
		fprintf(stderr, "%s", kt_error_message());
		return;
	}
	print_machine(found, sizeof(found), fsm);
	CU_ASSERT_STRING_EQUAL(found, machine);
	if (strcmp(found, machine) != 0) {
		fprintf(stderr, "%s:\n  %s, not\n  %s\n", body, found, machine);
	}
	kt_fsm_free(fsm);
}

static void expect_with(const char *body, const char *set, const char *machine)
{
	char text[2048];

	snprintf(text, sizeof(text), HEAD "%s", body);
	expect_text(text, set, "table1", body, machine);
}

static void expect(const char *body, const char *machine)
{
	expect_with(body, NULL, machine);
}

#define A "ioctl 0xa\n"
#define B "ioctl 0xb\n"
#define C "ioctl 0xc\n"

static void letters(void)
{
	expect("", "");
	expect(A, "0 ioctl:0xa 1");
	expect("ioctl uvm:0x30000001\nmap fb\nunmap pin\ndoorbell\nmap 0x2080\n",
	       "0 ioctl:uvm:0x30000001 1; 1 map:fb 2; 2 unmap:pin 3; 3 W:reg 4; "
	       "4 map:0x2080 5");
	expect("doorbell\ndoorbell\n", "0 W:reg 1; 1 W:reg 2");
}

static void maybe(void)
{
	expect("maybe {\n" A "}\n" B, "0 ioctl:0xa 1; 0 ioctl:0xb 2; 1 ioctl:0xb 2");
	expect("maybe {\n}\n" A, "0 ioctl:0xa 1");
}

static void repeat(void)
{
	expect("repeat {\n" A "}\n" B, "0 ioctl:0xa 0; 0 ioctl:0xb 1");
	expect(C "repeat {\n" A B "}\n", "0 ioctl:0xc 1; 1 ioctl:0xa 2; 2 ioctl:0xb 1");
	/* An optional part before a loop must not be repeated. */
	expect("maybe {\n" C "}\nrepeat {\n" A "}\n",
	       "0 ioctl:0xa 1; 0 ioctl:0xc 1; 1 ioctl:0xa 1");
	expect("repeat {\nrepeat {\n" A "}\n" B "}\n", "0 ioctl:0xa 0; 0 ioctl:0xb 0");
}

static void some(void)
{
	expect("some {\n" A "}\n" B, "0 ioctl:0xa 1; 1 ioctl:0xa 1; 1 ioctl:0xb 2");
	expect("some {\nmaybe {\n" A "}\n}\n" B, "0 ioctl:0xa 0; 0 ioctl:0xb 1");
	/*
	 * A loop must not lead back into an earlier loop, unless another loop encloses
	 * both.
	 */
	expect("some {\n" A "}\nrepeat {\n" B "}\n",
	       "0 ioctl:0xa 1; 1 ioctl:0xa 1; 1 ioctl:0xb 2; 2 ioctl:0xb 2");
	expect("some {\n}\n" A, "0 ioctl:0xa 1");
}

static void choose(void)
{
	expect("choose {\n" A "} or {\n" B "} or {\n}\n" C,
	       "0 ioctl:0xa 1; 0 ioctl:0xb 1; 0 ioctl:0xc 2; 1 ioctl:0xc 2");
	/*
	 * Alternatives with the same first letter share a transition and diverge after it.
	 */
	expect("choose {\n" A B "} or {\n" A C "}\n",
	       "0 ioctl:0xa 1; 1 ioctl:0xb 2; 1 ioctl:0xc 2");
	expect("choose {\n" A "}\n", "0 ioctl:0xa 1");
	/* A loop in one alternative must not affect the other. */
	expect("choose {\nrepeat {\n" A "}\n} or {\n" B "}\n",
	       "0 ioctl:0xa 1; 0 ioctl:0xb 2; 1 ioctl:0xa 1");
}

static void when(void)
{
	const char *body = A "when version=1 {\n" B "}\nwhen version=2 {\n" C "}\n";

	expect(body, "0 ioctl:0xa 1; 1 ioctl:0xc 2");
	expect_with(body, "version=2", "0 ioctl:0xa 1; 1 ioctl:0xc 2");
	expect_with(body, "version=1", "0 ioctl:0xa 1; 1 ioctl:0xb 2");
}

static void calls(void)
{
	expect("call twice # comment\n" B "procedure twice file.c\n" A A,
	       "0 ioctl:0xa 1; 1 ioctl:0xa 2; 2 ioctl:0xb 3");
	/* A call must return to its own caller. */
	expect("choose {\n" A "call x\n" A "} or {\n" B "call x\n" B "}\nprocedure x\n" C,
	       "0 ioctl:0xa 1; 0 ioctl:0xb 2; 1 ioctl:0xc 3; 2 ioctl:0xc 4; "
	       "3 ioctl:0xa 5; 4 ioctl:0xb 5");
	expect("call x\ncall x\nprocedure x\n", "");
}

/*
 * A run of accesses yields R if it begins with a read, and W at its first write, but no
 * further letter (ktail-alphabet(5)).
 */
static void runs_of_one(void)
{
	expect("read one\nread one\n", "0 R:sys 1");
	expect("write one\nwrite one\n" A, "0 W:sys 1; 1 ioctl:0xa 2");
	expect("read one\nwrite one\nread one\nwrite one\n" A,
	       "0 R:sys 1; 1 W:sys 2; 2 ioctl:0xa 3");
	expect("write one\nread one\n" A, "0 W:sys 1; 1 ioctl:0xa 2");
	expect("read one\n" A "read one\n", "0 R:sys 1; 1 ioctl:0xa 2; 2 R:sys 3");
	expect("read one\nread other\nread one\n", "0 R:sys 1; 1 R:fb 2; 2 R:sys 3");
	expect("repeat {\nread one\n}\n" A, "0 R:sys 1; 0 ioctl:0xa 2; 1 ioctl:0xa 2");
	expect("repeat {\nread one\ndoorbell\n}\n", "0 R:sys 1; 1 W:reg 0");
	/* A run continues across the repetitions of a loop. */
	expect("repeat {\nchoose {\nread one\n} or {\nwrite one\n}\n}\n",
	       "0 R:sys 1; 0 W:sys 2; 1 W:sys 2");
	/* A doorbell is not an access but a letter of its own, so it ends a run. */
	expect("write one\ndoorbell\nwrite one\n", "0 W:sys 1; 1 W:reg 2; 2 W:sys 3");
}

static void runs_of_many(void)
{
	/* The second read yields a letter only if it is from another mapping. */
	expect("read many\nread many\n" A,
	       "0 R:sys 1; 1 R:sys 2; 1 ioctl:0xa 3; 2 ioctl:0xa 3");
	expect("write many\nread many\n" A,
	       "0 W:sys 1; 1 R:sys 2; 1 ioctl:0xa 3; 2 ioctl:0xa 3");
	expect("read many\nwrite many\n" A, "0 R:sys 1; 1 W:sys 2; 2 ioctl:0xa 3");
	expect("repeat {\nread many\n}\n", "0 R:sys 0");
	/* Two memories are two mappings, even if they have the same space. */
	expect("read many\nread one\nread many\n", "0 R:sys 1; 1 R:sys 2; 2 R:sys 3");
}

/* Tests the points of states. */
static void points(void)
{
	struct kt_fsm *fsm = truth_from_text(
		HEAD "choose {\nread one\n} or {\ncall x\n}\nprocedure x\nmaybe {\nwrite "
		     "many\n}\ndoorbell\n",
		NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(fsm);
	CU_ASSERT_EQUAL_FATAL(fsm->states[0].n_points, 3);
	CU_ASSERT_STRING_EQUAL(fsm->states[0].points[0], "main:7: read one (sys)");
	CU_ASSERT_STRING_EQUAL(fsm->states[0].points[1], "x:13: write many (sys)");
	CU_ASSERT_STRING_EQUAL(fsm->states[0].points[2], "x:15: doorbell");
	CU_ASSERT_TRUE(fsm->no_k);
	CU_ASSERT_STRING_EQUAL(fsm->machine, "truth");
	CU_ASSERT_STRING_EQUAL(fsm->word, "process");
	CU_ASSERT_PTR_NOT_NULL(strstr(fsm->alphabet_json, "\"table1\""));
	kt_fsm_free(fsm);
}

/* --- letters of roles --- */

#define ROLES                                                                              \
	"memory commands many sys commands\n"                                              \
	"memory ring many fb ring,put\n"                                                   \
	"memory semaphores many sys semaphore\n"                                           \
	"memory other one fb\n"                                                            \
	"memory rest many sys other\n"                                                     \
	"procedure main\n"
#define READ     "read semaphores\n"
#define FIRST    "read semaphores first\n"
#define AGAIN    "read semaphores again\n"
#define DOORBELL "doorbell\n"
#define FOUR     A A A A
#define FOUR_1   "1 ioctl:0xa 2; 2 ioctl:0xa 3; 3 ioctl:0xa 4; 4 ioctl:0xa 5"

static void expect_roles(const char *body, const char *machine)
{
	char text[2048];

	snprintf(text, sizeof(text), ROLES "%s", body);
	expect_text(text, NULL, "roles", body, machine);
}

static void roles_of_memory(void)
{
	expect_roles(A "map fb\nunmap fb\n", "0 ioctl:0xa 1; 1 map:fb 2; 2 unmap:fb 3");
	expect_roles("write commands\nwrite ring\n",
		     "0 W:commands 1; 1 W:ring 2; 2 W:put 3");
	expect_roles("read ring\n" A, "0 R:ring 1; 1 R:put 2; 2 ioctl:0xa 3");
	/* A run of a role may extend over several mappings, also of several memories. */
	expect_roles("read commands\nread commands\n" A, "0 R:commands 1; 1 ioctl:0xa 2");
	expect_roles("read other\nread rest\nwrite other\n", "0 R:other 1; 1 W:other 2");
	expect_roles("write ring\nwrite ring\n",
		     "0 W:ring 1; 1 W:put 2; 2 W:ring 3; 3 W:put 4");
}

static void roles_of_doorbells(void)
{
	/* No poll can follow: the execution ends, or the next doorbell comes first. */
	expect_roles(DOORBELL, "0 W:doorbell:unpolled 1");
	expect_roles(DOORBELL A DOORBELL FIRST, "0 W:doorbell:unpolled 1; 1 ioctl:0xa 2; "
						"2 W:doorbell 3; 3 R:poll 4");
	expect_roles(DOORBELL FIRST FIRST, "0 W:doorbell 1; 1 R:poll 2");
	expect_roles(DOORBELL AGAIN, "0 W:doorbell:unpolled 1; 1 R:semaphore 2");
	expect_roles(DOORBELL READ, "0 W:doorbell 1; 0 W:doorbell:unpolled 2; "
				    "1 R:poll 3; 2 R:semaphore 3");
	/* The letter of a run is the letter of the first poll in the run. */
	expect_roles(DOORBELL AGAIN READ A,
		     "0 W:doorbell 1; 0 W:doorbell:unpolled 2; 1 R:poll 3; "
		     "2 R:semaphore 3; 3 ioctl:0xa 4");
	/* A read that continues a run may not be recorded; then a later read is a poll. */
	expect_roles(DOORBELL AGAIN FIRST A AGAIN,
		     "0 W:doorbell 1; 0 W:doorbell:unpolled 2; 1 R:poll 3; "
		     "1 R:semaphore 4; 2 R:semaphore 3; 3 ioctl:0xa 5; 4 ioctl:0xa 6; "
		     "5 R:semaphore 7; 6 R:poll 7");
	expect_roles(DOORBELL AGAIN A FIRST A, "0 W:doorbell 1; 1 R:semaphore 2; "
					       "2 ioctl:0xa 3; 3 R:poll 4; 4 ioctl:0xa 5");
	/* Without a doorbell, a poll is R:semaphore. */
	expect_roles(FIRST A FIRST, "0 R:semaphore 1; 1 ioctl:0xa 2; 2 R:semaphore 3");
	expect_roles("repeat {\n" DOORBELL FIRST "}\n", "0 W:doorbell 1; 1 R:poll 0");
}

/* At most eight letters are between a doorbell and its poll. */
static void roles_of_distant_polls(void)
{
	expect_roles(DOORBELL FOUR FOUR FIRST,
		     "0 W:doorbell 1; " FOUR_1
		     "; 5 ioctl:0xa 6; 6 ioctl:0xa 7; 7 ioctl:0xa 8; 8 ioctl:0xa 9; "
		     "9 R:poll 10");
	expect_roles(DOORBELL FOUR FOUR A FIRST,
		     "0 W:doorbell:unpolled 1; " FOUR_1
		     "; 5 ioctl:0xa 6; 6 ioctl:0xa 7; 7 ioctl:0xa 8; 8 ioctl:0xa 9; "
		     "9 ioctl:0xa 10; 10 R:semaphore 11");
	/*
	 * If the poll is a later read of a run, the run's own letter also counts as a
	 * letter before the poll.
	 */
	expect_roles(DOORBELL FOUR FOUR AGAIN FIRST,
		     "0 W:doorbell:unpolled 1; " FOUR_1
		     "; 5 ioctl:0xa 6; 6 ioctl:0xa 7; 7 ioctl:0xa 8; 8 ioctl:0xa 9; "
		     "9 R:semaphore 10");
}

/*
 * A call may say that its first read of a semaphore is a poll, or that none of its reads is
 * a poll.
 */
static void roles_of_calls(void)
{
	expect_roles(DOORBELL "call x first\n" A "call x\nprocedure x\nmaybe {\n" A "}\n"
			      "call y\nprocedure y\n" READ,
		     "0 W:doorbell 1; 1 R:poll 2; 1 ioctl:0xa 3; 2 ioctl:0xa 4; "
		     "3 R:poll 2; 4 R:semaphore 5; 4 ioctl:0xa 6; 6 R:semaphore 5");
	expect_roles(DOORBELL "call x again\nprocedure x\n" A READ A READ,
		     "0 W:doorbell:unpolled 1; 1 ioctl:0xa 2; 2 R:semaphore 3; "
		     "3 ioctl:0xa 4; 4 R:semaphore 5");
	expect_roles(DOORBELL "call x first\nprocedure x\n" A READ A READ,
		     "0 W:doorbell 1; 1 ioctl:0xa 2; 2 R:poll 3; 3 ioctl:0xa 4; "
		     "4 R:semaphore 5");
}

static void refuses_roles(void)
{
	static const struct {
		const char *text;
		const char *message;
	} rows[] = {
		{"memory a one sys moon\n", "x.points:1: 'moon' is not one role"},
		{"memory a one sys ring,put,get\n", "is not one role"},
		{"memory a one sys ring,\n", "is not one role"},
		{"memory a one sys ring,,put\n", "is not one role"},
		{"memory a one sys ring,semaphore\n",
		 "memory a has another role beside semaphore"},
		{"memory a one sys semaphore\nprocedure main\nwrite a\n",
		 "x.points:3: memory a is for semaphores, which are only read"},
		{"memory a one sys ring\nprocedure main\nread a first\n",
		 "x.points:3: memory a is not for semaphores"},
		{"procedure main\ncall x twice\n", "neither 'first' nor 'again'"},
		{"procedure main\n", "alphabet must be table1 or roles, not 'rm'"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kt_fsm *fsm = truth_in_letters(rows[i].text, NULL, "rm");

		CU_ASSERT_PTR_NULL(fsm);
		CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), rows[i].message));
		kt_fsm_free(fsm);
	}
}

/* --- errors --- */

static void refuse(const char *text, const char *message)
{
	struct kt_fsm *fsm = truth_from_text(text, NULL);

	CU_ASSERT_PTR_NULL(fsm);
	if (!fsm) {
		CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), message));
	}
	if (fsm || !strstr(kt_error_message(), message)) {
		fprintf(stderr, "%s: %s, not %s\n", text, fsm ? "" : kt_error_message(),
			message);
	}
	kt_fsm_free(fsm);
}

static void refuses_words(void)
{
	refuse("x\n", "read x.points:1: 'x' is not a statement");
	refuse("procedure main\nioctl 2a\n", "x.points:2: '2a' is not a request");
	refuse("procedure main\nioctl 0x02\n", "not a request");
	refuse("procedure main\nioctl 0x2A\n", "not a request");
	refuse("procedure main\nioctl 0x\n", "not a request");
	refuse("procedure main\nioctl\n", "the form is: ioctl");
	refuse("procedure main\nmap moon\n", "'moon' is not a space");
	refuse("procedure main\ndoorbell 1\n", "the form is: doorbell");
	refuse("procedure main\nread x\n", "x.points:2: memory x is not declared");
	refuse("procedure main\nmaybe\n", "the form is: maybe {");
	refuse("procedure main\nmaybe x\n", "'{' is missing");
	refuse("procedure main\n\001\n", "not plain text");
	refuse("procedure main\nioctl 0x\xc3\xa9\n", "not plain text");
	refuse("a b c d e f g h i j k l m n o p q\n", "more than 16 words");
	refuse("ioctl 0x1\n", "outside a procedure");
	refuse("}\n", "outside a procedure");
}

static void refuses_declarations(void)
{
	refuse("memory a one sys\nmemory a one sys\n",
	       "x.points:2: memory a is already declared");
	refuse("memory a some sys\n", "neither 'one' nor 'many'");
	refuse("memory a one moon\n", "not a space");
	refuse("memory A one sys\n", "not a name");
	refuse("memory a one\n", "the form is: memory");
	refuse("setting a\n", "the form is: setting");
	refuse("setting a B\n", "not a name");
	refuse("setting a b\nsetting a c\n", "x.points:2: setting a is already declared");
	refuse("procedure main\nprocedure main\n",
	       "x.points:2: procedure main is already defined");
	refuse("procedure main a b\n", "the form is: procedure");
	refuse("procedure main a*b\n", "not a file name");
	refuse("procedure x\ncall x\n", "no procedure main");
	refuse("procedure main\nprocedure x\n", "x.points:2: procedure x is never called");
	refuse("", "no procedure main");
}

static void refuses_braces(void)
{
	refuse("procedure main\n}\n", "'}' closes nothing");
	refuse("procedure main\nmaybe {\n\n", "x.points:2: '{' is not closed");
	refuse("procedure main\nmaybe {\nprocedure x\n}\n",
	       "inside the braces opened in line 2");
	refuse("procedure main\nmaybe {\n} or {\n}\n", "outside 'choose'");
	refuse("procedure main\nchoose {\n} and {\n}\n", "the form is: } or {");
	refuse("procedure main\nwhen a=b {\n}\n", "not a setting");
	refuse("setting a b\nprocedure main\nwhen a=c {\n}\n", "not a setting");
	refuse("setting a b\nprocedure main\nwhen a {\n}\n", "the form is: when");
}

static void refuses_recursion(void)
{
	refuse("procedure main\ncall main\n", "expand x.points:2: ");
	refuse("procedure main\ncall a\nprocedure a\ncall b\nprocedure b\nmaybe {\ncall "
	       "a\n}\n",
	       "expand x.points:7: procedures call each other");
	/* Also refused if the setting that leads to the call is not selected. */
	refuse("setting s a b\nprocedure main\nwhen s=b {\ncall main\n}\n",
	       "expand x.points:4: ");
	refuse("procedure main\ncall x\n", "x.points:2: there is no procedure x");
}

/* Calls that double at each level, or are nested too deeply, must cause a message. */
static void refuses_the_huge(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fputs("procedure main\ncall p0\n", out);
	for (int i = 0; i < 40; i++) {
		fprintf(out, "procedure p%d\ncall p%d\ncall p%d\n", i, i + 1, i + 1);
	}
	fputs("procedure p40\nioctl 0x1\n", out);
	fclose(out);
	refuse(text, "too large");
	free(text);
	out = open_memstream(&text, &size);
	fputs("procedure main\ncall p0\n", out);
	for (int i = 0; i < 100; i++) {
		fprintf(out, "procedure p%d\ncall p%d\n", i, i + 1);
	}
	fputs("procedure p100\nioctl 0x1\n", out);
	fclose(out);
	refuse(text, "calls are nested too deeply");
	free(text);
	out = open_memstream(&text, &size);
	fputs("procedure main\n", out);
	for (int i = 0; i < 100; i++) {
		fputs("maybe {\n", out);
	}
	fclose(out);
	refuse(text, "braces nested more than");
	free(text);
}

static void refuses_settings(void)
{
	CU_ASSERT_PTR_NULL(truth_from_text(HEAD, "version=3"));
	CU_ASSERT_PTR_NULL(truth_from_text(HEAD, "version"));
	CU_ASSERT_PTR_NULL(truth_from_text(HEAD, "versio=2"));
	CU_ASSERT_PTR_NULL(truth_from_text(HEAD, "=2"));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"letters", letters},
		{"maybe", maybe},
		{"repeat", repeat},
		{"some", some},
		{"choose", choose},
		{"when", when},
		{"calls", calls},
		{"runs of one mapping", runs_of_one},
		{"runs of many mappings", runs_of_many},
		{"points", points},
		{"roles of memory", roles_of_memory},
		{"roles of doorbells", roles_of_doorbells},
		{"roles of distant polls", roles_of_distant_polls},
		{"roles of calls", roles_of_calls},
		{"refuses roles", refuses_roles},
		{"refuses words", refuses_words},
		{"refuses declarations", refuses_declarations},
		{"refuses braces", refuses_braces},
		{"refuses recursion", refuses_recursion},
		{"refuses the huge", refuses_the_huge},
		{"refuses settings", refuses_settings},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("make-truth", tests);
}
