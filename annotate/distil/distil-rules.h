/* SPDX-License-Identifier: MIT */
/*
 * Which state of the distilled machine a letter belongs to, by what it means: its role and
 * label (rules/labels.tsv) and the phase it is of.
 *
 * begin, create, init, DMA, run, wait, release and end are those of figure 4 of Menychtas,
 * Shen and Scott (USENIX ATC 2013); the others are what a driver of the 2020s does besides
 * (docs/internals/annotate.md says why).
 */
#ifndef KTAIL_ANNOTATE_DISTIL_RULES_H
#define KTAIL_ANNOTATE_DISTIL_RULES_H

#include <stdbool.h>

#include "annotate/meaning/label-role.h"
#include "decode/api-functions.h"

/* In the order of a program's life, as they are drawn from above to below. */
enum kt_distilled_kind {
	KT_DISTILLED_BEGIN,
	KT_DISTILLED_CREATE,
	KT_DISTILLED_QUERY, /* facts about the GPU and the driver */
	KT_DISTILLED_INIT,
	KT_DISTILLED_OWN,     /* submitted by the driver for itself */
	KT_DISTILLED_GROW,    /* memory and objects made while the program works */
	KT_DISTILLED_STAGING, /* the processor copies, through memory of the driver */
	KT_DISTILLED_DMA,
	KT_DISTILLED_RUN,
	KT_DISTILLED_GRAPH,  /* a graph is launched */
	KT_DISTILLED_SUBMIT, /* other submissions: semaphores, settings */
	KT_DISTILLED_WAIT,
	KT_DISTILLED_OTHER, /* of which no label says more */
	KT_DISTILLED_RELEASE,
	KT_DISTILLED_END,
	KT_DISTILLED_KINDS,
};

/* What is known of a letter. */
struct kt_distil_facts {
	enum kt_label_role role;
	enum kt_api_phase phase;
	const char *label; /* NULL: none */
	bool doorbell;
};

/* "begin", "DMA", ...; static. */
const char *kt_distilled_name(enum kt_distilled_kind kind);

/* Whether figure 4 has it. */
bool kt_distilled_in_paper(enum kt_distilled_kind kind);

/* What a letter may belong to besides: what is around it in its word. */
struct kt_distil_ties {
	bool prepares; /* the next submission of its call, if nothing else is between */
	bool polls;    /* else what is before it: it is an aside of that */
};

/* The state of a letter by itself, and why: a phrase, static. */
enum kt_distilled_kind kt_distil_kind(const struct kt_distil_facts *facts,
				      const char **reason, struct kt_distil_ties *ties);

#endif
