/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/terminal.h"

#define AFTER_NS 2000000000 /* a task shorter than this shows no line */
#define EVERY_NS 200000000

static struct {
	const char *program; /* Weak; NULL: not enabled */
	const char *what;    /* Weak; NULL: no task yet */
	bool works;
	uint64_t total;
	uint64_t each;
	uint64_t done;
	uint64_t unchecked; /* steps since the clock was last read */
	int64_t begin;
	int64_t next; /* time at which the line is written next, ns as in now() */
	size_t shown; /* width of the line in columns; 0: no line is shown */
} progress;

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void kt_progress_enable(const char *program)
{
	progress.program = kt_terminal_width(stderr) > 0 ? program : NULL;
}

void kt_progress_hide(void)
{
	if (progress.shown) {
		fprintf(stderr, "\r%*s\r", (int)progress.shown, "");
		fflush(stderr);
		progress.shown = 0;
	}
}

static void show(int64_t time)
{
	size_t width = kt_terminal_width(stderr);
	char line[128];
	int n;

	if (progress.total) {
		n = snprintf(line, sizeof(line), "%s: %s: %" PRIu64 " of %" PRIu64,
			     progress.program, progress.what, progress.done,
			     progress.total);
	} else {
		n = snprintf(line, sizeof(line), "%s: %s: %" PRIu64 ", %.0f/s",
			     progress.program, progress.what, progress.done,
			     (double)progress.done * 1e9 / (double)(time - progress.begin));
	}
	/* A line that fills the terminal's width would wrap, and could not be erased. */
	if (n > 0 && n < (int)sizeof(line) && (size_t)n < width) {
		kt_progress_hide();
		fputs(line, stderr);
		fflush(stderr);
		progress.shown = (size_t)n;
	}
}

void kt_progress_begin(const char *what, uint64_t total, uint64_t each)
{
	kt_progress_end();
	progress.works = progress.program != NULL;
	if (progress.works && (progress.what != what || total)) {
		progress.what = what;
		progress.total = total;
		progress.each = each;
		progress.done = 0;
		progress.unchecked = 0;
		progress.begin = now();
		progress.next = progress.begin + AFTER_NS;
	}
}

void kt_progress_add(uint64_t steps)
{
	int64_t time;

	if (!progress.works) {
		return;
	}
	progress.done += steps;
	progress.unchecked += steps;
	if (progress.unchecked < progress.each) {
		return;
	}
	progress.unchecked = 0;
	time = now();
	if (time >= progress.next) {
		show(time);
		progress.next = time + EVERY_NS;
	}
}

void kt_progress_end(void)
{
	kt_progress_hide();
	progress.works = false;
}
