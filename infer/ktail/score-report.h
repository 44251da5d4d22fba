/* SPDX-License-Identifier: MIT */
/* A score with its report, and the report's printers. */
#ifndef KTAIL_SCORE_REPORT_H
#define KTAIL_SCORE_REPORT_H

#include <ktail/score.h>

#include "infer/files/output.h"

/* One of the two machines. */
struct kt_score_report_machine {
	const struct kt_fsm *fsm; /* Weak */
	const char *name;         /* Weak: as on the command line */
	/*
	 * Owned by this, by transition: 1 + the index of its diverging transition in the
	 * comparison; 0: none.
	 */
	size_t *way;
};

struct kt_score_report {
	struct kt_score_options options;
	kt_score *score;                           /* Owned by this */
	struct kt_score_report_machine machine[2]; /* machine, truth */
	uint32_t *word; /* Owned by this: space for the letters of the longest diverging
			   word */
};

/* Computes the score; the caller clears *report in any case. */
int kt_score_report_make(struct kt_score_report *report);
void kt_score_report_clear(struct kt_score_report *report);

/*
 * Returns the outcome for a transition of the machine (truth = 0) or of the true machine
 * (truth = 1).
 */
enum kt_score_fate kt_score_report_fate(const struct kt_score_report *report, int truth,
					size_t transition);

/*
 * Writes the shortest word that shows that the other machine does not have a transition to
 * report->word, and returns its length; 0 if there is none.
 */
uint64_t kt_score_report_word(const struct kt_score_report *report, int truth,
			      size_t transition);

int kt_score_write_text(FILE *out, const void *report);
int kt_score_write_json(FILE *out, const void *report);
int kt_score_write_tsv(FILE *out, const void *report);

#endif
