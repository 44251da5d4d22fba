/* SPDX-License-Identifier: MIT */
/*
 * Checks that a recording of the stress program contains every doorbell that was written:
 * for each thread in program order, for each channel with GP_PUT incremented each time.
 * OUTPUT is the program's output; `any` checks only the stored values, not GP_PUT.
 * Usage: check-doorbells TRACE OUTPUT [exact|any]
 */
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/read/trace.h"
#include "tests/softgpu/stress/bare-driver.h"
#include "tests/softgpu/stress/sequence.h"

/*
 * Each doorbell is a letter that contains the stored value and the channel whose GP_PUT
 * moved.
 */
static const char rules[] =
	"doorbell known=1 -> doorbell {value} {moved} {channel} {gp_put}\n"
	"doorbell -> unknown\n"
	"process_end -> end {doorbells} {idle_doorbells} {channels} {behind}\n";

struct thread {
	uint32_t tid;
	uint64_t written;
	uint64_t seen;
	struct kt_stress_sequence sequence;
};

struct channel {
	uint32_t token;
	uint64_t written;
	uint64_t seen;
	uint32_t handle; /* 0: not known yet */
};

static struct thread threads[KT_STRESS_THREADS];
static struct channel channels[KT_STRESS_CHANNELS];
static uint64_t total;
static uint64_t ended; /* number of process_end events */

/* A parsed letter; a to d are its numbers in the order of `rules`. */
struct doorbell {
	bool end;
	bool known;
	uint32_t a, b, c, d;
};

static void read_output(const char *path)
{
	FILE *in = fopen(path, "r");
	char line[256];
	bool shared = false;

	if (!in) {
		err(2, "%s", path);
	}
	while (fgets(line, sizeof(line), in)) {
		uint32_t number, value;
		uint64_t n;

		shared |= strcmp(line, "mode shared\n") == 0;
		if (sscanf(line, "channel %" SCNu32 " %" SCNu32 " %" SCNu64, &number,
			   &value, &n) == 3 &&
		    number < KT_STRESS_CHANNELS) {
			channels[number].token = value;
			channels[number].written = n;
		} else if (sscanf(line, "thread %" SCNu32 " %" SCNu32 " %" SCNu64, &number,
				  &value, &n) == 3 &&
			   number < KT_STRESS_THREADS) {
			threads[number].tid = value;
			threads[number].written = n;
			kt_stress_start(&threads[number].sequence, number, shared);
		} else if (sscanf(line, "total %" SCNu64, &n) == 1) {
			total = n;
		}
	}
	fclose(in);
}

static kt_trace *open_trace(const char *path)
{
	struct kt_trace_options options = {0};
	kt_alphabet *alphabet = NULL;
	kt_trace *trace = NULL;

	if (kt_alphabet_parse(&alphabet, "doorbells", "doorbells", rules,
			      sizeof(rules) - 1) != KT_OK) {
		errx(2, "%s", kt_error_message());
	}
	options.alphabet = alphabet;
	if (kt_trace_open(&trace, path, &options) != KT_OK) {
		errx(2, "%s", kt_error_message());
	}
	kt_alphabet_free(alphabet);
	return trace;
}

static struct doorbell *read_letters(const kt_trace *trace)
{
	size_t n = kt_trace_letter_count(trace);
	struct doorbell *doorbells = calloc(n + 1, sizeof(*doorbells));

	if (!doorbells) {
		err(2, "letters");
	}
	for (size_t i = 0; i < n; i++) {
		struct doorbell *b = &doorbells[i];
		const char *name = kt_trace_letter_name(trace, (uint32_t)i);
		const char *rest = strchr(name, ' ');

		b->end = strncmp(name, "end ", 4) == 0;
		b->known = rest &&
			   sscanf(rest, " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32,
				  &b->a, &b->b, &b->c, &b->d) == 4;
	}
	return doorbells;
}

static struct thread *find_thread(uint32_t tid)
{
	for (unsigned i = 0; i < KT_STRESS_THREADS; i++) {
		if (threads[i].tid == tid) {
			return &threads[i];
		}
	}
	errx(1, "a doorbell of thread %" PRIu32 ", which wrote none", tid);
}

