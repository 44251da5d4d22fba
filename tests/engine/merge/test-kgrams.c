/* SPDX-License-Identifier: MIT */
/* k-grams of small word sets: their file, merging, refusals, machines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/engine/oracle/random-sets.h"
#include "tests/engine/oracle/reference.h"
#include "tests/suite.h"

static kt_kgrams *count(const kt_words *words, uint64_t k, const char *alphabet)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_kgrams *kgrams = NULL;

	options.k = k;
	options.alphabet_json = alphabet;
	CU_ASSERT_EQUAL_FATAL(kt_kgrams_count(&kgrams, words, &options), KT_OK);
	return kgrams;
}

static kt_kgrams *count_strings(uint64_t k, size_t n, const char *const *strings)
{
	kt_words *words = set_of_strings(strings, n);
	kt_kgrams *kgrams = count(words, k, NULL);

	kt_words_free(words);
	return kgrams;
}

static char *print(const kt_kgrams *kgrams)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(kt_kgrams_write(kgrams, out), KT_OK);
	fclose(out);
	return text;
}

static int read_text(kt_kgrams **out, const char *text)
{
	char *copy = strdup(text);
	FILE *in = fmemopen(copy, strlen(copy), "r");
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	code = kt_kgrams_read(out, in, "x");
	fclose(in);
	free(copy);
	return code;
}

static bool same_statistics(const kt_kgrams *a, const kt_kgrams *b)
{
	char *x = print(a);
	char *y = print(b);
	bool same = strcmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}

static kt_kgrams *merge(const kt_kgrams *a, const kt_kgrams *b)
{
	kt_kgrams *merged = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_kgrams_merge(&merged, (const kt_kgrams *[]){a, b}, 2),
			      KT_OK);
	return merged;
}

/* --- the file --- */

/* The windows of abcabd: bca, cab and abd, but not abc, in which the word begins. */
static const char file[] =
	"{ \"format\": \"ktail-kgrams/1\", \"k\": 2, \"machine\": \"chains\", "
	"\"word\": \"process\",\n"
	"  \"alphabet\": null,\n"
	"  \"letters\": [\"a\", \"b\", \"c\", \"d\"],\n"
	"  \"words\": [\n"
	"    {\"name\": \"unknown\", \"events\": 6, \"lost\": 0, \"cut_begin\": false, "
	"\"cut_end\": false, \"hash\": \"fccb39a174174b2652c023df353c343c\", "
	"\"first\": 0, \"last\": 1}\n"
	"  ],\n"
	"  \"pieces\": [\n"
	"    \"0 1 2\",\n"
	"    \"1 3\"\n"
	"  ],\n"
	"  \"windows\": [\n"
	"    {\"letters\": \"1 2 0 1 3\", \"counts\": \"1*3\"}\n"
	"  ]\n"
	"}\n";

static void test_file(void)
{
	kt_kgrams *kgrams = count_strings(2, 1, (const char *const[]){"abcabd"});
	kt_kgrams *back = NULL;
	char *text = print(kgrams);

	CU_ASSERT_STRING_EQUAL(text, file);
	CU_ASSERT_EQUAL_FATAL(read_text(&back, text), KT_OK);
	CU_ASSERT_TRUE(same_statistics(kgrams, back));
	CU_ASSERT_EQUAL(kt_kgrams_k(back), 2);
	CU_ASSERT_STRING_EQUAL(kt_kgrams_word(back), "process");
	CU_ASSERT_PTR_NULL(kt_kgrams_alphabet(back));
	CU_ASSERT_EQUAL(kt_kgrams_words(back), 1);
	CU_ASSERT_EQUAL(kt_kgrams_windows(back), 3);
	CU_ASSERT_EQUAL(kt_kgrams_events(back), 6);
	free(text);
	kt_kgrams_free(back);
	kt_kgrams_free(kgrams);
}

