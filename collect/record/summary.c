/* SPDX-License-Identifier: MIT */
#include "collect/record/summary.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned long long get(const _Atomic uint64_t *counter)
{
	return (unsigned long long)atomic_load(counter);
}

/* "1 process", "2 processes": for a word whose plural ends so. */
#define COUNT(n, plural) (n), (n) == 1 ? "" : (plural)

static unsigned long long minus(unsigned long long a, unsigned long long b)
{
	return a > b ? a - b : 0;
}

void kt_summary_warn(const char *format, ...)
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
	fprintf(stderr, ", %llu fragment%s, %llu doorbell%s",
		COUNT(unfinished(c) + get(&c->gaps), "s"), COUNT(get(&c->doorbells), "s"));
	if (strcmp(options->doorbell, "off") != 0) {
		fprintf(stderr,
			" (%llu without a moved GP_PUT), %llu channel%s (%llu behind)",
			get(&c->idle_doorbells), COUNT(get(&c->channels), "s"),
			get(&c->behind));
	}
	if (strcmp(options->doorbell, "off") != 0 &&
	    strcmp(options->submissions, "off") != 0) {
		fprintf(stderr, ", %llu entr%s (%llu unread), %llu word%s",
			get(&c->entries), get(&c->entries) == 1 ? "y" : "ies",
			get(&c->unread), COUNT(get(&c->words), "s"));
	}
	if (strcmp(options->doorbell, "off") != 0) {
		fprintf(stderr, ", %llu bus read%s", COUNT(get(&c->bus_reads), "s"));
	}
	if (get(&c->faults)) {
		fprintf(stderr, ", %llu fault%s (%llu window%s, %llu step%s)",
			COUNT(get(&c->faults), "s"), COUNT(get(&c->windows), "s"),
			COUNT(get(&c->stepped), "s"));
	}
	if (held >= 0.05) {
		fprintf(stderr, ", held %.1f s", held);
	}
	fprintf(stderr, " in %s\n", options->output);
}

void kt_summary_warn_of_deaths(const struct kt_keeper_end *end)
{
	if (end->keeper_died) {
		kt_summary_warn("what looks after the LTTng session has died: the trace "
				"ends early");
	} else if (end->daemon == KT_DAEMON_DIED) {
		kt_summary_warn("the LTTng session daemon has died: the trace ends early");
	} else if (end->daemon == KT_DAEMON_CONSUMER_DIED) {
		kt_summary_warn("the LTTng consumer daemon has died: the trace ends early");
	}
}

static void warn_of_gaps(const struct kt_record_options *options,
			 const struct kt_counters *c, const struct kt_keeper_end *end)
{
	if (get(&c->gave_up)) {
		kt_summary_warn(
			"buffers were full, programs were held %.1f s and then went on "
			"unrecorded %llu times: give more room (--subbuf-size, "
			"--num-subbuf), "
			"more time (--hold), or all the time it takes (--lossless)",
			(double)get(&c->held_ns) / 1e9, get(&c->gave_up));
	} else if (end->lost && !options->lossless) {
		kt_summary_warn("buffers were full: give more room (--subbuf-size, "
				"--num-subbuf) or "
				"all "
				"the time it takes (--lossless)");
	}
	if (unfinished(c)) {
		kt_summary_warn("%llu process%s ended without telling (killed, or still "
				"running): cut "
				"words",
				COUNT(unfinished(c), "es"));
	}
	if (get(&c->without_provider)) {
		kt_summary_warn("%llu process%s found no libktail-gpu-stack.so: without "
				"events in the "
				"trace",
				COUNT(get(&c->without_provider), "es"));
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
		kt_summary_warn("%llu doorbell%s not watched (perf_event_open: %s; "
				"--doorbell=protect needs no permission)",
				COUNT(get(&c->bells_open), "s"), why);
	}
	if (get(&c->unknown_values)) {
		kt_summary_warn("%llu doorbell%s with an unknown value",
				COUNT(get(&c->unknown_values), "s"));
	}
}

