/* SPDX-License-Identifier: MIT */
/*
 * Tests .events files: every directive, malformed lines, and that written files read back
 * equal.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "infer/words/file/events-file.h"
#include "tests/suite.h"

static kt_words *words;

static int parse(const char *text, size_t length)
{
	/* The copy has the exact size, so that sanitizers detect reads past its end. */
	char *copy = malloc(length ? length : 1);
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, text, length);
	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	code = kt_events_parse(words, "f.events", "f", copy, length);
	free(copy);
	return code;
}

static void expect(size_t i, const char *text)
{
	struct kt_word_info info;
	char got[1024];
	uint64_t n = 0;

	CU_ASSERT_EQUAL_FATAL(kt_words_get(words, i, &info, &n), KT_OK);
	snprintf(got, sizeof(got), "%s %llu%s%s:", info.name, (unsigned long long)info.lost,
		 info.cut_begin ? " cut-begin" : "", info.cut_end ? " cut-end" : "");
	for (uint64_t j = 0; j < n; j++) {
		uint32_t letter = 0;

		CU_ASSERT_EQUAL_FATAL(kt_words_read(words, i, j, 1, &letter), KT_OK);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %s",
			 kt_words_letter_name(words, letter));
	}
	CU_ASSERT_STRING_EQUAL(got, text);
}

static void reads_as(const char *text, const char *expected)
{
	int code = parse(text, strlen(text));

	if (code) {
		printf("\n    %s\n", kt_error_message());
	}
	CU_ASSERT_EQUAL(code, KT_OK);
	if (!code) {
		expect(0, expected);
	}
	kt_words_free(words);
}

static void test_read(void)
{
	reads_as("", "f 0:");
	reads_as("\n\n", "f 0:");
	reads_as("a", "f 0: a");
	reads_as("a\nb\n\n  \n\t\nR:sys\na\n", "f 0: a b R:sys a");
	reads_as("# comment\n#ktailname x\n# ktail lost\na\n", "f 0: a");
	reads_as("#ktail name x/y.0\n#ktail lost 9223372036854775807\n#ktail cut-begin\n"
		 "#ktail cut-end\na\n",
		 "x/y.0 9223372036854775807 cut-begin cut-end: a");
	reads_as("a\n#ktail name  two words\n#ktail lost 0\nb\n", " two words 0: a b");
	/* Lengths around the 8 and 16 bytes by which short letters are compared. */
	reads_as("1234567\n12345678\n123456789\n123456789012345\n1234567890123456\n"
		 "12345678901234567\n1234567890123456\n1234567",
		 "f 0: 1234567 12345678 123456789 123456789012345 1234567890123456 "
		 "12345678901234567 1234567890123456 1234567");
	reads_as("\xc3\xa9t\xc3\xa9\n a \n", "f 0: \xc3\xa9t\xc3\xa9  a ");
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		size_t length;
		const char *message;
	} bad[] = {
		{"a\nb\r\n", 5,
		 "read f.events:2: a letter with a control character: the line ends "
		 "in CR LF instead of LF"},
		{"a\tb\n", 4,
		 "read f.events:1: a letter with control characters or invalid UTF-8"},
		{"a\n\0b\n", 5,
		 "read f.events:2: a letter with control characters or invalid UTF-8"},
		{"a\n\n# x\n\xff\n", 9,
		 "read f.events:4: a letter with control characters or invalid UTF-8"},
		{"\xc2\x80", 2,
		 "read f.events:1: a letter with control characters or invalid UTF-8"},
		{"#ktail lost x\n", 14,
		 "read f.events:1: expected the number of lost events after '#ktail lost'"},
		{"#ktail lost \n", 13,
		 "read f.events:1: expected the number of lost events after '#ktail lost'"},
		{"#ktail lost 9223372036854775808\n", 32,
		 "read f.events:1: expected the number of lost events after '#ktail lost'"},
		{"#ktail name \n", 13,
		 "read f.events:1: expected a name without control characters "
		 "after '#ktail name'"},
		{"#ktail name a\001\n", 15,
		 "read f.events:1: expected a name without control characters "
		 "after '#ktail name'"},
	};

	static const char *const unknown[] = {
		"#ktail",           "#ktail ",         "#ktail\tlost 1",
		"#ktail lost",      "#ktail name",     "#ktail cut-begin ",
		"#ktail cut-end\t", "#ktail nonsense", "#ktail cut-beginning",
		"#ktail  lost 1",   "#ktail\r",
	};

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "a\n%s\nb\n", unknown[i]);
		CU_ASSERT_EQUAL(parse(text, strlen(text)), KT_E_MALFORMED);
		CU_ASSERT_STRING_EQUAL(
			kt_error_message(),
			"read f.events:2: expected only name NAME, lost N, version WHAT, "
			"cut-begin or cut-end after '#ktail'");
		kt_words_free(words);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_EQUAL(parse(bad[i].text, bad[i].length), KT_E_MALFORMED);
		CU_ASSERT_STRING_EQUAL(kt_error_message(), bad[i].message);
		kt_words_free(words);
	}
}

