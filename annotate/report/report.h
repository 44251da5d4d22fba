/* SPDX-License-Identifier: MIT */
/*
 * A report: what ktail report shows of traces, in memory. docs/internals/report.md
 * describes the format and where each part comes from.
 */
#ifndef KTAIL_ANNOTATE_REPORT_H
#define KTAIL_ANNOTATE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/ktail.h>

#include "annotate/annotate.h"
#include "annotate/calls/call-figures.h"
#include "annotate/listing/call-tally.h"
#include "annotate/report/report-options.h"
#include "annotate/stats/subtotals.h"
#include "annotate/timeline/timeline.h"
#include "infer/files/inputs.h"
#include "infer/graph/curve.h"

#define KT_REPORT_FORMAT "ktail-report/1"

/*
 * Maximum number of machines in a report, and maximum number of transitions of a machine.
 * Nobody would read more, and they would take space.
 */
#define KT_REPORT_MACHINES    6
#define KT_REPORT_TRANSITIONS 10000
/*
 * A machine with more complex states than this gets no layout, because its picture would be
 * unreadable.
 */
#define KT_REPORT_COMPLEX 250
/* Default maximum number of events. With 200,000, a page has less than 3 MB. */
#define KT_REPORT_EVENTS 200000

/* Counts of all traces of a side. */
struct kt_report_origin {
	struct kt_call_figures calls;
	struct kt_call_tally ioctls;
	struct kt_subtotals channels;
	struct kt_subtotals contexts;
	struct kt_subtotals classes;
};

/* A word; its name is in the machines. */
struct kt_report_word {
	size_t trace;
	bool complete;
	uint32_t *letters; /* Owned by this: index in the letters of the machines */
	uint32_t *events;  /* Owned by this: event of each letter, or KT_TIMELINE_NONE */
	uint64_t n;
	uint64_t left_out; /* number of further letters, whose events were left out */
};

/* A machine, for the k of a plateau or for the chosen k. */
struct kt_report_machine {
	struct kt_fsm *fsm;          /* Owned by this */
	struct kt_annotate annotate; /* with labels and phases */
	uint64_t from;               /* the machine is nearly the same up to k = `to` */
	uint64_t to;
	char *layout; /* Owned by this: JSON of ktail render; NULL: too large */
};

/* Empty if all members are zero. Free with kt_report_free(). */
struct kt_report {
	const struct kt_report_options *options; /* Weak */
	struct kt_inputs inputs[2];              /* Owned by this: of the sides */
	bool two_origins;
	struct kt_timeline timeline; /* traces of side 0 first */

	kt_words *words;     /* Owned by this: of all traces, in their order */
	char *alphabet_json; /* Owned by this */
	const char *word;    /* Static: the unit of words */
	struct kt_curve curve;
	kt_label_rules *rules;                                 /* Owned by this */
	struct kt_report_machine machines[KT_REPORT_MACHINES]; /* ascending k */
	size_t n_machines;
	size_t chosen;   /* index in `machines` */
	char *distilled; /* Owned by this: SVG of the chosen machine; NULL: none */

	struct kt_report_word *words_of; /* Owned by this: in the order of `words` */
	size_t n_words;
	struct kt_report_origin origins[2];
	char *difference; /* Owned by this: text of ktail diff; NULL: one side */
};

/*
 * Reads the traces of one or both sides, and makes the whole report. KT_E_USAGE, KT_E_IO,
 * KT_E_MALFORMED, KT_E_EMPTY, KT_E_LOSS with --strict, KT_E_MEMORY. The caller frees *out
 * with kt_report_free(), also on failure.
 */
int kt_report_make(struct kt_report *out, const struct kt_report_options *options,
		   const struct kt_report_paths origins[2]);

void kt_report_free(struct kt_report *report);

/* --- steps of kt_report_make(), in this order; each in a file of its name --- */

/* Opens the traces, each of which is read once here, and collects their words. */
int kt_report_load(struct kt_report *report, const struct kt_report_paths origins[2]);

/* Sweeps over k, and makes, labels and lays out the machines. */
int kt_report_make_machines(struct kt_report *report);

/* Collects events, requests and counts from the events that the open traces keep. */
int kt_report_collect(struct kt_report *report);

/* Compares the two sides by ktail diff. */
int kt_report_compare(struct kt_report *report);

#endif