/* Where GP_PUTs and entries came from, or whether both ways agree. */
static void tell_rings(const struct kt_record_options *options, const struct kt_counters *c)
{
	bool check = strcmp(options->rings, "check") == 0;
	unsigned long long wrong = get(&c->puts_wrong) + get(&c->entries_wrong);

	if (strcmp(options->rings, "bus") == 0 || strcmp(options->doorbell, "off") == 0) {
		return;
	}
	fprintf(stderr,
		"ktail: rings: %llu store%s moved a GP_PUT, %llu doorbell%s with GP_PUT as "
		"stored; ",
		COUNT(get(&c->put_stores), "s"), COUNT(get(&c->bells_stored), "s"));
	fprintf(stderr,
		"%s %llu look%s at GP_PUT and %llu entr%s, without a store that was seen "
		"%llu and %llu\n",
		check ? "equal" : "from stores", COUNT(get(&c->puts_stored), "s"),
		get(&c->entries_stored), get(&c->entries_stored) == 1 ? "y" : "ies",
		get(&c->puts_read), get(&c->entries_read));
	if (wrong) {
		kt_summary_warn(
			"%llu GP_PUT%s and %llu ring entr%s in memory other than what was "
			"seen "
			"to be stored: --rings=stores misses stores of this program",
			COUNT(get(&c->puts_wrong), "s"), get(&c->entries_wrong),
			get(&c->entries_wrong) == 1 ? "y" : "ies");
	}
}

/* Whether CUPTI told of the calls of the CUDA API, and why not. */
static void tell_cupti(const struct kt_record_options *options, const struct kt_counters *c)
{
	if (strcmp(options->api, "cupti") != 0) {
		return;
	}
	if (get(&c->cupti_on)) {
		fprintf(stderr, "ktail: %llu API call%s by CUPTI in %llu process%s\n",
			COUNT(get(&c->cupti_calls), "s"), COUNT(get(&c->cupti_on), "es"));
	}
	if (!get(&c->cupti_loaded)) {
		kt_summary_warn("no API calls: no process initialized a libcuda that loads "
				"libktail-cupti.so");
	}
	if (get(&c->cupti_missing)) {
		kt_summary_warn(
			"no API calls in %llu process%s: no libcupti.so was found (--cupti "
			"names one)",
			COUNT(get(&c->cupti_missing), "es"));
	}
	if (get(&c->cupti_held)) {
		kt_summary_warn(
			"no API calls in %llu process%s: another tool uses CUPTI there",
			COUNT(get(&c->cupti_held), "es"));
	}
	if (get(&c->cupti_refused)) {
		kt_summary_warn(
			"no API calls in %llu process%s: CUPTI refused (error %llu)",
			COUNT(get(&c->cupti_refused), "es"), get(&c->cupti_error));
	}
	if (get(&c->cupti_missed)) {
		kt_summary_warn("%llu API call%s too deep within others, not recorded",
				COUNT(get(&c->cupti_missed), "s"));
	}
}

/* What the program's own stores were replaced by, and what was left as it is. */
static void tell_patches(const struct kt_record_options *options,
			 const struct kt_counters *c)
{
	if (strcmp(options->doorbell, "patch") != 0) {
		return;
	}
	fprintf(stderr,
		"ktail: %llu of %llu doorbells without a trap, %llu store%s patched",
		get(&c->patched_bells), get(&c->doorbells), COUNT(get(&c->patches), "s"));
	if (get(&c->patch_traps)) {
		fprintf(stderr, ", %llu trap%s within them",
			COUNT(get(&c->patch_traps), "s"));
	}
	fprintf(stderr, "\n");
	if (get(&c->patches_refused)) {
		fprintf(stderr, "ktail: %llu store%s could not be patched: %.*s (",
			COUNT(get(&c->patches_refused), "s"), (int)sizeof(c->refused_why),
			c->refused_why);
		for (size_t i = 0; i < sizeof(c->refused_code); i++) {
			fprintf(stderr, "%s%02x", i ? " " : "", c->refused_code[i]);
		}
		fprintf(stderr, ")\n");
	}
}

