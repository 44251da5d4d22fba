/* SPDX-License-Identifier: MIT */
#include "collect/record/summary.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collect/record/counter-table.h"

static unsigned long long get(const _Atomic uint64_t *counter)
{
	return (unsigned long long)atomic_load(counter);
}

/*
 * Arguments of a format such as "%llu process%s": the number, and the plural ending unless
 * the number is 1.
 */
#define COUNT(n, plural) (unsigned long long)(n), (n) == 1 ? "" : (plural)

/* Arguments of a format such as "%llu entr%s": the number, and "y" or "ies". */
#define COUNT_Y(n) (unsigned long long)(n), (n) == 1 ? "y" : "ies"

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

/*
 * Warns with "N NOUN REST", in which the ending `plural` follows NOUN unless n is 1. Does
 * nothing if n is 0.
 */
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
		warn("the session supervisor died: the trace ends early");
	} else if (end->daemon == KT_DAEMON_DIED) {
		warn("the LTTng session daemon died: the trace ends early");
	} else if (end->daemon == KT_DAEMON_CONSUMER_DIED) {
		warn("the LTTng consumer daemon died: the trace ends early");
	}
}

/* --- the numbers of recorded events, lost events and doorbells --- */

static void print_numbers(const struct kt_record_trace *trace, bool early,
			  unsigned long long events, unsigned long long lost,
			  unsigned long long doorbells)
{
	fprintf(stderr,
		"ktail: recorded %s%llu event%s, %s%llu lost, %llu doorbell%s in %s%s\n",
		early ? "at most " : "", COUNT(events, "s"), early ? "at least " : "", lost,
		COUNT(doorbells, "s"), trace->path, trace->softgpu ? ", software GPU" : "");
}

static void print_counted(const struct kt_record_options *options,
			  unsigned long long counted)
{
	if (counted) {
		fprintf(stderr,
			"ktail: counted %llu API call%s without tracing %s "
			"(--api-calls=%s)\n",
			COUNT(counted, "s"), counted == 1 ? "it" : "them",
			options->api_calls);
	}
}

/* Prints the text as an argument for a shell: quoted if it contains unusual characters. */
static void print_for_shell(const char *text)
{
	const char *usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_./+,:@%=-";

	if (text[strspn(text, usual)] == '\0') {
		fputs(text, stderr);
		return;
	}
	fputc('\'', stderr);
	for (; *text; text++) {
		fputs(*text == '\'' ? "'\\'" : "", stderr);
		fputc(*text, stderr);
	}
	fputc('\'', stderr);
}

static void print_softgpu(const struct kt_softgpu *softgpu)
{
	fprintf(stderr, "ktail: software GPU: driver version %s, transfers by %s\n",
		softgpu->driver, softgpu->transfer);
}

/* --- losses within programs --- */

static void warn_of_gaps(const struct kt_record_options *options,
			 const struct kt_counters *c, const struct kt_supervisor_end *end)
{
	unsigned long long unfinished = minus(get(&c->begun), get(&c->ended));

	if (get(&c->gave_up)) {
		warn("LTTng's buffers were full: processes were held for %.1f s, then went "
		     "on unrecorded %llu time%s; use larger buffers (--subbuf-size, "
		     "--num-subbuf), a longer --hold, or --lossless",
		     (double)get(&c->held_ns) / 1e9, COUNT(get(&c->gave_up), "s"));
	} else if (end->lost && !options->lossless) {
		warn("LTTng's buffers were full: use larger buffers (--subbuf-size, "
		     "--num-subbuf) or --lossless");
	}
	if (unfinished) {
		warn("%llu process%s did not exit cleanly (killed, or still running): %s "
		     "truncated",
		     COUNT(unfinished, "es"),
		     unfinished == 1 ? "its word is" : "their words are");
	}
	warn_of(get(&c->without_provider), "process", "es",
		"could not load libktail-gpu-stack.so: the trace has no events of them");
	if (get(&c->missed)) {
		warn("%llu access%s or doorbell%s missed: the trace has gaps there",
		     COUNT(get(&c->missed), "es"), get(&c->missed) == 1 ? "" : "s");
	}
	if (get(&c->unread)) {
		warn("%llu ring entr%s could not be read completely: see the field unread "
		     "of the events gpfifo_entry",
		     COUNT_Y(get(&c->unread)));
	}
	warn_of(get(&c->unwatched), "mapping", "s",
		"left open (managed memory, or no second mapping possible): accesses are "
		"not recorded");
	warn_of(get(&c->unknown_values), "doorbell", "s", "with an unknown value");
	if (get(&c->doorbells_open)) {
		warn("%llu doorbell%s not watched (perf_event_open: %s; --doorbell=protect "
		     "needs no permission)",
		     COUNT(get(&c->doorbells_open), "s"),
		     strerror((int)get(&c->watchpoint_error)));
	}
	if (get(&c->puts_wrong) || get(&c->entries_wrong)) {
		warn("%llu GP_PUT%s and %llu ring entr%s in memory differ from the "
		     "observed stores, so the program makes stores that cannot be "
		     "observed: "
		     "use --rings=bus",
		     COUNT(get(&c->puts_wrong), "s"), COUNT_Y(get(&c->entries_wrong)));
	}
}

