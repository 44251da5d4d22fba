/* SPDX-License-Identifier: MIT */
/* Prints a listing as text. */
#include "annotate/replay/replay.h"

#include <errno.h>
#include <inttypes.h>

#include <ktail/status.h>

/* Calls nest deeper than this only in damaged traces; their lines get no more indentation.
 */
#define DEEPEST 32

/* Width of "+0.162784136". */
#define TIME_WIDTH 13

static void print_time(FILE *out, int64_t ns)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%" PRId64 ".%09" PRId64, ns < 0 ? "-" : "+",
		 (ns < 0 ? -ns : ns) / 1000000000, (ns < 0 ? -ns : ns) % 1000000000);
	fprintf(out, "%*s", TIME_WIDTH, text);
}

/*
 * Prints a duration in a unit in which it has at most three digits before the point, at
 * least `width` columns wide.
 */
static void print_duration(FILE *out, uint64_t ns, int width)
{
	static const char *const units[] = {"us", "ms", "s"};
	uint64_t thousandths = ns;
	size_t unit = 0;

	while (thousandths >= 1000000 && unit < 2) {
		thousandths /= 1000;
		unit++;
	}
	fprintf(out, "%*" PRIu64 ".%03" PRIu64 " %-*s", width, thousandths / 1000,
		thousandths % 1000, width > 0 ? 2 : 0, units[unit]);
}

/* Prints the number of a call or doorbell; for several, the first and the last number. */
static void print_number(FILE *out, const struct kt_line *line)
{
	if (line->first > 0) {
		fprintf(out, "%s%" PRIu64, line->mark, line->first);
		if (line->last != line->first) {
			fprintf(out, "..%" PRIu64, line->last);
		}
	}
}

static void print_line(FILE *out, const struct kt_replay *r, const struct kt_lines *lines,
		       const struct kt_line *line, int64_t shift)
{
	const uint32_t depth = line->depth < DEEPEST ? line->depth : DEEPEST;
	const char *head = lines->texts.items[line->head];
	const char *tail = lines->texts.items[line->tail];

	print_time(out, line->time - shift);
	if (line->timed) {
		fputc(' ', out);
		print_duration(out, line->duration, 7);
	} else {
		fprintf(out, "%15s", "");
	}
	if (line->thread == KT_TIMELINE_NONE) {
		fprintf(out, "%10s", "");
	} else {
		fprintf(out, " [%7" PRIu32 "]",
			r->timeline.events.threads[line->thread].tid);
	}
	fprintf(out, " | %*s%s", 2 * (int)depth, "", head);
	print_number(out, line);
	fputs(tail, out);
	if (line->count > 1) {
		fprintf(out, " x %" PRIu64, line->count);
	}
	if (line->loop && line->timed) {
		fputs(", mean ", out);
		print_duration(out, line->duration / line->count, 0);
	}
	fputs(line->kind == KT_LINE_OPEN ? " {\n" : "\n", out);
}

int kt_replay_write(FILE *out, const void *replay)
{
	const struct kt_replay *r = replay;

	for (size_t i = 0; i < r->inputs.n; i++) {
		const struct kt_replay_trace *trace = &r->traces[i];
		const struct kt_timeline_trace *of = &r->timeline.traces[i];
		const int64_t shift = kt_timeline_limited(
			(uint64_t)kt_trace_report(of->trace)->first_time -
			(uint64_t)r->timeline.begin);

		fprintf(out, "%s# trace %s\n", i > 0 ? "\n" : "", of->name);
		fprintf(out, "#%*s%12s%13s\n", TIME_WIDTH - 1, "time", "duration",
			"thread");
		for (size_t j = 0; j < trace->lines.n; j++) {
			print_line(out, r, &trace->lines, &trace->lines.lines[j], shift);
		}
		if (trace->accesses > 0 && !r->options->accesses) {
			fprintf(out,
				"# not listed without --accesses: %" PRIu64
				" reads or writes of mapped memory\n",
				trace->accesses);
		}
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write listing") : KT_OK;
}
