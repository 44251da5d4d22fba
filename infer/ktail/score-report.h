/* SPDX-License-Identifier: MIT */
/* A score with all that is said about it, and its printers. */
#ifndef KTAIL_SCORE_REPORT_H
#define KTAIL_SCORE_REPORT_H

#include <ktail/score.h>

#include "infer/files/output.h"

/* One of the two machines. */
struct kt_score_report_machine {
	const struct kt_fsm *fsm; /* Weak */
	const char *name;         /* Weak: as the command line has it */
	/* Owned by this, by transition: which diverging transition of the comparison it is,
	 * plus one; 0: none. */
	size_t *way;
};

struct kt_score_report {
	struct kt_score_options options;
	kt_score *score;                           /* Owned by this */
	struct kt_score_report_machine machine[2]; /* machine, truth */
	uint32_t *word; /* Owned by this: room for the letters of any way */
};

/* Scores; the caller clears *report in any case. */
int kt_score_report_make(struct kt_score_report *report);
void kt_score_report_clear(struct kt_score_report *report);

/* What becomes of a transition of side 0 (machine) or 1 (truth). */
enum kt_score_fate kt_score_report_fate(const struct kt_score_report *report, int truth,
					size_t transition);

/*
 * The shortest word that shows that the other machine lacks a transition; its letters are
 * report->word[0..n). 0 if there is none.
 */
uint64_t kt_score_report_word(const struct kt_score_report *report, int truth,
			      size_t transition);

int kt_score_write_text(FILE *out, const void *report);
int kt_score_write_json(FILE *out, const void *report);
int kt_score_write_tsv(FILE *out, const void *report);

#endif
