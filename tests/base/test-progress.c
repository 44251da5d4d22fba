/* SPDX-License-Identifier: MIT */
/* Tests progress, with a pseudo-terminal as standard error. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/progress.h"
#include "tests/suite.h"

static char got[4096];

/*
 * Works for `ms` milliseconds, with standard error on the pseudo-terminal if `terminal` is
 * true, and sets `got` to what the pseudo-terminal received.
 */
static void work(bool terminal, const char *what, uint64_t total, long ms,
		 void (*after)(void))
{
	const struct timespec pause = {.tv_nsec = 10000000};
	struct winsize size = {.ws_row = 24, .ws_col = 60};
	int before = dup(STDERR_FILENO);
	int master;
	int slave;
	size_t length = 0;
	ssize_t n;

	CU_ASSERT_EQUAL_FATAL(openpty(&master, &slave, NULL, NULL, &size), 0);
	if (!terminal) {
		close(slave);
		slave = open("/dev/null", O_WRONLY);
	}
	dup2(slave, STDERR_FILENO);
	kt_progress_enable("ktail");
	kt_progress_begin(what, total, 2);
	for (long i = 0; i < ms / 10; i++) {
		kt_progress_add(3);
		nanosleep(&pause, NULL);
	}
	after();
	dup2(before, STDERR_FILENO);
	close(before);
	/* read() returns all output before it fails because the slave is closed. */
	close(slave);
	while ((n = read(master, got + length, sizeof(got) - 1 - length)) > 0) {
		length += (size_t)n;
	}
	got[length] = '\0';
	close(master);
}

static void is_silent_for_two_seconds(void)
{
	work(true, "short", 0, 20, kt_progress_end);
	CU_ASSERT_STRING_EQUAL(got, "");
}

/* The last output is blanks that erase the line. */
static void shows_a_line_and_takes_it_away(void)
{
	const char *line;
	const char *end;

	work(true, "count", 1000, 2500, kt_progress_end);
	line = strstr(got, "ktail: count: ");
	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	CU_ASSERT_PTR_NOT_NULL(strstr(line, " of 1000\r"));
	end = got + strlen(got) - 1;
	CU_ASSERT_EQUAL(*end, '\r');
	while (end > got && end[-1] == ' ') {
		end--;
	}
	CU_ASSERT_EQUAL(end[-1], '\r');
}

static void shows_a_rate_without_a_total(void)
{
	work(true, "short", 0, 2200, kt_progress_end);
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "/s"));
	/* A second run of the same work shows the rate without a delay of two seconds. */
	work(true, "short", 0, 300, kt_progress_end);
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "/s"));
}

static void is_silent_without_a_terminal(void)
{
	work(false, "other", 0, 2200, kt_progress_end);
	CU_ASSERT_STRING_EQUAL(got, "");
	kt_progress_add(100);
	kt_progress_end();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"is silent for two seconds", is_silent_for_two_seconds},
		{"shows a line and takes it away", shows_a_line_and_takes_it_away},
		{"shows a rate without a total", shows_a_rate_without_a_total},
		{"is silent without a terminal", is_silent_without_a_terminal},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("progress", tests);
}