/* Returns the text with `from` replaced by `to`; the caller frees it. */
static char *replace(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *replaced = malloc(strlen(text) + strlen(to) + 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CU_ASSERT_PTR_NOT_NULL_FATAL(replaced);
	sprintf(replaced, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return replaced;
}

/*
 * A file with the same k-grams may join the windows into other strings. It may also have
 * unknown members, and a letter that does not occur.
 */
static void test_other_form(void)
{
	char *text = replace(file, "{\"letters\": \"1 2 0 1 3\", \"counts\": \"1*3\"}",
			     "{\"letters\": \"0 1 3\", \"counts\": \"1\"}, "
			     "{\"letters\": \"1 2 0 1\", \"counts\": \"1 1\", \"x\": 1}");
	char *more = replace(text, "\"d\"]", "\"d\", \"e\"]");
	kt_kgrams *kgrams = NULL;
	char *back;

	CU_ASSERT_EQUAL_FATAL(read_text(&kgrams, more), KT_OK);
	back = print(kgrams);
	CU_ASSERT_STRING_EQUAL(back, file);
	free(back);
	free(more);
	free(text);
	kt_kgrams_free(kgrams);
}

static void test_malformed(void)
{
	static const struct {
		const char *from;
		const char *to;
		const char *message;
	} rows[] = {
		{"{", "", "read x: line 1: "},
		{"grams/1", "grams/2",
		 "read x: format: must be \"ktail-kgrams/1\", not \"ktail-kgrams/2\""},
		{"chains", "pta", "read x: machine: must be \"chains\", not \"pta\""},
		{"\"k\": 2", "\"k\": -2",
		 "read x: k: must be a whole number from 0 to 9223372036854775807, not -2"},
		{"\"k\": 2", "\"k\": 1",
		 "read x: windows[0].counts: 1 window has no count"},
		{"\"k\": 2", "\"k\": 3",
		 "read x: windows[0].counts: must be one number above 0 for each window, "
		 "and is not from character 4 on"},
		{"\"process\"", "1", "read x: word: must be a string, not 1"},
		{"null", "1", "read x: alphabet: must be an object or null, not 1"},
		{"\"a\", \"b\"", "\"b\", \"a\"",
		 "read x: letters[1]: must be greater than the previous one (sorted by "
		 "bytes, without duplicates), not \"a\""},
		{"\"a\"", "\"\"",
		 "read x: letters[0]: must be a string, not empty, without control "
		 "characters, not \"\""},
		{"\"a\"", "\"\\u0001\"",
		 "read x: letters[0]: must be a string, not empty, without control "
		 "characters, not \"\\u0001\""},
		{"\"lost\": 0", "\"lost\": 0.5",
		 "read x: words[0].lost: must be a whole number from 0 to "
		 "9223372036854775807, not 0.5"},
		{"\"cut_end\": false", "\"cut_end\": 0",
		 "read x: words[0].cut_end: must be true or false, not 0"},
		{"fccb39a1", "fccb39aX",
		 "read x: words[0].hash: must be 32 hex digits, not "
		 "\"fccb39aX74174b2652c023df353c343c\""},
		{"\"first\": 0", "\"first\": 2",
		 "read x: words[0].first: must be a number below 2 (of \"pieces\"), not 2"},
		{"\"first\": 0", "\"first\": 1", "read x: pieces[0]: occurs in no word"},
		{"\"first\": 0", "\"name\": 0", "read x: line 5: "},
		{"\"last\": 1", "\"last\": 0", "read x: pieces[1]: occurs in no word"},
		{"\"1 3\"", "\"1 3\", \"0\"", "read x: pieces[2]: occurs in no word"},
		{"\"1 3\"", "1", "read x: pieces[1]: must be a string, not 1"},
		{"\"1 3\"", "\"1  3\"",
		 "read x: pieces[1]: must be numbers below 4 (of \"letters\") separated by "
		 "single spaces, and is not from character 3 on"},
		{"\"1 3\"", "\"1 3 \"",
		 "read x: pieces[1]: must be numbers below 4 (of \"letters\") separated by "
		 "single spaces, and is not from character 5 on"},
		{"\"1 3\"", "\"1 03\"",
		 "read x: pieces[1]: must be numbers below 4 (of \"letters\") separated by "
		 "single spaces, and is not from character 3 on"},
		{"\"1 3\"", "\"1 4\"",
		 "read x: pieces[1]: must be numbers below 4 (of \"letters\") separated by "
		 "single spaces, and is not from character 4 on"},
		{"\"1 3\"", "\"1 2\"",
		 "read x: windows[0].letters: those from number 0 on are entered more "
		 "often or less than left, by \"counts\" and \"words\""},
		{"\"1 3\"", "\"1 18446744073709551617\"",
		 "read x: pieces[1]: must be numbers below 4 (of \"letters\") separated by "
		 "single spaces, and is not from character 3 on"},
		{"1 2 0 1 3", "1 2",
		 "read x: windows[0].letters: has 2 letters, must have at least k + 1"},
		{"1 2 0 1 3", "1 2 0 1 2",
		 "read x: windows[0].letters: those from number 0 on are entered more "
		 "often or less than left, by \"counts\" and \"words\""},
		{"1*3", "1*2", "read x: windows[0].counts: 1 window has no count"},
		{"1*3", "1*4",
		 "read x: windows[0].counts: must be one number above 0 for each window, "
		 "and is not from character 4 on"},
		{"1*3", "1*3 1",
		 "read x: windows[0].counts: has more numbers than there are windows, from "
		 "character 4 on"},
		{"1*3", "1*0 1*3",
		 "read x: windows[0].counts: must be one number above 0 for each window, "
		 "and is not from character 4 on"},
		{"1*3", "1 1 0",
		 "read x: windows[0].counts: must be one number above 0 for each window, "
		 "and is not from character 6 on"},
		{"1*3", "1 1 2",
		 "read x: the \"counts\" of \"windows\" add up to more than the 3 windows "
		 "of \"words\""},
		{"1*3", "1*2 9223372036854775808",
		 "read x: windows[0].counts: must be one number above 0 for each window, "
		 "and is not from character 5 on"},
		{"\"events\": 6", "\"events\": 7",
		 "read x: the \"counts\" of \"windows\" add up to 3, less than the 4 "
		 "windows of \"words\""},
		{"\"events\": 6", "\"events\": 4",
		 "read x: words[0].last: does not match the piece of \"first\""},
		{"\"events\": 6", "\"events\": 2",
		 "read x: words[0].first: the piece has 3 letters, must have 2"},
		{"\"counts\": \"1*3\"}",
		 "\"counts\": \"1*3\"}, {\"letters\": \"0 1 3\", \"counts\": \"1\"}",
		 "read x: windows[1].letters: those from number 0 on repeat an earlier "
		 "window"},
		{"\"counts\"", "\"count\"",
		 "read x: windows[0].counts: is missing, must be a string"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = replace(file, rows[i].from, rows[i].to);
		kt_kgrams *kgrams = (kt_kgrams *)text;
		int code = read_text(&kgrams, text);

		CU_ASSERT_EQUAL(code, KT_E_MALFORMED);
		CU_ASSERT_PTR_NULL(kgrams);
		if (strncmp(kt_error_message(), rows[i].message, strlen(rows[i].message))) {
			printf("%s -> %s: %s\n", rows[i].from, rows[i].to,
			       kt_error_message());
			CU_FAIL("another message");
		}
		free(text);
	}
}

/* Counts in a file may exceed 32 bits, as for this word of 2^40 letters a. */
static void test_large_counts(void)
{
	static const char text[] =
		"{\"format\": \"ktail-kgrams/1\", \"k\": 1, \"machine\": \"chains\", "
		"\"word\": \"process\", \"alphabet\": null, \"letters\": [\"a\"], "
		"\"words\": [{\"name\": \"w\", \"events\": 1099511627776, \"lost\": 0, "
		"\"cut_begin\": false, \"cut_end\": false, "
		"\"hash\": \"00000000000000000000000000000000\", "
		"\"first\": 0, \"last\": 1}], \"pieces\": [\"0 0\", \"0\"], "
		"\"windows\": [{\"letters\": \"0 0\", \"counts\": \"1099511627774\"}]}";
	kt_kgrams *kgrams = NULL;
	kt_kgrams *twice;
	struct kt_fsm *fsm = NULL;

	CU_ASSERT_EQUAL_FATAL(read_text(&kgrams, text), KT_OK);
	twice = merge(kgrams, kgrams);
	CU_ASSERT_EQUAL_FATAL(kt_kgrams_infer(&fsm, twice, 1), KT_OK);
	CU_ASSERT_EQUAL(fsm->n_states, 1);
	CU_ASSERT_EQUAL(fsm->n_transitions, 1);
	CU_ASSERT_EQUAL(fsm->transitions[0].count, 2199023255552);
	CU_ASSERT_EQUAL(fsm->states[0].visits, 2199023255554);
	kt_fsm_free(fsm);
	kt_kgrams_free(kgrams);
	kt_kgrams_free(twice);
}

/* --- merging --- */

static void test_nothing(void)
{
	kt_kgrams *none = count_strings(3, 0, NULL);
	kt_kgrams *some =
		count_strings(3, 3, (const char *const[]){"abcabcab", "<bc>", ""});
	kt_kgrams *merged = merge(none, some);
	struct kt_fsm *fsm = (struct kt_fsm *)none;

	CU_ASSERT_TRUE(same_statistics(some, merged));
	CU_ASSERT_EQUAL(kt_kgrams_infer(&fsm, none, 3), KT_E_EMPTY);
	CU_ASSERT_PTR_NULL(fsm);
	CU_ASSERT_EQUAL(kt_kgrams_infer(&fsm, some, 4), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(fsm);
	kt_kgrams_free(none);
	kt_kgrams_free(some);
	kt_kgrams_free(merged);
}

/* A word that is in two parts counts as two words. */
static void test_twice(void)
{
	kt_kgrams *one = count_strings(2, 2, (const char *const[]){"abcab", "<bc>"});
	kt_kgrams *other = count_strings(2, 1, (const char *const[]){"abcac"});
	kt_kgrams *two = count_strings(
		2, 4, (const char *const[]){"abcab", "abcab", "<bc>", "<bc>"});
	kt_kgrams *merged = merge(one, one);

	CU_ASSERT_TRUE(same_statistics(two, merged));
	CU_ASSERT_EQUAL(kt_kgrams_twins(one), 0);
	CU_ASSERT_EQUAL(kt_kgrams_twins(merged), 2);
	kt_kgrams_free(two);
	two = merge(one, other);
	CU_ASSERT_EQUAL(kt_kgrams_twins(two), 0);
	kt_kgrams_free(one);
	kt_kgrams_free(other);
	kt_kgrams_free(two);
	kt_kgrams_free(merged);
}

static void refuse(const kt_kgrams *a, const kt_kgrams *b, const char *message)
{
	kt_kgrams *merged = NULL;

	CU_ASSERT_EQUAL(kt_kgrams_merge(&merged, (const kt_kgrams *[]){a, b}, 2),
			KT_E_USAGE);
	CU_ASSERT_PTR_NULL(merged);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), message);
}

static void test_heads(void)
{
	kt_words *words = set_of_strings((const char *const[]){"abc"}, 1);
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_kgrams *plain = count(words, 2, NULL);
	kt_kgrams *x = count(words, 2, "{ \"name\":\"x\",\"rules\" : []}");
	kt_kgrams *y = count(words, 2, "{\"name\": \"y\", \"rules\": []}");
	kt_kgrams *other = count(words, 3, NULL);
	kt_kgrams *threads = NULL;
	kt_kgrams *merged = merge(plain, x);

	CU_ASSERT_STRING_EQUAL(kt_kgrams_alphabet(merged),
			       "{\"name\": \"x\", \"rules\": []}");
	options.k = 2;
	options.word = "thread";
	CU_ASSERT_EQUAL(kt_kgrams_count(&threads, words, &options), KT_OK);
	refuse(x, y, "merge statistics: their alphabets differ");
	refuse(y, merged, "merge statistics: their alphabets differ");
	refuse(plain, other, "merge statistics: k is 2 here and 3 there");
	refuse(plain, threads,
	       "merge statistics: a word is a process here and a thread there");
	kt_kgrams_free(merged);
	CU_ASSERT_EQUAL(kt_kgrams_merge(&merged, NULL, 0), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(merged);
	kt_words_free(words);
	kt_kgrams_free(plain);
	kt_kgrams_free(x);
	kt_kgrams_free(y);
	kt_kgrams_free(other);
	kt_kgrams_free(threads);
}

static void test_refusals(void)
{
	kt_words *words = set_of_strings((const char *const[]){"ab"}, 1);
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_kgrams *kgrams = (kt_kgrams *)words;

	CU_ASSERT_EQUAL(kt_kgrams_count(&kgrams, NULL, &options), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_kgrams_count(&kgrams, words, NULL), KT_E_USAGE);
	options.k = (uint64_t)INT64_MAX + 1;
	CU_ASSERT_EQUAL(kt_kgrams_count(&kgrams, words, &options), KT_E_USAGE);
	options.k = 1;
	options.machine = (enum kt_machine)7;
	CU_ASSERT_EQUAL(kt_kgrams_count(&kgrams, words, &options), KT_E_USAGE);
	options.machine = KT_MACHINE_CHAINS;
	options.alphabet_json = "[]";
	CU_ASSERT_EQUAL(kt_kgrams_count(&kgrams, words, &options), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(kgrams);
	kt_words_free(words);
}

static void test_names(void)
{
	kt_words *words = set_of_strings(NULL, 0);
	struct kt_word_info info = {.name = "a\"\\\n\x7f\xc3\xa9"};
	kt_kgrams *kgrams;
	kt_kgrams *back = NULL;
	FILE *out;
	char *text;

	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
	kgrams = count(words, 1, NULL);
	text = print(kgrams);
	CU_ASSERT_EQUAL_FATAL(read_text(&back, text), KT_OK);
	CU_ASSERT_TRUE(same_statistics(kgrams, back));
	free(text);
	kt_kgrams_free(kgrams);
	kt_kgrams_free(back);
	info.name = "\xff";
	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
	kgrams = count(words, 1, NULL);
	out = fopen("/dev/null", "we");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(kt_kgrams_write(kgrams, out), KT_E_MALFORMED);
	fclose(out);
	kt_kgrams_free(kgrams);
	kt_words_free(words);
}

/* --- against the engine --- */

/*
 * Infers a machine for k from k-grams of a larger or equal length, `from`, and compares it
 * with the machine that the engine infers.
 */
static void check_machine(const kt_words *words, uint64_t k, uint64_t from)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_kgrams *kgrams = count(words, from, NULL);
	struct kt_fsm *expected = NULL;
	struct kt_fsm *fsm = NULL;
	char text[200];

	options.k = k;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&expected, words, &options), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_kgrams_infer(&fsm, kgrams, k), KT_OK);
	CU_ASSERT_TRUE(same_machine(expected, fsm, text, sizeof(text)));
	kt_fsm_free(expected);
	kt_fsm_free(fsm);
	kt_kgrams_free(kgrams);
}

/* Equal truncated words may have different states, because their k-tails are unknown. */
static void test_fragments(void)
{
	static const char *const sets[][4] = {
		{"<b>", "<b>", "<b", "<ab>"}, {"<", "<>", "<>", ">"},
		{"ab>", "ab>", "abc", "a"},   {"<abab>", "<baba", "<abab>", "<bab"},
		{"<ab", "<ab>", "ab", "ab>"},
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		kt_words *words = set_of_strings(sets[i], 4);

		for (uint64_t k = 0; k < 6; k++) {
			for (uint64_t from = k; from < 8; from++) {
				check_machine(words, k, from);
			}
			check_machine(words, k, INT64_MAX);
		}
		check_machine(words, INT64_MAX, INT64_MAX);
		kt_words_free(words);
	}
}

/* A symbol takes one byte with 254 letters, two with 255 and 700, three with 66000. */
static void test_many_letters(void)
{
	static const uint32_t kinds[] = {254, 255, 700, 66000};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct random random = {.state = kinds[i]};
		kt_words *words = set_of_strings(NULL, 0);
		struct kt_word_info info = KT_WORD_INFO_INIT;

		for (uint32_t w = 0; w < 3; w++) {
			info.cut_begin = w == 1;
			info.cut_end = w == 2;
			CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
			for (uint32_t j = 0; j < kinds[i] + 500; j++) {
				uint32_t letter =
					j < kinds[i] ? j : random_below(&random, 3);
				char name[16];
				int n = snprintf(name, sizeof(name), "%u", letter);

				CU_ASSERT_EQUAL_FATAL(
					kt_words_letter(&letter, words, name, (size_t)n),
					KT_OK);
				CU_ASSERT_EQUAL_FATAL(kt_words_append(words, &letter, 1),
						      KT_OK);
			}
		}
		for (uint64_t k = 0; k < 4; k++) {
			check_machine(words, k, k);
		}
		kt_words_free(words);
	}
}

