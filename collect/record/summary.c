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
#define COUNT(n, plural) (unsigned long long)(n), (n) == 1 ? "" : (plural)

/* "1 entry", "2 entries": after "entr". */
#define COUNT_Y(n) (n), (n) == 1 ? "y" : "ies"

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

/* "N NOUNs REST"; nothing of none. */
static void warn_of(unsigned long long n, const char *noun, const char *plural,
		    const char *rest)
{
	if (n) {
		warn("%llu %s%s %s", n, noun, n == 1 ? "" : plural, rest);
	}
}

static void warn_of_deaths(const struct kt_supervisor_end *end)
{
	if (end->supervisor_died) {
		warn("what looks after the LTTng session has died: the trace ends early");
	} else if (end->daemon == KT_DAEMON_DIED) {
		warn("the LTTng session daemon has died: the trace ends early");
	} else if (end->daemon == KT_DAEMON_CONSUMER_DIED) {
		warn("the LTTng consumer daemon has died: the trace ends early");
	}
}

/* --- of the recorder --- */

/* Processes that ended without a word, such as those that were killed. */
static unsigned long long unfinished(const struct kt_counters *c)
{
	return minus(get(&c->begun), get(&c->ended));
}

static void print_line(const struct kt_record_options *options, const struct kt_counters *c,
		       const struct kt_supervisor_end *end)
{
	double held = (double)get(&c->held_ns) / 1e9;
	bool has_doorbells = strcmp(options->doorbell, "off") != 0;

	/* What lay in the buffers of one that died was handed over, and is in no file. */
	bool early = end->supervisor_died || end->daemon != KT_DAEMON_RUNS;

	fprintf(stderr, "ktail: recorded %s%llu events, %s%llu lost",
		early ? "at most " : "", minus(get(&c->events), end->lost),
		early ? "at least " : "", (unsigned long long)end->lost + get(&c->unsent));
	fprintf(stderr, ", %llu fragment%s, %llu doorbell%s",
		COUNT(unfinished(c) + get(&c->gaps), "s"), COUNT(get(&c->doorbells), "s"));
	if (has_doorbells) {
		fprintf(stderr,
			" (%llu without a moved GP_PUT), %llu channel%s (%llu behind)",
			get(&c->idle_doorbells), COUNT(get(&c->channels), "s"),
			get(&c->lagging));
	}
	if (has_doorbells && strcmp(options->submissions, "off") != 0) {
		fprintf(stderr, ", %llu entr%s (%llu unread), %llu word%s",
			COUNT_Y(get(&c->entries)), get(&c->unread),
			COUNT(get(&c->words), "s"));
	}
	if (has_doorbells) {
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

static void warn_of_gaps(const struct kt_record_options *options,
			 const struct kt_counters *c, const struct kt_supervisor_end *end)
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
	warn_of(unfinished(c), "process", "es",
		"ended without telling (killed, or still running): cut words");
	warn_of(get(&c->without_provider), "process", "es",
		"found no libktail-gpu-stack.so: without events in the trace");
}

/* What `auto` chose, and why. */
static void report_doorbells(const struct kt_record_options *options,
			     const struct kt_counters *c)
{
	bool is_auto = strcmp(options->doorbell, "auto") == 0;
	const char *why = strerror((int)get(&c->watchpoint_error));

	if (is_auto && get(&c->doorbells_watched)) {
		fprintf(stderr, "ktail: doorbells by watchpoint\n");
	}
	if (is_auto && get(&c->doorbells_by_page) && get(&c->watchpoint_refused)) {
		fprintf(stderr,
			"ktail: doorbells by closed pages (watchpoint refused: %s%s)\n",
			why,
			get(&c->watchpoint_error) == ENOSPC
				? ""
				: "; see /proc/sys/kernel/perf_event_paranoid");
	} else if (is_auto && get(&c->doorbells_by_page)) {
		fprintf(stderr, "ktail: doorbells by closed pages (they cost less than "
				"watchpoints)\n");
	}
	if (get(&c->doorbells_open)) {
		warn("%llu doorbell%s not watched (perf_event_open: %s; --doorbell=protect "
		     "needs no permission)",
		     COUNT(get(&c->doorbells_open), "s"), why);
	}
	warn_of(get(&c->unknown_values), "doorbell", "s", "with an unknown value");
}

/* What the program's own stores were replaced by, and what was left as it is. */
static void report_patches(const struct kt_record_options *options,
			   const struct kt_counters *c)
{
	if (strcmp(options->doorbell, "patch") != 0) {
		return;
	}
	fprintf(stderr,
		"ktail: %llu of %llu doorbells without a trap, %llu store%s patched",
		get(&c->patched_doorbells), get(&c->doorbells),
		COUNT(get(&c->patches), "s"));
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

/* Where GP_PUTs and entries came from, or whether both ways agree. */
static void report_rings(const struct kt_record_options *options,
			 const struct kt_counters *c)
{
	bool check = strcmp(options->rings, "check") == 0;

	if (strcmp(options->rings, "bus") == 0 || strcmp(options->doorbell, "off") == 0) {
		return;
	}
	fprintf(stderr,
		"ktail: rings: %llu store%s moved a GP_PUT, %llu doorbell%s with GP_PUT as "
		"stored; ",
		COUNT(get(&c->put_stores), "s"), COUNT(get(&c->doorbells_stored), "s"));
	fprintf(stderr,
		"%s %llu look%s at GP_PUT and %llu entr%s, without a store that was seen "
		"%llu and %llu\n",
		check ? "equal" : "from stores", COUNT(get(&c->puts_stored), "s"),
		COUNT_Y(get(&c->entries_stored)), get(&c->puts_read),
		get(&c->entries_read));
	if (get(&c->puts_wrong) || get(&c->entries_wrong)) {
		warn("%llu GP_PUT%s and %llu ring entr%s in memory other than what was "
		     "seen "
		     "to be stored: --rings=stores misses stores of this program",
		     COUNT(get(&c->puts_wrong), "s"), COUNT_Y(get(&c->entries_wrong)));
	}
}

/* Which calls of the CUDA API were seen, and why the others were not. */
static void report_api(const struct kt_record_options *options, const struct kt_counters *c)
{
	if (strcmp(options->api, "wrap") == 0) {
		fprintf(stderr,
			"ktail: API: %llu entry point%s wrapped, %llu past us (%llu export "
			"table%s), %llu unseen; %llu call%s\n",
			COUNT(get(&c->api_wrapped), "s"), get(&c->api_past),
			COUNT(get(&c->api_tables), "s"), get(&c->api_unseen),
			COUNT(get(&c->api_calls), "s"));
	}
	if (strcmp(options->api, "cupti") != 0) {
		return;
	}
	if (get(&c->cupti_on)) {
		fprintf(stderr, "ktail: %llu API call%s by CUPTI in %llu process%s\n",
			COUNT(get(&c->cupti_calls), "s"), COUNT(get(&c->cupti_on), "es"));
	}
	if (!get(&c->cupti_loaded)) {
		warn("no API calls: no process initialized a libcuda that loads "
		     "libktail-cupti.so");
	}
	if (get(&c->cupti_missing)) {
		warn("no API calls in %llu process%s: no libcupti.so was found (--cupti "
		     "names one)",
		     COUNT(get(&c->cupti_missing), "es"));
	}
	if (get(&c->cupti_held)) {
		warn("no API calls in %llu process%s: another tool uses CUPTI there",
		     COUNT(get(&c->cupti_held), "es"));
	}
	if (get(&c->cupti_refused)) {
		warn("no API calls in %llu process%s: CUPTI refused (error %llu)",
		     COUNT(get(&c->cupti_refused), "es"), get(&c->cupti_error));
	}
	warn_of(get(&c->cupti_missed), "API call", "s",
		"too deep within others, not recorded");
}

/* Processes that might have been recorded, and were not. */
static void warn_of_users(const struct kt_counters *c, const struct kt_supervisor_end *end)
{
	const struct passwd *user = getpwuid((uid_t)get(&c->shut_out_user));

	if (get(&c->not_joined) && get(&c->shut_out_user)) {
		warn("at least %llu process%s of another user (%s), and what they started, "
		     "not recorded: the trace has gaps there (--also-user=%s)",
		     COUNT(get(&c->not_joined), "es"), user ? user->pw_name : "of no name",
		     user ? user->pw_name : "NAME");
	} else if (get(&c->not_joined)) {
		warn("at least %llu process%s could not join the recording (in another "
		     "root "
		     "folder, without descriptors, or while it ended): the trace has gaps "
		     "there",
		     COUNT(get(&c->not_joined), "es"));
	}
	warn_of(end->late, "process", "es",
		"recorded late or not at all: LTTng's session daemon did not answer, or "
		"they "
		"are in another PID namespace");
	warn_of(end->refused, "process", "es",
		"that this recording did not start asked to be recorded: refused");
}

void kt_summary_print(const struct kt_record_options *options, const struct kt_counters *c,
		      const struct kt_supervisor_end *end)
{
	print_line(options, c, end);
	warn_of_deaths(end);
	warn_of_gaps(options, c, end);
	report_doorbells(options, c);
	report_patches(options, c);
	report_rings(options, c);
	report_api(options, c);
	warn_of(get(&c->unwatched), "mapping", "s",
		"left open (unified memory, or no second mapping to be had): accesses are "
		"not seen");
	warn_of(get(&c->limit_reached), "process", "es",
		"reached --access-limit: from there on the trace has runs of accesses");
	if (get(&c->missed)) {
		warn("%llu access%s or doorbell%s missed: the trace has gaps there",
		     COUNT(get(&c->missed), "es"), get(&c->missed) == 1 ? "" : "s");
	}
	if (get(&c->unread)) {
		warn("%llu ring entr%s could not be read, or not to the end: events "
		     "gpfifo_entry say why",
		     COUNT_Y(get(&c->unread)));
	}
	warn_of_users(c, end);
	if (get(&c->begun) == 0) {
		warn("no process was recorded");
	} else if (get(&c->device_users) == 0) {
		warn("no process opened a GPU's device file%s",
		     options->softgpu ? "" : " (where there is no GPU: --softgpu)");
	}
	warn_of(get(&c->setup_failures), "thing", "s",
		"that recording needs could not be had (memory, a library, a file of "
		"/proc): "
		"what hangs on that is not in the trace");
	warn_of(get(&c->filtered), "process", "es",
		"not recorded any further: a seccomp filter of their own refuses what the "
		"recorder calls");
	warn_of(get(&c->unreadable), "request", "s", "of unknown layout");
}

/* --- of the kernel's modules --- */

void kt_summary_print_kernel(const struct kt_record_options *options,
			     const struct kt_supervisor_end *end)
{
	const struct kt_kernel_counts *c = &end->kernel;
	bool both = options->source == KT_RECORD_BESIDE;

	if (c->removed) {
		fprintf(stderr, "ktail: the kernel's events are in %s\n", options->output);
	} else {
		/* The other line has the lost ones of both. */
		uint64_t events = both ? c->events : minus(c->events, end->lost);

		fprintf(stderr, "ktail: the kernel recorded %llu event%s",
			COUNT(events, "s"));
		if (!both) {
			fprintf(stderr, ", %llu lost", (unsigned long long)end->lost);
		}
		fprintf(stderr,
			", %llu process%s, %llu doorbell%s (%llu undecoded) in %s\n",
			COUNT(c->begun, "es"), COUNT(c->doorbells, "s"),
			(unsigned long long)c->undecoded, options->output);
	}
	if (end->left[0]) {
		warn("%s", end->left);
	}
	if (!both) {
		warn_of_deaths(end);
		if (end->lost) {
			warn("buffers were full: give more room (--subbuf-size, "
			     "--num-subbuf)");
		}
	}
	if (c->removed) {
		warn("doorbell_watch was removed during the recording: the kernel's events "
		     "end early, and were not counted");
		return;
	}
	warn_of(c->no_register, "doorbell", "s",
		"not watched: a thread has four debug registers, and they were taken");
	warn_of(c->not_watched, "thread", "s", "could not be watched: see dmesg");
	warn_of(c->untold, "doorbell", "s",
		"not told: the machine had lost the trap's cause, and several doorbells "
		"were "
		"watched");
	warn_of(c->left, "shadow", "s",
		"left for the device's page: a store was no plain one of a register or a "
		"constant");
	warn_of(c->refused, "access", "es",
		"of the kernel to a doorbell's page refused: the process got EFAULT");
	warn_of(c->missed, "mmap call", "s", "of the driver missed by the hook");
	warn_of(c->lost, "call", "s", "could not be recorded for want of memory");
	warn_of(c->unknown, "object", "s",
		"could not be followed, for there are too many: what is mapped of them has "
		"the space 'other'");
	warn_of(c->untraced, "mapping", "s", "left open: accesses are not seen");
	if (!c->hooked) {
		warn("no driver's mmap is hooked: no mapping and no doorbell was seen; "
		     "dmesg "
		     "says why (doorbell_watch)");
	}
	if (c->begun == 0) {
		warn("no process that was watched used a GPU's device file");
	}
}
