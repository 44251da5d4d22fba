/* SPDX-License-Identifier: MIT */
/*
 * States merged by hand: names of states are checked against all words up to a length,
 * rules and numbers choose the states that they should, and wrong rules and numbers are
 * refused with a message that names their place.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "annotate/merges/merges.h"
#include "annotate/merges/state-names.h"
#include "tests/engine/oracle/random-machines.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define MACHINES 300
#define STATES   8
#define KINDS    3
#define LONGEST  6

/* --- names of states --- */

/*
 * Returns the set of states to which a letter leads from the states of `set`: a bit for
 * each state.
 */
static unsigned move(const struct kt_fsm *fsm, unsigned set, uint32_t letter)
{
	unsigned to = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		to |= t->letter == letter && (set >> t->from & 1) ? 1u << t->to : 0;
	}
	return to;
}

/*
 * Writes to shortest[s] the least number of letters, up to LONGEST, after which words from
 * `set` are in the state s alone.
 */
static void enumerate(unsigned *shortest, const struct kt_fsm *fsm, unsigned set,
		      unsigned length)
{
	for (uint32_t s = 0; s < fsm->n_states; s++) {
		if (set == 1u << s && length > 0 && shortest[s] > length) {
			shortest[s] = length;
		}
	}
	for (uint32_t i = 0; i < fsm->n_letters && length < LONGEST && set; i++) {
		enumerate(shortest, fsm, move(fsm, set, i), length + 1);
	}
}

static unsigned letters_of(const char *name)
{
	unsigned n = name[0] != '^';

	for (const char *at = name; *at; at++) {
		n += *at == ',';
	}
	return n;
}

static void test_names(void)
{
	struct random random = {3};

	for (int i = 0; i < MACHINES; i++) {
		struct kt_fsm *fsm = random_machine(&random, STATES, KINDS);
		unsigned shortest[STATES];
		bool wanted[STATES];
		bool in[STATES];
		char *names[STATES];

		memset(shortest, 0xff, sizeof(shortest));
		enumerate(shortest, fsm, (1u << fsm->n_states) - 1, 0);
		enumerate(shortest, fsm, 1u << fsm->start, 0);
		for (size_t s = 0; s < fsm->n_states; s++) {
			wanted[s] = random_below(&random, 3) > 0;
		}
		CU_ASSERT_EQUAL_FATAL(kt_state_names(names, fsm, wanted), KT_OK);
		for (uint32_t s = 0; s < fsm->n_states; s++) {
			if (!wanted[s]) {
				CU_ASSERT_PTR_NULL(names[s]);
				continue;
			}
			if (!names[s]) {
				CU_ASSERT_EQUAL(shortest[s], UINT_MAX);
				continue;
			}
			CU_ASSERT_EQUAL(kt_states_after(in, fsm, names[s]), KT_OK);
			for (uint32_t t = 0; t < fsm->n_states; t++) {
				CU_ASSERT_EQUAL(in[t], t == s);
			}
			if (s == fsm->start) {
				CU_ASSERT_STRING_EQUAL(names[s], "^");
			} else {
				CU_ASSERT(letters_of(names[s]) > LONGEST ||
					  letters_of(names[s]) >= shortest[s]);
				CU_ASSERT(shortest[s] == UINT_MAX ||
					  letters_of(names[s]) <= shortest[s] + 2);
			}
			free(names[s]);
		}
		kt_fsm_free(fsm);
	}
}

/*
 * In a chain of one letter, a state's only name is the way from the start, if the way is
 * short.
 */
static void test_long_names(void)
{
	enum { LENGTH = KT_STATE_NAME_LETTERS + 1 };
	struct kt_fsm_state states[LENGTH + 1] = {{0}};
	struct kt_fsm_transition transitions[LENGTH] = {{0}};
	char letter[] = "a";
	char *letters[] = {letter};
	struct kt_fsm fsm = {.letters = letters,
			     .n_letters = 1,
			     .states = states,
			     .n_states = LENGTH + 1,
			     .transitions = transitions,
			     .n_transitions = LENGTH};
	bool wanted[LENGTH + 1] = {[LENGTH - 2] = true, [LENGTH] = true};
	char *names[LENGTH + 1];

	for (uint32_t i = 0; i < LENGTH; i++) {
		transitions[i] =
			(struct kt_fsm_transition){.from = i, .to = i + 1, .count = 1};
	}
	CU_ASSERT_EQUAL_FATAL(kt_state_names(names, &fsm, wanted), KT_OK);
	CU_ASSERT_PTR_NOT_NULL_FATAL(names[LENGTH - 2]);
	CU_ASSERT_EQUAL(letters_of(names[LENGTH - 2]), LENGTH - 2);
	CU_ASSERT_PTR_NULL(names[LENGTH]);
	free(names[LENGTH - 2]);
}