/* Returns one word: n - 1 letters a and one b, three times. */
static kt_words *three_runs(uint32_t n)
{
	uint32_t *letters = calloc(n, sizeof(*letters));
	struct kt_word_info info = {.name = "w"};
	kt_words *words;
	uint32_t letter;

	CU_ASSERT_FATAL(letters && kt_words_new(&words) == KT_OK);
	CU_ASSERT_EQUAL(kt_words_letter(&letter, words, "a", 1), KT_OK);
	CU_ASSERT_EQUAL(kt_words_letter(&letters[n - 1], words, "b", 1), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_words_begin(words, &info), KT_OK);
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL_FATAL(kt_words_append(words, letters, n), KT_OK);
	}
	free(letters);
	return words;
}

/* Returns the CPU time of counting, the least of three. */
static double time_of(const kt_words *words, uint64_t k)
{
	double least = 1e9;

	for (int i = 0; i < 3; i++) {
		clock_t begin = clock();
		kt_kgrams *kgrams = count(words, k, NULL);
		double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;

		least = seconds < least ? seconds : least;
		kt_kgrams_free(kgrams);
	}
	return least;
}

/* Counting takes no longer if the windows of a circle agree in nearly all their letters. */
static void test_circle(void)
{
	kt_words *words = three_runs(300000);

	CU_ASSERT(time_of(words, 299999) < 5 * time_of(words, 2) + 0.05);
	kt_words_free(words);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"file", test_file},
		{"another form of a file", test_other_form},
		{"malformed files", test_malformed},
		{"large counts", test_large_counts},
		{"nothing", test_nothing},
		{"a word twice", test_twice},
		{"heads", test_heads},
		{"refusals", test_refusals},
		{"names", test_names},
		{"fragments", test_fragments},
		{"many letters", test_many_letters},
		{"a long circle", test_circle},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("kgrams", tests);
}