/* The letters fill several batches, and overwrite each other in the cache. */
static void test_many(void)
{
	enum { N = 100000 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct kt_word_info info;
	uint64_t n;

	for (int i = 0; i < N; i++) {
		fprintf(out, "letter-%d\n", i % 5000);
	}
	fclose(out);
	CU_ASSERT_EQUAL_FATAL(parse(text, size), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_words_get(words, 0, &info, &n), KT_OK);
	CU_ASSERT_EQUAL(n, N);
	CU_ASSERT_EQUAL(kt_words_letter_count(words), 5000);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t letter = 0;

		CU_ASSERT_EQUAL(kt_words_read(words, 0, i, 1, &letter), KT_OK);
		CU_ASSERT_EQUAL(letter, i % 5000);
	}
	kt_words_free(words);
	free(text);
}

static const char *letter_of(void *source, uint64_t i)
{
	return ((const char *const *)source)[i];
}

static const char *two[] = {"a", "R:sys"};

#define WORD(word_name, letters)                                                           \
	{                                                                                  \
		.info = {.name = (word_name)}, .n = (letters), .source = two,              \
		.letter = letter_of                                                        \
	}

static size_t count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
	while ((entry = readdir(dir))) {
		n += entry->d_name[0] != '.';
	}
	closedir(dir);
	return n;
}

static void test_write(void)
{
	struct kt_events_word given[] = {
		WORD("t/app.0", 2),
		WORD("t/app.0", 1),
		WORD("t~app.0", 0),
		WORD(".h/x.0", 1),
	};
	static const char *const files[] = {"t_app.0.events", "t_app.0~2.events",
					    "t_app.0~3.events", "_h_x.0.events"};
	static const char *const texts[] = {"t/app.0 5 cut-begin cut-end: a R:sys",
					    "t/app.0 0: a", "t~app.0 0:", ".h/x.0 0: a"};
	struct kt_versions versions = {0};
	struct kt_versions all = {0};
	struct kt_word_info info;
	char folder[] = "/tmp/ktail-test.XXXXXX";
	char dir[64];
	char path[128];
	uint64_t n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(dir, sizeof(dir), "%s/out", folder);
	CU_ASSERT_EQUAL(kt_versions_add(&versions, "module", "580.1", NULL, "a\tb"), KT_OK);
	CU_ASSERT_EQUAL(kt_versions_add(&versions, "libcuda", "580.2", "ab12", ""), KT_OK);
	CU_ASSERT_EQUAL(kt_versions_add(&versions, "module", "580.1", "", "a?b"), KT_OK);
	CU_ASSERT_EQUAL(versions.n, 2);
	given[2].info.versions = &versions;
	given[0].info.lost = 5;
	given[0].info.cut_begin = given[0].info.cut_end = true;
	CU_ASSERT_EQUAL(kt_events_write(dir, given, 4), KT_OK);
	CU_ASSERT_EQUAL(kt_events_write(dir, given, 4), KT_OK); /* replaces the files */
	CU_ASSERT_EQUAL(count_files(dir), 4);
	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		CU_ASSERT_EQUAL(kt_events_read(words, path), KT_OK);
		expect(i, texts[i]);
	}
	/* Each word has its own versions, or none. */
	CU_ASSERT_EQUAL(kt_words_get(words, 1, &info, &n), KT_OK);
	CU_ASSERT_PTR_NULL(info.versions);
	CU_ASSERT_EQUAL(kt_words_get(words, 2, &info, &n), KT_OK);
	CU_ASSERT_PTR_NOT_NULL_FATAL(info.versions);
	CU_ASSERT_TRUE(kt_versions_equal(info.versions, &versions));
	CU_ASSERT_EQUAL(kt_words_versions(&all, words), KT_OK);
	CU_ASSERT_EQUAL_FATAL(all.n, 2);
	CU_ASSERT_STRING_EQUAL(all.rows[0].what, "libcuda");
	CU_ASSERT_STRING_EQUAL(all.rows[0].id, "ab12");
	CU_ASSERT_STRING_EQUAL(all.rows[1].detail, "a?b");
	kt_versions_clear(&all);
	kt_words_free(words);
	/*
	 * Writing fewer words is refused, because the old files would be read as words of
	 * the same run.
	 */
	CU_ASSERT_EQUAL(kt_events_write(dir, given, 2), KT_E_USAGE);
	CU_ASSERT_EQUAL(count_files(dir), 4);
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		CU_ASSERT_EQUAL(unlink(path), 0);
	}
	CU_ASSERT_EQUAL(rmdir(dir), 0);
	given[1].info.name = "a\nb"; /* this name could not be read back */
	CU_ASSERT_EQUAL(kt_events_write(dir, given, 4), KT_E_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "a name contains control"));
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	kt_versions_clear(&versions);
}

