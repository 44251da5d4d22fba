/* SPDX-License-Identifier: MIT */
/*
 * Tests the words and letters of a recorded trace. Arguments: the folder of a trace, and
 * that of a trace with submissions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"
#include "infer/words/read/ctf-folder.h"
#include "infer/words/read/trace.h"
#include "tests/suite.h"

static const char *folder;
static const char *submissions;
static kt_alphabet *alphabet;

static kt_trace *open_trace(void)
{
	struct kt_trace_options options = {0};
	kt_trace *trace = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&alphabet, "table1"), KT_OK);
	options.alphabet = alphabet;
	CU_ASSERT_EQUAL_FATAL(kt_trace_open(&trace, folder, &options), KT_OK);
	kt_alphabet_free(alphabet);
	return trace;
}

static void test_letters(void)
{
	kt_trace *trace = open_trace();
	struct kt_trace_letter letter;
	struct kt_trace_letter next;
	struct kt_word_info info;
	uint32_t numbers[3];
	uint64_t n;

	CU_ASSERT_EQUAL(kt_trace_words(trace), 9);
	CU_ASSERT_EQUAL_FATAL(kt_trace_word(trace, 0, &info, &n), KT_OK);
	CU_ASSERT_STRING_EQUAL(info.name, "scripted/app.0");
	CU_ASSERT_EQUAL(n, 13);
	CU_ASSERT_EQUAL_FATAL(kt_trace_letter(trace, 0, 1, &letter), KT_OK);
	CU_ASSERT_STRING_EQUAL(letter.name, "ioctl:0x2b");
	CU_ASSERT_STRING_EQUAL(letter.name, kt_trace_letter_name(trace, letter.letter));
	CU_ASSERT_EQUAL(letter.tid, 100);
	CU_ASSERT_EQUAL(letter.seq, 3);
	CU_ASSERT_EQUAL_FATAL(kt_trace_letter(trace, 0, 9, &next), KT_OK);
	CU_ASSERT_STRING_EQUAL(next.name, "W:reg");
	CU_ASSERT_EQUAL(next.tid, 101);
	CU_ASSERT_TRUE(next.time > letter.time);
	CU_ASSERT_EQUAL(kt_trace_numbers(trace, 0, 10, 3, numbers), KT_OK);
	CU_ASSERT_EQUAL(numbers[0], next.letter);
	CU_ASSERT_EQUAL(kt_trace_numbers(trace, 0, 11, 3, numbers), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_trace_letter(trace, 0, 13, &letter), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_trace_letter(trace, 9, 0, &letter), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_trace_word(trace, 9, &info, &n), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_trace_report(trace)->totals.lost, 34);
	CU_ASSERT_EQUAL(kt_trace_report(trace)->totals.processes, 8);
	CU_ASSERT_EQUAL(kt_trace_report(trace)->cut_files, 0);
	CU_ASSERT_STRING_EQUAL(kt_trace_report(trace)->stopped, "");
	kt_trace_free(trace);
	kt_trace_free(NULL);
}

/* Words of two traces in one set share letters. */
static void test_append(void)
{
	kt_trace *trace = open_trace();
	kt_words *words;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(kt_trace_append(trace, words), KT_OK);
	CU_ASSERT_EQUAL(kt_trace_append(trace, words), KT_OK);
	CU_ASSERT_EQUAL(kt_words_count(words), 18);
	CU_ASSERT_EQUAL(kt_words_total(words), 946);
	CU_ASSERT_EQUAL(kt_words_letter_count(words), kt_trace_letter_count(trace));
	kt_words_free(words);
	kt_trace_free(trace);
}

/* A signal while a truncated trace is read removes its private copy. */
static void test_signal(void)
{
	char scratch[] = "/tmp/ktail-signal-XXXXXX";
	char command[1024];
	int status = 0;
	pid_t pid;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch));
	snprintf(command, sizeof(command),
		 "cp -r '%s' %s/trace && chmod -R u+w %s/trace && mkdir %s/tmp && "
		 "truncate -s -1 %s/trace/ust/uid/*/64-bit/channel_1",
		 folder, scratch, scratch, scratch, scratch);
	CU_ASSERT_EQUAL_FATAL(system(command), 0);
	pid = fork();
	if (pid == 0) {
		struct kt_ctf_folders folders;
		char path[64];

		snprintf(path, sizeof(path), "%s/tmp", scratch);
		setenv("TMPDIR", path, 1);
		snprintf(path, sizeof(path), "%s/trace", scratch);
		kt_cleanup_install();
		if (kt_ctf_find(&folders, path) || kt_ctf_repair(&folders.folders[0]) ||
		    access(folders.folders[0].copy, F_OK) != 0) {
			_exit(1);
		}
		raise(SIGTERM);
		_exit(2);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	snprintf(command, sizeof(command), "rmdir %s/tmp && rm -r %s", scratch, scratch);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* Letters of commands have a sequence number, a thread and a time, as other letters do. */
static void test_commands(void)
{
	struct kt_trace_options options = {.word = KT_WORD_CHANNEL};
	struct kt_trace_letter letter;
	struct kt_word_info info;
	kt_trace *trace = NULL;
	uint64_t last = 0;
	uint64_t n = 0;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&alphabet, "table1"), KT_OK);
	options.alphabet = alphabet;
	CU_ASSERT_EQUAL(kt_trace_open(&trace, submissions, &options), KT_E_USAGE);
	kt_alphabet_free(alphabet);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&alphabet, "submission"), KT_OK);
	options.alphabet = alphabet;
	CU_ASSERT_EQUAL_FATAL(kt_trace_open(&trace, submissions, &options), KT_OK);
	kt_alphabet_free(alphabet);
	CU_ASSERT_EQUAL(kt_trace_words(trace), 4);
	CU_ASSERT_EQUAL_FATAL(kt_trace_word(trace, 1, &info, &n), KT_OK);
	CU_ASSERT_STRING_EQUAL(info.name, "softgpu-streams/streams.0.c1");
	for (uint64_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL_FATAL(kt_trace_letter(trace, 1, i, &letter), KT_OK);
		CU_ASSERT_TRUE(letter.seq > last && letter.tid > 0 && letter.time > 0);
		last = letter.seq;
	}
	kt_trace_free(trace);
}

static void test_missing(void)
{
	struct kt_trace_options options = {0};
	kt_trace *trace;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&alphabet, "rm"), KT_OK);
	options.alphabet = alphabet;
	CU_ASSERT_EQUAL(kt_trace_open(&trace, "/nowhere/at/all", &options), KT_E_IO);
	CU_ASSERT_PTR_NULL(trace);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "read /nowhere/at/all: No such file or directory");
	kt_alphabet_free(alphabet);
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"letters", test_letters},   {"append", test_append},
		{"signal", test_signal},     {"missing", test_missing},
		{"commands", test_commands}, CU_TEST_INFO_NULL,
	};

	folder = argc > 1 ? argv[1] : "";
	submissions = argc > 2 ? argv[2] : "";
	return kt_run_suite("trace", tests);
}