/* --- a machine by hand --- */

/*
 * Polls and writes: 0 -a-> 1 -w-> 2 -w-> 1, 1 -p-> 3 -p-> 4 -p-> 3, 3 -e-> 5, 4 -e-> 6.
 * Merging 3 and 4 merges 5 and 6, too; merging 1 and 3 also merges 3 and 4. Afterwards
 * states are numbered anew, 3 before 2.
 */
static struct kt_fsm *machine(void)
{
	static const char text[] =
		"{\"format\":\"ktail-fsm/1\",\"k\":2,\"machine\":\"chains\","
		"\"word\":\"process\",\"alphabet\":null,"
		"\"letters\":[\"R:poll\",\"W:a b\",\"end\",\"open\"],"
		"\"words\":[],\"start\":0,\"states\":["
		"{\"id\":0,\"visits\":0,\"ends\":0},{\"id\":1,\"visits\":0,\"ends\":0},"
		"{\"id\":2,\"visits\":0,\"ends\":0},{\"id\":3,\"visits\":0,\"ends\":0},"
		"{\"id\":4,\"visits\":0,\"ends\":0},{\"id\":5,\"visits\":0,\"ends\":0},"
		"{\"id\":6,\"visits\":0,\"ends\":0}],\"transitions\":["
		"{\"from\":0,\"letter\":\"open\",\"to\":1,\"count\":0},"
		"{\"from\":1,\"letter\":\"R:poll\",\"to\":3,\"count\":0},"
		"{\"from\":1,\"letter\":\"W:a b\",\"to\":2,\"count\":0},"
		"{\"from\":2,\"letter\":\"W:a b\",\"to\":1,\"count\":0},"
		"{\"from\":3,\"letter\":\"R:poll\",\"to\":4,\"count\":0},"
		"{\"from\":3,\"letter\":\"end\",\"to\":5,\"count\":0},"
		"{\"from\":4,\"letter\":\"R:poll\",\"to\":3,\"count\":0},"
		"{\"from\":4,\"letter\":\"end\",\"to\":6,\"count\":0}]}";
	struct kt_fsm *fsm = NULL;
	static const char *const labels[] = {
		"begin", "write commands", "write commands", "poll", "poll", "end", NULL};
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	if (kt_fsm_read_json(&fsm, in, "m.json")) {
		printf("\n%s\n", kt_error_message());
		CU_FAIL_FATAL("cannot be read");
	}
	fclose(in);
	for (size_t i = 0; i < 7; i++) {
		fsm->states[i].label = labels[i] ? strdup(labels[i]) : NULL;
	}
	fsm->states[1].phase = strdup("INIT");
	return fsm;
}

static kt_label_rules *parse(const char *text)
{
	kt_label_rules *rules = NULL;
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	if (kt_label_rules_read(&rules, in, "x.tsv")) {
		printf("\n%s\n", kt_error_message());
		CU_FAIL_FATAL("cannot be read");
	}
	fclose(in);
	return rules;
}

/*
 * Merges states by the rules in `text` and, unless it is NULL, by `option`. Writes to
 * `after` the number of each state afterwards, as a digit, or the error message. Returns
 * the status.
 */
static int merge(char after[256], const char *text, const char *option)
{
	static const enum kt_label_role roles[7] = {
		[3] = KT_LABEL_WAIT, [4] = KT_LABEL_WAIT};
	kt_label_rules *rules = parse(text);
	struct kt_merges merges = {.rules = rules,
				   .rules_name = "x.tsv",
				   .fsm_name = "m.json",
				   .keep_lines = true};
	struct kt_fsm *fsm = machine();
	int code = kt_merges_begin(&merges, fsm);

	if (!code) {
		code = kt_merges_choose(&merges, fsm, roles);
	}
	if (!code && option) {
		code = kt_merges_add(&merges, fsm, option);
	}
	if (!code) {
		code = kt_merges_apply(&merges, fsm);
	}
	snprintf(after, 256, "%s", code ? kt_error_message() : "");
	for (size_t i = 0; i < 7 && !code; i++) {
		snprintf(after + i, 256 - i, "%u", (unsigned)merges.after[i]);
	}
	if (!code && merges.lines) {
		snprintf(after + 7, 249, "\n%s", merges.lines);
	}
	kt_merges_free(&merges);
	kt_fsm_free(fsm);
	kt_label_rules_free(rules);
	return code;
}

static void expect(const char *rules, const char *option, int status, const char *result)
{
	char after[256];

	CU_ASSERT_EQUAL(merge(after, rules, option), status);
	CU_ASSERT_STRING_EQUAL(after, result);
	if (strcmp(after, result) != 0) {
		printf("\n%s\ngives: %s\n", rules, after);
	}
}