/* --- streaming --- */

static int name_letter(void *context, uint32_t *out, const char *name, size_t length)
{
	return kt_words_letter(out, context, name, length);
}

static int begin_word(void *context, const struct kt_word_info *info)
{
	return kt_words_begin(context, info);
}

static int append(void *context, const uint32_t *letters, size_t n)
{
	return kt_words_append(context, letters, n);
}

static int describe(void *context, const struct kt_word_info *info)
{
	return kt_words_describe(context, info);
}

static int stream(const char *path)
{
	struct kt_events_taker taker = {name_letter, begin_word, append, describe, NULL};

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	taker.context = words;
	return kt_events_stream(path, &taker);
}

static void check_same(kt_words *a, kt_words *b)
{
	struct kt_word_info x;
	struct kt_word_info y;
	uint64_t n = 0;
	uint64_t m = 1;

	CU_ASSERT_EQUAL(kt_words_get(a, 0, &x, &n), KT_OK);
	CU_ASSERT_EQUAL(kt_words_get(b, 0, &y, &m), KT_OK);
	CU_ASSERT_EQUAL_FATAL(n, m);
	CU_ASSERT_STRING_EQUAL(x.name, y.name);
	CU_ASSERT(x.lost == y.lost && x.cut_begin == y.cut_begin && x.cut_end == y.cut_end);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t p;
		uint32_t q;

		CU_ASSERT_EQUAL(kt_words_read(a, 0, i, 1, &p), KT_OK);
		CU_ASSERT_EQUAL(kt_words_read(b, 0, i, 1, &q), KT_OK);
		CU_ASSERT_EQUAL_FATAL(p, q);
	}
}

/*
 * Writes many lines of 0 to 31 characters, so that some cross the ends of the chunks in
 * which the reader reads the file.
 */
static void write_lines(FILE *out)
{
	uint64_t seed = 7;

	fputs("#ktail cut-begin\n\n#ktail lost 4\n", out);
	for (int i = 0; i < 60000; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		fprintf(out, "%.*s\n", (int)(seed >> 59),
			"abcdefghijklmnopqrstuvwxyz012345");
	}
	fputs("#ktail name x/y.0\n#ktail cut-end\nlast", out);
}

static void test_stream(void)
{
	char path[] = "/tmp/ktail-events-XXXXXX";
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	kt_words *whole;

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	write_lines(out);
	CU_ASSERT_EQUAL(fclose(out), 0);
	CU_ASSERT_EQUAL_FATAL(kt_words_new(&whole), KT_OK);
	CU_ASSERT_EQUAL(kt_events_read(whole, path), KT_OK);
	CU_ASSERT_EQUAL(stream(path), KT_OK);
	check_same(whole, words);
	kt_words_free(words);
	kt_words_free(whole);
	out = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs("a\n#ktail cut-begin\n", out);
	CU_ASSERT_EQUAL(fclose(out), 0);
	CU_ASSERT_EQUAL(stream(path), KT_E_MALFORMED);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), ":2: '#ktail cut-begin' comes"));
	kt_words_free(words);
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(stream(path), KT_E_IO);
	kt_words_free(words);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"read", test_read},         {"bad lines", test_bad},
		{"many letters", test_many}, {"write", test_write},
		{"streaming", test_stream},  CU_TEST_INFO_NULL,
	};

	return kt_run_suite("events-file", tests);
}
