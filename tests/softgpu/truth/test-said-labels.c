/* SPDX-License-Identifier: MIT */
/* Compares queries of the driver's labels by thread and time with a linear search. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "corpus/softgpu/truth/said-labels.h"
#include "tests/suite.h"

enum { LINES = 200, THREADS = 3, ROUNDS = 200 };

struct line {
	uint32_t tid;
	int64_t time;
	char what[8];
	char text[8];
};

static char path[] = "/tmp/test-said-labels-XXXXXX";

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}

/*
 * Writes random interleaved lines of threads. The times of a thread may repeat but never
 * decrease.
 */
static void draw_lines(struct line lines[LINES], uint32_t *seed)
{
	int64_t times[THREADS] = {0};
	uint32_t depths[THREADS] = {0};
	uint32_t calls[THREADS][8];

	for (size_t i = 0; i < LINES; i++) {
		uint32_t t = random_below(seed, THREADS);
		uint32_t kind = random_below(seed, 3);
		uint32_t number = random_below(seed, 5);

		times[t] += random_below(seed, 4);
		lines[i] = (struct line){.tid = t + 1, .time = times[t]};
		if (kind == 0 && depths[t] < 8) {
			calls[t][depths[t]++] = number;
			snprintf(lines[i].what, 8, "enter");
		} else if (kind == 1 && depths[t] > 0) {
			number = calls[t][--depths[t]];
			snprintf(lines[i].what, 8, "leave");
		} else {
			snprintf(lines[i].what, 8, "label");
		}
		snprintf(lines[i].text, 8, "%c%u", lines[i].what[0] == 'l' ? 'x' : 'c',
			 number);
		if (strcmp(lines[i].what, "label") != 0) {
			lines[i].text[0] = 'f';
		} else if (number == 0) {
			lines[i].text[0] = '\0';
		}
	}
}

static void write_lines(const struct line lines[LINES])
{
	FILE *out = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	for (size_t i = 0; i < LINES; i++) {
		fprintf(out, "%" PRId64 "\t7\t%u\t%s\t%s\n", lines[i].time, lines[i].tid,
			lines[i].what, lines[i].text);
	}
	fclose(out);
}

static void check_at(const struct kt_said_labels *said, const struct line lines[LINES],
		     uint32_t tid, int64_t time)
{
	const char *label = "";
	const char *calls[LINES];
	size_t depth = 0;
	struct kt_said found = kt_said_labels_at(said, 7, tid, time);

	for (size_t i = 0; i < LINES; i++) {
		if (lines[i].tid != tid || lines[i].time > time) {
			continue;
		}
		switch (lines[i].what[0] == 'e' ? 1 : lines[i].what[1] == 'e' ? -1 : 0) {
		case 1: calls[depth++] = lines[i].text; break;
		case -1: depth--; break;
		default: label = lines[i].text;
		}
	}
	CU_ASSERT_STRING_EQUAL(found.label, label);
	CU_ASSERT_STRING_EQUAL(found.call, depth > 0 ? calls[depth - 1] : "");
}

static void test_random(void)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct line lines[LINES];
		struct kt_said_labels *said = NULL;

		draw_lines(lines, &seed);
		write_lines(lines);
		CU_ASSERT_EQUAL_FATAL(kt_said_labels_read(&said, path), KT_OK);
		for (uint32_t tid = 0; tid < THREADS + 2; tid++) {
			for (int64_t time = -1; time < 160; time += 3) {
				check_at(said, lines, tid, time);
			}
		}
		CU_ASSERT_STRING_EQUAL(kt_said_labels_at(said, 8, 1, 100).label, "");
		kt_said_labels_free(said);
	}
}

static void test_malformed(void)
{
	static const struct {
		const char *text;
		int code;
	} cases[] = {
		{"", KT_OK},
		{"1\t2\t3\tlabel\t\n", KT_OK},
		{"1\t2\t3\tlabel\t", KT_E_MALFORMED},
		{"1\t2\t3\tlabel\n", KT_E_MALFORMED},
		{"1\t2\t3\tlabel\ta\tb\n", KT_E_MALFORMED},
		{"1\t2\t3\tbegin\ta\n", KT_E_MALFORMED},
		{"x\t2\t3\tlabel\ta\n", KT_E_MALFORMED},
		{"-1\t2\t3\tlabel\ta\n", KT_E_MALFORMED},
		{"1\t4294967296\t3\tlabel\ta\n", KT_E_MALFORMED},
		{"1\t2\t3\tleave\ta\n", KT_E_MALFORMED},
		{"1\t2\t3\tenter\ta\n2\t2\t4\tleave\ta\n", KT_E_MALFORMED},
		{"2\t2\t3\tlabel\ta\n1\t2\t3\tlabel\tb\n", KT_E_MALFORMED},
		{"2\t2\t3\tlabel\ta\n1\t2\t4\tlabel\tb\n", KT_OK},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *out = fopen(path, "w");
		struct kt_said_labels *said = NULL;

		CU_ASSERT_PTR_NOT_NULL_FATAL(out);
		fputs(cases[i].text, out);
		fclose(out);
		CU_ASSERT_EQUAL(kt_said_labels_read(&said, path), cases[i].code);
		kt_said_labels_free(said);
	}
	unlink(path);
	{
		struct kt_said_labels *said = NULL;

		CU_ASSERT_EQUAL(kt_said_labels_read(&said, path), KT_E_IO);
		CU_ASSERT_PTR_NULL(said);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random", test_random},
		{"malformed", test_malformed},
		CU_TEST_INFO_NULL,
	};
	int file = mkstemp(path);

	if (file < 0) {
		return 1;
	}
	close(file);
	return kt_run_suite("labels that were said", tests);
}