#define LABELS "event=map\tmap\tother\tx\n"

static void test_rules(void)
{
	/* Each `after` chooses one state; states with the same name are merged. */
	expect("after=open\tbusy\tmerge\tx\nafter=^,open,R:poll\tbusy\tmerge\tx\n", NULL,
	       KT_OK, "0121133");
	/*
	 * Other conditions choose all states that they fit. The two ends become one state,
	 * to keep the machine deterministic.
	 */
	expect("label=poll\tpoll\tmerge\tx\n", NULL, KT_OK, "0132244");
	expect("role=wait\tpoll\tmerge\tx\n", NULL, KT_OK, "0132244");
	expect("in=R:*\tpoll\tmerge\tx\n", NULL, KT_OK, "0132244");
	expect("in=R:poll out=end\tpoll\tmerge\tx\n", NULL, KT_OK, "0132244");
	/* A negated condition also holds for states without the fact. */
	expect("in!=R:*|end|W:* label!=poll\tx\tmerge\tx\n", NULL, KT_OK, "0132456");
	expect("out!=*\tend\tmerge\tx\n", NULL, KT_OK, "0132455");
	expect("phase=INIT\tx\tmerge\tx\nlabel=write*commands\tx\tmerge\tx\n", NULL, KT_OK,
	       "0112345");
	/*
	 * A pattern fits a letter with a blank; a further condition leaves one of several
	 * states.
	 */
	expect("after=^,open,W:a*b\tx\tmerge\tx\nafter=^\tx\tmerge\tx\n", NULL, KT_OK,
	       "0102345");
	expect("after=W:* phase=INIT\tx\tmerge\tx\nafter=^\tx\tmerge\tx\n", NULL, KT_OK,
	       "0021345");
	/* Rules of other kinds merge nothing. */
	expect(LABELS, NULL, KT_OK, "0123456");
}

static void test_wrong_rules(void)
{
	expect(LABELS "after=close\tx\tmerge\tx\n", NULL, KT_E_MALFORMED,
	       "read x.tsv: line 2: m.json has no state that fits, for \"x\"");
	expect("label=none\tx\tmerge\tx\n", NULL, KT_E_MALFORMED,
	       "read x.tsv: line 1: m.json has no state that fits, for \"x\"");
	expect("#\nafter=R:poll\tpoll\tmerge\tx\n", NULL, KT_E_MALFORMED,
	       "read x.tsv: line 2: 2 states of m.json fit (3 4), but \"after\" names one, "
	       "for \"poll\"; give more letters before it");
	expect("after=open\tx\tmerge\tx\nout=R:*\ty\tmerge\tx\n", NULL, KT_E_MALFORMED,
	       "read x.tsv: line 2: state 1 of m.json is \"x\" by line 1 of x.tsv, so it "
	       "cannot be "
	       "\"y\"");
	expect("label=poll\tpoll\tmerge\tx\nlabel=end\tfini\tmerge\tx\n", "6=done",
	       KT_E_USAGE,
	       "merge states of m.json: states 5 (\"fini\", line 2 of x.tsv) and 6 "
	       "(\"done\", "
	       "--merge) "
	       "would become one, because the same letters lead to both; give them one "
	       "name, "
	       "or leave one out");
}

static void test_numbers(void)
{
	expect(LABELS, "3-4=poll", KT_OK,
	       "0132244\nafter=W:a*b,R:poll\tpoll\tmerge\tstate 3 of 7\n"
	       "after=W:a*b,R:poll,R:poll\tpoll\tmerge\tstate 4 of 7\n");
	expect(LABELS, "0,2=a=b", KT_OK,
	       "0102345\nafter=^\ta=b\tmerge\tstate 0 of 7\n"
	       "after=open,W:a*b\ta=b\tmerge\tstate 2 of 7\n");
	expect("label=poll\tpoll\tmerge\tx\n", "1=poll", KT_OK,
	       "0121133\nafter=open\tpoll\tmerge\tstate 1 of 7\n");
#define NUMBERS "not numbers of states and a name, as 3,7-9=NAME"
	expect(LABELS, "x", KT_E_USAGE, "--merge x: " NUMBERS);
	expect(LABELS, "=x", KT_E_USAGE, "--merge =x: " NUMBERS);
	expect(LABELS, "1,=x", KT_E_USAGE, "--merge 1,=x: " NUMBERS);
	expect(LABELS, "2-1=x", KT_E_USAGE, "--merge 2-1=x: " NUMBERS);
	expect(LABELS, "1-=x", KT_E_USAGE, "--merge 1-=x: " NUMBERS);
	expect(LABELS, "-1=x", KT_E_USAGE, "--merge -1=x: " NUMBERS);
	expect(LABELS, "99999999999999999999=x", KT_E_USAGE,
	       "--merge 99999999999999999999=x: " NUMBERS);
	expect(LABELS, "1,7=x", KT_E_USAGE,
	       "--merge 1,7=x: m.json has no state 7, only 0 to 6");
	expect(LABELS, "1,2", KT_E_USAGE, "--merge 1,2: the name is empty");
	expect(LABELS, "1,2=", KT_E_USAGE, "--merge 1,2=: the name is empty");
	expect(LABELS, "1={x}", KT_E_USAGE, "--merge 1={x}: a brace in the name");
	expect(LABELS, "1=x\xff", KT_E_USAGE,
	       "--merge 1=x\xff: the name is not printable UTF-8");
	expect(LABELS, "1=\xc2\x9b", KT_E_USAGE,
	       "--merge 1=\xc2\x9b: the name is not printable UTF-8");
	expect("after=open\tx\tmerge\tx\n", "1=y", KT_E_USAGE,
	       "--merge 1=y: state 1 of m.json is \"x\" by line 1 of x.tsv, so it cannot "
	       "be \"y\"");
}

