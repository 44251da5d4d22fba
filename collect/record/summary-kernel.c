/* SPDX-License-Identifier: MIT */
#include "collect/record/summary.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "1 process", "2 processes": for a word whose plural ends so. */
#define COUNT(n, plural) (unsigned long long)(n), (n) == 1 ? "" : (plural)

static void print_line(const struct kt_record_options *options,
		       const struct kt_keeper_end *end)
{
	const struct kt_kernel_counts *c = &end->kernel;
	bool both = options->side == KT_RECORD_BESIDE;
	uint64_t lost = both ? 0 : end->lost; /* the other line has those of both */

	if (c->gone) {
		fprintf(stderr, "ktail: the kernel's events are in %s\n", options->output);
		return;
	}
	fprintf(stderr, "ktail: the kernel recorded %llu event%s",
		COUNT(c->events > lost ? c->events - lost : 0, "s"));
	if (!both) {
		fprintf(stderr, ", %llu lost", (unsigned long long)end->lost);
	}
	fprintf(stderr, ", %llu process%s, %llu doorbell%s (%llu undecoded) in %s\n",
		COUNT(c->begun, "es"), COUNT(c->doorbells, "s"),
		(unsigned long long)c->undecoded, options->output);
}

static void warn_of_doorbells(const struct kt_kernel_counts *c)
{
	if (c->no_register) {
		kt_summary_warn("%llu doorbell%s not watched: a thread has four debug "
				"registers, and they were taken",
				COUNT(c->no_register, "s"));
	}
	if (c->not_watched) {
		kt_summary_warn("%llu thread%s could not be watched: see dmesg",
				COUNT(c->not_watched, "s"));
	}
	if (c->untold) {
		kt_summary_warn("%llu doorbell%s not told: the machine had lost the trap's "
				"cause, and several doorbells were watched",
				COUNT(c->untold, "s"));
	}
	if (c->left) {
		kt_summary_warn("%llu shadow%s left for the device's page: a store was no "
				"plain one of a register or a constant",
				COUNT(c->left, "s"));
	}
	if (c->refused) {
		kt_summary_warn("%llu access%s of the kernel to a doorbell's page "
				"refused: the process got EFAULT",
				COUNT(c->refused, "es"));
	}
}

void kt_summary_print_kernel(const struct kt_record_options *options,
			     const struct kt_keeper_end *end)
{
	const struct kt_kernel_counts *c = &end->kernel;

	print_line(options, end);
	if (end->left[0]) {
		kt_summary_warn("%s", end->left);
	}
	if (options->side == KT_RECORD_KERNEL) {
		kt_summary_warn_of_deaths(end);
		if (end->lost) {
			kt_summary_warn("buffers were full: give more room (--subbuf-size, "
					"--num-subbuf)");
		}
	}
	if (c->gone) {
		kt_summary_warn("doorbell_watch was removed during the recording: the "
				"kernel's events end early, and were not counted");
		return;
	}
	warn_of_doorbells(c);
	if (c->missed) {
		kt_summary_warn("%llu mmap call%s of the driver missed by the hook",
				COUNT(c->missed, "s"));
	}
	if (c->lost) {
		kt_summary_warn("%llu call%s could not be recorded for want of memory",
				COUNT(c->lost, "s"));
	}
	if (c->unknown) {
		kt_summary_warn(
			"%llu object%s could not be followed, for there are too many: "
			"what is mapped of them has the space 'other'",
			COUNT(c->unknown, "s"));
	}
	if (c->untraced) {
		kt_summary_warn("%llu mapping%s left open: accesses are not seen",
				COUNT(c->untraced, "s"));
	}
	if (!c->hooked) {
		kt_summary_warn(
			"no driver's mmap is hooked: no mapping and no doorbell was "
			"seen; dmesg says why (doorbell_watch)");
	}
	if (c->begun == 0) {
		kt_summary_warn("no process that was watched used a GPU's device file");
	}
}
