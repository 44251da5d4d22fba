/* SPDX-License-Identifier: MIT */
#include "collect/summary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned long long get(const _Atomic uint64_t *counter)
{
	return (unsigned long long)atomic_load(counter);
}

static unsigned long long minus(unsigned long long a, unsigned long long b)
{
	return a > b ? a - b : 0;
}

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ktail: warning: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
}

/* Processes that ended without a word, such as those that were killed. */
static unsigned long long unfinished(const struct kt_counters *c)
{
	return minus(get(&c->begun), get(&c->ended));
}

static void print_line(const struct kt_record_options *options, const struct kt_counters *c,
		       const struct kt_keeper_end *end)
{
	double held = (double)get(&c->held_ns) / 1e9;

	/* What lay in the buffers of one that died was handed over, and is in no file. */
	bool early = end->keeper_died || end->daemon != KT_DAEMON_LIVES;

	fprintf(stderr, "ktail: recorded %s%llu events, %s%llu lost",
		early ? "at most " : "", minus(get(&c->events), end->lost),
		early ? "at least " : "", (unsigned long long)end->lost + get(&c->unsent));
	fprintf(stderr, ", %llu fragments, %llu doorbells", unfinished(c) + get(&c->gaps),
		get(&c->doorbells));
	if (strcmp(options->doorbell, "off") != 0) {
		fprintf(stderr,
			" (%llu without a moved GP_PUT), %llu channels (%llu behind)",
			get(&c->idle_doorbells), get(&c->channels), get(&c->behind));
	}
	if (get(&c->faults)) {
		fprintf(stderr, ", %llu faults (%llu windows, %llu steps)", get(&c->faults),
			get(&c->windows), get(&c->stepped));
	}
	if (held >= 0.05) {
		fprintf(stderr, ", held %.1f s", held);
	}
	fprintf(stderr, " in %s\n", options->output);
}

/* Half of LTTng died, or what looked after it. */
static void warn_of_deaths(const struct kt_keeper_end *end)
{
	if (end->keeper_died) {
		warn("what looks after the LTTng session has died: the trace ends early");
	} else if (end->daemon == KT_DAEMON_DIED) {
		warn("the LTTng session daemon has died: the trace ends early");
	} else if (end->daemon == KT_DAEMON_CONSUMER_DIED) {
		warn("the LTTng consumer daemon has died: the trace ends early");
	}
}

static void warn_of_gaps(const struct kt_record_options *options,
			 const struct kt_counters *c, const struct kt_keeper_end *end)
{
	if (get(&c->gave_up)) {
		warn("buffers were full, programs were held %.1f s and then went on "
		     "unrecorded %llu times: give more room (--subbuf-size, --num-subbuf), "
		     "more time (--hold), or all the time it takes (--lossless)",
		     (double)get(&c->held_ns) / 1e9, get(&c->gave_up));
	} else if (end->lost && !options->lossless) {
		warn("buffers were full: give more room (--subbuf-size, --num-subbuf) or "
		     "all "
		     "the time it takes (--lossless)");
	}
	if (unfinished(c)) {
		warn("%llu processes ended without telling (killed, or still running): "
		     "their "
		     "words are cut",
		     unfinished(c));
	}
	if (get(&c->without_provider)) {
		warn("%llu processes found no libktail-gpu-stack.so: their events are not "
		     "in "
		     "the trace",
		     get(&c->without_provider));
	}
}

/* What `auto` chose, and why. */
static void tell_doorbells(const struct kt_record_options *options,
			   const struct kt_counters *c)
{
	const char *why = strerror((int)get(&c->watchpoint_error));

	if (strcmp(options->doorbell, "auto") == 0 && get(&c->bells_watched)) {
		fprintf(stderr, "ktail: doorbells by watchpoint\n");
	}
	if (strcmp(options->doorbell, "auto") == 0 && get(&c->bells_by_page)) {
		if (get(&c->watchpoint_refused)) {
			fprintf(stderr,
				"ktail: doorbells by closed pages (watchpoint refused: "
				"%s%s)\n",
				why,
				get(&c->watchpoint_error) == ENOSPC
					? ""
					: "; see /proc/sys/kernel/perf_event_paranoid");
		} else {
			fprintf(stderr, "ktail: doorbells by closed pages (they cost less "
					"than watchpoints)\n");
		}
	}
	if (get(&c->bells_open)) {
		warn("%llu doorbells are not watched (perf_event_open: %s; "
		     "--doorbell=protect needs no permission)",
		     get(&c->bells_open), why);
	}
	if (get(&c->unknown_values)) {
		warn("%llu doorbells with an unknown value", get(&c->unknown_values));
	}
}

static void warn_of_accesses(const struct kt_counters *c)
{
	if (get(&c->unwatched)) {
		warn("%llu mappings stay open (unified memory, or no second mapping to be "
		     "had): their accesses are not seen",
		     get(&c->unwatched));
	}
	if (get(&c->limit_reached)) {
		warn("%llu processes reached --access-limit: from there on the trace has "
		     "runs of accesses",
		     get(&c->limit_reached));
	}
	if (get(&c->missed)) {
		warn("%llu accesses or doorbells missed: the trace has gaps there",
		     get(&c->missed));
	}
}

static void warn_of_the_rest(const struct kt_counters *c)
{
	if (get(&c->begun) == 0) {
		warn("no process was recorded");
	} else if (get(&c->device_users) == 0) {
		warn("no process opened a GPU's device file");
	}
	if (get(&c->setup_failures)) {
		warn("%llu things that recording needs could not be had (memory, a "
		     "library, a "
		     "file of /proc): what hangs on them is not in the trace",
		     get(&c->setup_failures));
	}
	if (get(&c->unreadable)) {
		warn("%llu requests of unknown layout", get(&c->unreadable));
	}
}

void kt_summary_print(const struct kt_record_options *options,
		      const struct kt_counters *counters, const struct kt_keeper_end *end)
{
	print_line(options, counters, end);
	warn_of_deaths(end);
	warn_of_gaps(options, counters, end);
	tell_doorbells(options, counters);
	warn_of_accesses(counters);
	warn_of_the_rest(counters);
}