/* A state that is chosen twice has one rule. */
static void test_twice(void)
{
	kt_label_rules *rules = parse(LABELS);
	struct kt_merges merges = {.rules = rules,
				   .rules_name = "x.tsv",
				   .fsm_name = "m.json",
				   .keep_lines = true};
	struct kt_fsm *fsm = machine();
	unsigned n = 0;

	CU_ASSERT_EQUAL_FATAL(kt_merges_begin(&merges, fsm), KT_OK);
	CU_ASSERT_EQUAL(kt_merges_add(&merges, fsm, "1,2=x"), KT_OK);
	CU_ASSERT_EQUAL(kt_merges_add(&merges, fsm, "2,5=x"), KT_OK);
	for (const char *at = merges.lines; at && (at = strchr(at, '\n')); at++) {
		n++;
	}
	CU_ASSERT_EQUAL(n, 3);
	kt_merges_free(&merges);
	kt_fsm_free(fsm);
	kt_label_rules_free(rules);
}

/* The rules that --merge gives choose the same states; states without a rule are merged,
 * too. */
static void test_repeat(void)
{
	struct random random = {4};
	int unnamed = 0;

	for (int i = 0; i < MACHINES; i++) {
		kt_words *words = random_set((uint64_t)i + 1, 12);
		struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
		kt_label_rules *none = parse(LABELS);
		kt_label_rules *rules;
		struct kt_merges first = {
			.rules = none, .fsm_name = "m", .keep_lines = true};
		struct kt_merges again = {.fsm_name = "m", .rules_name = "x.tsv"};
		struct kt_fsm *fsm = NULL;
		char option[64];

		options.k = (uint64_t)i % 4;
		CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_merges_begin(&first, fsm), KT_OK);
		snprintf(option, sizeof(option), "%u,%u=both",
			 random_below(&random, (uint32_t)fsm->n_states),
			 random_below(&random, (uint32_t)fsm->n_states));
		if (kt_merges_add(&first, fsm, option) == KT_OK) {
			rules = parse(first.lines);
			again.rules = rules;
			CU_ASSERT_EQUAL_FATAL(kt_merges_begin(&again, fsm), KT_OK);
			CU_ASSERT_EQUAL_FATAL(kt_merges_choose(&again, fsm, NULL), KT_OK);
			for (size_t s = 0; s < fsm->n_states; s++) {
				CU_ASSERT_EQUAL(first.choices[s].name,
						again.choices[s].name);
			}
			kt_merges_free(&again);
			kt_label_rules_free(rules);
		} else {
			/* Only a state after an unknown beginning can lack a name. */
			CU_ASSERT_PTR_NOT_NULL(
				strstr(kt_error_message(), "letters leads to state"));
			kt_merges_free(&first);
			first = (struct kt_merges){.rules = none, .fsm_name = "m"};
			CU_ASSERT_EQUAL_FATAL(kt_merges_begin(&first, fsm), KT_OK);
			CU_ASSERT_EQUAL(kt_merges_add(&first, fsm, option), KT_OK);
			CU_ASSERT_PTR_NULL(first.lines);
			unnamed++;
		}
		kt_merges_free(&first);
		kt_label_rules_free(none);
		kt_fsm_free(fsm);
		kt_words_free(words);
	}
	CU_ASSERT(unnamed > 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"names of states", test_names},
		{"long names", test_long_names},
		{"rules", test_rules},
		{"wrong rules", test_wrong_rules},
		{"numbers", test_numbers},
		{"a state that is chosen twice", test_twice},
		{"rules repeat numbers", test_repeat},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("merging states by hand", tests);
}