/* Processes that might have been recorded, and were not. */
static void warn_of_users(const struct kt_counters *c, const struct kt_keeper_end *end)
{
	const struct passwd *user = getpwuid((uid_t)get(&c->shut_out_user));

	if (get(&c->not_joined) && get(&c->shut_out_user)) {
		kt_summary_warn(
			"at least %llu process%s of another user (%s), and what they "
			"started, not recorded: the trace has gaps there "
			"(--also-user=%s)",
			COUNT(get(&c->not_joined), "es"),
			user ? user->pw_name : "of no name", user ? user->pw_name : "NAME");
	} else if (get(&c->not_joined)) {
		kt_summary_warn("at least %llu process%s could not join the recording (in "
				"another root folder, without descriptors, or while it "
				"ended): the trace has gaps there",
				COUNT(get(&c->not_joined), "es"));
	}
	if (end->late) {
		kt_summary_warn(
			"%llu process%s recorded late or not at all: LTTng's session "
			"daemon did not answer, or they are in another PID namespace",
			COUNT((unsigned long long)end->late, "es"));
	}
	if (end->refused) {
		kt_summary_warn("%llu process%s that this recording did not start asked to "
				"be recorded: refused",
				COUNT((unsigned long long)end->refused, "es"));
	}
}

static void warn_of_the_rest(const struct kt_record_options *options,
			     const struct kt_counters *c)
{
	if (get(&c->begun) == 0) {
		kt_summary_warn("no process was recorded");
	} else if (get(&c->device_users) == 0) {
		kt_summary_warn("no process opened a GPU's device file%s",
				options->softgpu ? ""
						 : " (where there is no GPU: --softgpu)");
	}
	if (get(&c->setup_failures)) {
		kt_summary_warn(
			"%llu thing%s that recording needs could not be had (memory, a "
			"library, a file of /proc): what hangs on that is not in the trace",
			COUNT(get(&c->setup_failures), "s"));
	}
	if (get(&c->filtered)) {
		kt_summary_warn("%llu process%s not recorded any further: a seccomp filter "
				"of their own "
				"refuses what the recorder calls",
				COUNT(get(&c->filtered), "es"));
	}
	if (get(&c->unreadable)) {
		kt_summary_warn("%llu request%s of unknown layout",
				COUNT(get(&c->unreadable), "s"));
	}
}

void kt_summary_print(const struct kt_record_options *options, const struct kt_counters *c,
		      const struct kt_keeper_end *end)
{
	print_line(options, c, end);
	kt_summary_warn_of_deaths(end);
	warn_of_gaps(options, c, end);
	tell_doorbells(options, c);
	tell_patches(options, c);
	tell_rings(options, c);
	if (strcmp(options->api, "wrap") == 0) {
		fprintf(stderr,
			"ktail: API: %llu entry point%s wrapped, %llu past us (%llu export "
			"table%s), %llu unseen; %llu call%s\n",
			COUNT(get(&c->api_wrapped), "s"), get(&c->api_past),
			COUNT(get(&c->api_tables), "s"), get(&c->api_unseen),
			COUNT(get(&c->api_calls), "s"));
	}
	tell_cupti(options, c);
	if (get(&c->unwatched)) {
		kt_summary_warn("%llu mapping%s left open (unified memory, or no second "
				"mapping to be "
				"had): accesses are not seen",
				COUNT(get(&c->unwatched), "s"));
	}
	if (get(&c->limit_reached)) {
		kt_summary_warn("%llu process%s reached --access-limit: from there on the "
				"trace has "
				"runs of accesses",
				COUNT(get(&c->limit_reached), "es"));
	}
	if (get(&c->missed)) {
		kt_summary_warn(
			"%llu access%s or doorbell%s missed: the trace has gaps there",
			get(&c->missed), get(&c->missed) == 1 ? "" : "es",
			get(&c->missed) == 1 ? "" : "s");
	}
	if (get(&c->unread)) {
		kt_summary_warn(
			"%llu ring entr%s could not be read, or not to the end: events "
			"gpfifo_entry say why",
			get(&c->unread), get(&c->unread) == 1 ? "y" : "ies");
	}
	warn_of_users(c, end);
	warn_of_the_rest(options, c);
}
