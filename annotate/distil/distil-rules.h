/* SPDX-License-Identifier: MIT */
/*
 * Rules that assign each letter to a state of the distilled machine, by the phase of the
 * letter and by its role and label (annotate/rules/labels.tsv).
 *
 * The states begin, create, init, DMA, run, wait, release and end are those of figure 4 of
 * Menychtas, Shen and Scott (USENIX ATC 2013). The other states cover what drivers of the
 * 2020s do in addition (docs/internals/annotate.md has the reasons).
 */
#ifndef KTAIL_ANNOTATE_DISTIL_RULES_H
#define KTAIL_ANNOTATE_DISTIL_RULES_H

#include <stdbool.h>

#include "annotate/meaning/label-role.h"
#include "decode/api-functions.h"

/*
 * States of the distilled machine, roughly in the order in which a program reaches them.
 * The drawing shows them in this order from top to bottom.
 */
enum kt_distilled_kind {
	KT_DISTILLED_BEGIN,
	KT_DISTILLED_CREATE,
	KT_DISTILLED_QUERY, /* queries about the GPU and the driver */
	KT_DISTILLED_INIT,
	KT_DISTILLED_OWN,     /* submissions by the driver for its own use */
	KT_DISTILLED_GROW,    /* memory and objects allocated during the work */
	KT_DISTILLED_STAGING, /* copies by the CPU through memory of the driver */
	KT_DISTILLED_DMA,
	KT_DISTILLED_RUN,
	KT_DISTILLED_GRAPH,  /* launches of graphs */
	KT_DISTILLED_SUBMIT, /* other submissions: semaphores, settings */
	KT_DISTILLED_WAIT,
	KT_DISTILLED_OTHER, /* letters without a more specific label */
	KT_DISTILLED_RELEASE,
	KT_DISTILLED_END,
	KT_DISTILLED_KINDS,
};

/* Meaning of a letter, as the input of the rules. */
struct kt_distil_facts {
	enum kt_label_role role;
	enum kt_api_phase phase;
	const char *label; /* NULL: none */
	bool doorbell;
};

/* Returns the state's name: "begin", "DMA", ... Static. */
const char *kt_distilled_name(enum kt_distilled_kind kind);

/* Returns whether figure 4 of the paper has this state. */
bool kt_distilled_in_paper(enum kt_distilled_kind kind);

/* Whether a letter may take the state of another letter of the same thread and word. */
struct kt_distil_ties {
	/*
	 * The letter takes the state of the thread's next doorbell in the same call if all
	 * letters of the thread in between have `prepares` set, too.
	 */
	bool prepares;
	/*
	 * The letter may take the state of the thread's previous letter, unless it has
	 * taken the state of a doorbell.
	 */
	bool polls;
};

/*
 * Returns the state that the letter has by itself, and in *reason a static phrase that
 * says why. *ties says how other letters may change this state.
 */
enum kt_distilled_kind kt_distil_kind(const struct kt_distil_facts *facts,
				      const char **reason, struct kt_distil_ties *ties);

#endif
