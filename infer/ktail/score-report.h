/* SPDX-License-Identifier: MIT */
/* A score with what its report needs, and the functions that write the report. */
#ifndef KTAIL_SCORE_REPORT_H
#define KTAIL_SCORE_REPORT_H

#include <ktail/score.h>

#include "infer/files/output.h"

/* One of the two machines. */
struct kt_score_report_machine {
	const struct kt_fsm *fsm; /* Weak */
	const char *name;         /* Weak: its path on the command line */
	/*
	 * Owned by this, for each transition: 1 + the index of the diverging word that ends
	 * with the transition, for kt_compare_way(); 0 if there is no such word
	 */
	size_t *way;
};

struct kt_score_report {
	struct kt_score_options options;
	kt_score *score;                           /* Owned by this */
	struct kt_score_report_machine machine[2]; /* machine, truth */
	uint32_t *word; /* Owned by this: buffer for the longest diverging word */
};

/*
 * Computes the score from report->options and the machines' `fsm` and `name`, which the
 * caller has set. The caller clears *report in any case.
 */
int kt_score_report_make(struct kt_score_report *report);
void kt_score_report_clear(struct kt_score_report *report);

/*
 * Returns the outcome for a transition of the machine (truth = 0) or of the true machine
 * (truth = 1).
 */
enum kt_score_fate kt_score_report_fate(const struct kt_score_report *report, int truth,
					size_t transition);

/*
 * Writes to report->word the shortest word that ends with a transition of the machine (of
 * the true machine if truth = 1) and that the other machine cannot read. Returns the length
 * of the word in letters; 0 if there is no such word.
 */
uint64_t kt_score_report_word(const struct kt_score_report *report, int truth,
			      size_t transition);

int kt_score_write_text(FILE *out, const void *report);
int kt_score_write_json(FILE *out, const void *report);
int kt_score_write_tsv(FILE *out, const void *report);

#endif