/* Warns of API calls that CUPTI should have reported, but did not. */
static void warn_of_cupti(const struct kt_counters *c)
{
	if (!get(&c->cupti_loaded)) {
		warn("no API calls: no process initialized a libcuda that loads "
		     "libktail-cupti.so");
	}
	if (get(&c->cupti_missing)) {
		warn("no API calls in %llu process%s: libcupti.so was not found (name one "
		     "with --cupti)",
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
	warn_of(get(&c->cupti_missed), "API call", "s", "nested too deeply: not recorded");
}

/* Warns of processes that should have been recorded, but were not or only in part. */
static void warn_of_processes(const struct kt_record_trace *trace,
			      const struct kt_counters *c,
			      const struct kt_supervisor_end *end)
{
	const struct passwd *user = getpwuid((uid_t)get(&c->shut_out_user));

	if (get(&c->not_joined) && get(&c->shut_out_user)) {
		warn("at least %llu process%s of another user (%s), and descendants, not "
		     "recorded: the trace has gaps there (--also-user=%s)",
		     COUNT(get(&c->not_joined), "es"), user ? user->pw_name : "no name",
		     user ? user->pw_name : "NAME");
	} else if (get(&c->not_joined)) {
		warn("at least %llu process%s could not join the recording (in another "
		     "root folder, without descriptors, or while it ended): the trace has "
		     "gaps there",
		     COUNT(get(&c->not_joined), "es"));
	}
	warn_of(end->late, "process", "es",
		"recorded late or not at all: the LTTng session daemon did not answer, or "
		"another PID namespace hides them from it");
	warn_of(end->refused, "process", "es",
		"that this recording did not start tried to join it: refused");
	if (get(&c->wrong_variables)) {
		warn("%llu unknown value%s of environment variables%s: %.*s",
		     get(&c->wrong_variables), get(&c->wrong_variables) == 1 ? "" : "s",
		     get(&c->wrong_variables) == 1 ? "" : ", the first",
		     (int)sizeof(c->wrong_variable), c->wrong_variable);
	}
	warn_of(get(&c->filtered), "process", "es",
		"recorded in part: a seccomp filter refuses system calls of the recorder");
	if (get(&c->begun) == 0) {
		warn("no process was recorded");
	} else if (get(&c->device_users) == 0) {
		warn("no process opened a GPU's device file%s",
		     trace->softgpu ? "" : " (without a GPU: --softgpu)");
	}
}

/*
 * --- unavailable modes: no events are lost, but the recording costs more or records less
 * ---
 */

static void warn_of_fallbacks(const struct kt_record_options *options,
			      const struct kt_counters *c)
{
	int error = (int)get(&c->watchpoint_error);

	if (strcmp(options->doorbell, "auto") == 0 && get(&c->doorbells_by_page) &&
	    get(&c->watchpoint_refused)) {
		warn("watchpoints refused (%s%s): doorbells by page faults instead",
		     strerror(error),
		     error == ENOSPC ? "" : "; see /proc/sys/kernel/perf_event_paranoid");
	}
	/* A page that is closed for accesses faults before its watchpoint could trap. */
	if (strcmp(options->doorbell, "watchpoint") == 0 && get(&c->faulted_doorbells)) {
		warn("%llu doorbell%s observed by page faults, not by watchpoints, because "
		     "accesses are recorded (--access=off leaves them out)",
		     COUNT(get(&c->faulted_doorbells), "s"));
	}
	/* With --doorbell=auto, patches are made only to save time. */
	if (strcmp(options->doorbell, "patch") == 0 && get(&c->patches_refused)) {
		char code[3 * sizeof(c->refused_code) + 1] = "";

		for (size_t i = 0; i < sizeof(c->refused_code); i++) {
			snprintf(code + 3 * i, 4, " %02x", c->refused_code[i]);
		}
		warn("%llu store%s not patched, so their doorbells trap: %.*s (code%s)",
		     COUNT(get(&c->patches_refused), "s"), (int)sizeof(c->refused_why),
		     c->refused_why, code);
	}
	warn_of(get(&c->limit_reached), "process", "es",
		"reached --access-limit: later accesses are recorded as runs");
}

/* --- the limit of the overhead --- */

static void print_overhead(const struct kt_record_options *options,
			   const struct kt_counters *c)
{
	unsigned long long rest = get(&c->overhead_rest_ns);

	if (!options->overhead || !rest) {
		return;
	}
	if (!get(&c->overhead_worst)) {
		fprintf(stderr,
			"ktail: overhead %.1f %% of the threads' time; no thread was in "
			"the "
			"recorder after 0.1 s, so nothing was limited (limit %lu %%)\n",
			100.0 * (double)get(&c->overhead_inside_ns) / (double)rest,
			options->overhead);
	} else {
		fprintf(stderr,
			"ktail: overhead %.1f %% of the threads' time, at most %.1f %% "
			"of a thread's within 0.1 s (limit %lu %%)\n",
			100.0 * (double)get(&c->overhead_inside_ns) / (double)rest,
			(double)get(&c->overhead_worst) / 10, options->overhead);
	}
}

static void warn_of_overhead(const struct kt_record_options *options,
			     const struct kt_counters *c)
{
	char given[160] = "";
	const struct {
		unsigned long long n;
		const char *what;
		const char *of;
		const char *plural;
	} rows[] = {
		{get(&c->given_mappings), "accesses to", "mapping", "s"},
		{get(&c->given_accesses), "accesses of", "process", "es"},
		{get(&c->given_commands), "commands of", "process", "es"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t at = strlen(given);

		if (rows[i].n) {
			snprintf(given + at, sizeof(given) - at, "%s%s %llu %s%s",
				 at ? ", " : "", rows[i].what, rows[i].n, rows[i].of,
				 rows[i].n == 1 ? "" : rows[i].plural);
		}
	}
	if (given[0]) {
		warn("gave up %s, for --overhead=%lu: see the events detail", given,
		     options->overhead);
	}
	if (get(&c->given_all)) {
		warn("%llu process%s above --overhead=%lu with nothing left to give up",
		     COUNT(get(&c->given_all), "es"), options->overhead);
	}
}

void kt_summary_print(const struct kt_record_options *options,
		      const struct kt_record_trace *trace, const struct kt_counters *c,
		      const struct kt_supervisor_end *end)
{
	/*
	 * If a daemon died, the events in its buffers are lost, but are counted as
	 * recorded. The numbers are then only limits: "at most", "at least".
	 */
	bool early = end->supervisor_died || end->daemon != KT_DAEMON_RUNS;

	if (!options->only_losses) {
		print_numbers(trace, early, minus(get(&c->events), end->lost),
			      end->lost + get(&c->unsent), get(&c->doorbells));
		print_counted(options, get(&c->api_counted));
	}
	if (!options->only_losses) {
		print_overhead(options, c);
	}
	if (options->verbose) {
		kt_counter_table_print(options, c);
		if (trace->softgpu) {
			print_softgpu(trace->softgpu);
		}
	}
	warn_of_deaths(end);
	warn_of_gaps(options, c, end);
	if (strcmp(options->api, "cupti") == 0) {
		warn_of_cupti(c);
	}
	warn_of_processes(trace, c, end);
	warn_of(get(&c->setup_failures), "resource", "s",
		"of the recorder not available (memory, a library, a file of /proc): the "
		"trace is incomplete");
	if (!options->only_losses) {
		warn_of_fallbacks(options, c);
		warn_of_overhead(options, c);
	}
}

/* --- the kernel's modules --- */

static void warn_of_kernel(const struct kt_kernel_counts *c)
{
	warn_of(c->undecoded, "doorbell", "s", "with an unknown value");
	warn_of(c->no_register, "doorbell", "s",
		"not watched: the four debug registers of a thread were in use");
	warn_of(c->not_watched, "thread", "s", "could not be watched: see dmesg");
	warn_of(c->untold, "doorbell", "s",
		"not reported: the machine lost the cause of a trap, and several doorbells "
		"were watched");
	warn_of(c->refused, "access", "es",
		"by the kernel to a doorbell page refused: the process got EFAULT");
	warn_of(c->missed, "mmap call", "s", "of the driver missed by the hook");
	warn_of(c->lost, "call", "s", "not recorded: out of memory");
	warn_of(c->unknown, "object", "s",
		"not followed, because there are too many: their mappings have the space "
		"'other'");
	warn_of(c->untraced, "mapping", "s", "left open: accesses are not recorded");
	if (!c->hooked) {
		warn("no driver's mmap is hooked: mappings and doorbells were not "
		     "observed; see dmesg (doorbell_watch)");
	}
	if (c->begun == 0) {
		warn("no watched process used a GPU device file");
	}
}

void kt_summary_print_kernel(const struct kt_record_options *options,
			     const struct kt_record_trace *trace,
			     const struct kt_supervisor_end *end)
{
	const struct kt_kernel_counts *c = &end->kernel;
	bool both = options->source == KT_RECORD_BESIDE;
	bool early = end->supervisor_died || end->daemon != KT_DAEMON_RUNS;

	if (!options->only_losses && c->removed) {
		fprintf(stderr, "ktail: the kernel's events are in %s\n", trace->path);
	} else if (!options->only_losses && both) {
		/*
		 * Omits lost events, because kt_summary_print() has printed those of both
		 * sources.
		 */
		fprintf(stderr,
			"ktail: the kernel recorded %llu event%s, %llu doorbell%s\n",
			COUNT(c->events, "s"), COUNT(c->doorbells, "s"));
	} else if (!options->only_losses) {
		print_numbers(trace, early, minus(c->events, end->lost), end->lost,
			      c->doorbells);
	}
	if (options->verbose && !c->removed) {
		kt_counter_table_print_kernel(c);
	}
	if (end->left[0]) {
		warn("%s", end->left);
	}
	if (!both) {
		warn_of_deaths(end);
		if (end->lost) {
			warn("LTTng's buffers were full: use larger buffers "
			     "(--subbuf-size, "
			     "--num-subbuf)");
		}
	}
	if (c->removed) {
		warn("doorbell_watch was removed during the recording: the kernel's events "
		     "end early, and were not counted");
	} else {
		warn_of_kernel(c);
		if (!options->only_losses) {
			warn_of(c->left, "doorbell page", "s",
				"no longer shadowed: a store was not a plain store of a "
				"register or a constant");
		}
	}
}

void kt_summary_print_next(const struct kt_record_trace *trace, const struct kt_counters *c,
			   const struct kt_supervisor_end *end)
{
	if (get(&c->device_users) || end->kernel.begun || end->kernel.removed) {
		fprintf(stderr, "ktail: next: ktail ");
		print_for_shell(trace->path);
		fprintf(stderr, " -o fsm.svg\n");
	}
}