/* Checks that GP_PUT moved, by one entry, in the channel whose doorbell was written. */
static void check_ring(struct channel *channel, const struct doorbell *doorbell)
{
	if (doorbell->b != 1) {
		errx(1, "channel 0x%x, doorbell %" PRIu64 ": %" PRIu32 " channels moved",
		     channel->token, channel->seen, doorbell->b);
	}
	if (channel->handle == 0) {
		channel->handle = doorbell->c;
	}
	if (channel->handle != doorbell->c) {
		errx(1, "channel 0x%x, doorbell %" PRIu64 ": handle 0x%x, not 0x%x",
		     channel->token, channel->seen, doorbell->c, channel->handle);
	}
	if (doorbell->d != channel->seen % KT_BARE_ENTRIES) {
		errx(1, "channel 0x%x, doorbell %" PRIu64 ": GP_PUT %" PRIu32,
		     channel->token, channel->seen, doorbell->d);
	}
}

static void check_doorbell(uint32_t tid, const struct doorbell *doorbell, bool exact)
{
	struct thread *thread = find_thread(tid);
	struct channel *channel = &channels[kt_stress_next(&thread->sequence)];

	thread->seen++;
	channel->seen++;
	if (!doorbell->known) {
		errx(1, "thread %" PRIu32 ", doorbell %" PRIu64 ": value not known", tid,
		     thread->seen);
	}
	if (doorbell->a != channel->token) {
		errx(1, "thread %" PRIu32 ", doorbell %" PRIu64 ": value 0x%x, not 0x%x",
		     tid, thread->seen, doorbell->a, channel->token);
	}
	if (exact) {
		check_ring(channel, doorbell);
	}
}

static void check_end(const struct doorbell *end, bool exact)
{
	ended++;
	if (end->a != total || end->c != KT_STRESS_CHANNELS ||
	    (exact && (end->b != 0 || end->d != 0))) {
		errx(1,
		     "at the end: %" PRIu32 " doorbells, %" PRIu32 " idle, %" PRIu32
		     " channels, %" PRIu32 " lagging",
		     end->a, end->b, end->c, end->d);
	}
}

static void check_letters(const kt_trace *trace, bool exact)
{
	struct doorbell *doorbells = read_letters(trace);
	struct kt_trace_letter letter;

	if (kt_trace_words(trace) != 1) {
		errx(1, "%zu words, not 1", kt_trace_words(trace));
	}
	for (uint64_t i = 0; kt_trace_letter(trace, 0, i, &letter) == KT_OK; i++) {
		if (doorbells[letter.letter].end) {
			check_end(&doorbells[letter.letter], exact);
		} else {
			check_doorbell(letter.tid, &doorbells[letter.letter], exact);
		}
	}
	free(doorbells);
}

static void check_totals(const kt_trace *trace)
{
	const struct kt_trace_report *report = kt_trace_report(trace);
	uint64_t seen = 0;

	for (unsigned i = 0; i < KT_STRESS_THREADS; i++) {
		seen += threads[i].seen;
		if (threads[i].seen != threads[i].written) {
			errx(1, "thread %" PRIu32 ": %" PRIu64 " of %" PRIu64 " doorbells",
			     threads[i].tid, threads[i].seen, threads[i].written);
		}
	}
	for (unsigned i = 0; i < KT_STRESS_CHANNELS; i++) {
		if (channels[i].seen != channels[i].written) {
			errx(1, "channel 0x%x: %" PRIu64 " of %" PRIu64 " doorbells",
			     channels[i].token, channels[i].seen, channels[i].written);
		}
	}
	if (seen != total || total == 0 || ended != 1) {
		errx(1, "%" PRIu64 " of %" PRIu64 " doorbells, %" PRIu64 " ends", seen,
		     total, ended);
	}
	if (report->totals.lost || report->totals.cut_begins || report->totals.cut_ends ||
	    report->discarded_events || report->discarded_packets || report->cut_files ||
	    report->stopped[0]) {
		errx(1, "%" PRIu64 " events lost, %" PRIu64 " discarded, %s",
		     report->totals.lost, report->discarded_events,
		     report->stopped[0] ? report->stopped : "or cut");
	}
}

int main(int argc, char **argv)
{
	kt_trace *trace;

	if (argc < 3) {
		errx(2, "usage: check-doorbells TRACE OUTPUT [exact|any]");
	}
	read_output(argv[2]);
	trace = open_trace(argv[1]);
	check_letters(trace, argc < 4 || strcmp(argv[3], "any") != 0);
	check_totals(trace);
	printf("%" PRIu64 " doorbells of %" PRIu64 " events, in order\n", total,
	       kt_trace_report(trace)->totals.events);
	kt_trace_free(trace);
	return 0;
}
