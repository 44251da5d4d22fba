/* SPDX-License-Identifier: MIT */
/* The result of `ktail sweep`. */
#ifndef KTAIL_SWEEP_RESULT_H
#define KTAIL_SWEEP_RESULT_H

#include <ktail/cross-validate.h>

#include "infer/files/output.h"
#include "infer/graph/curve.h"

/* The sweep of the words of one group of traces, or of all traces without --group. */
struct kt_sweep_part {
	const char *group;     /* Weak: the group's name; NULL without --group */
	struct kt_curve curve; /* Owned by this */
	char *alphabet_json;   /* Owned by this; may be NULL */
	/* Owned by this: a row for each k of the curve; NULL without --cross-validate */
	kt_cross *cross;
};

struct kt_sweep_result {
	const char *machine; /* Weak: "chains", ... */
	const char *word;    /* Weak: "process", ... */
	/* Owned by this: the groups in the order of the command line, or one part */
	struct kt_sweep_part *parts;
	size_t n;
};

/*
 * Writes a row for each k of each part: as text if `out` is a terminal, otherwise as TSV.
 * In TSV, values that were not measured are empty.
 */
int kt_sweep_write_table(FILE *out, const void *result);

/* Write the same table as CSV, and as text with all columns. */
int kt_sweep_write_csv(FILE *out, const void *result);
int kt_sweep_write_text(FILE *out, const void *result);

/* Writes JSON of the format "ktail-sweep/1" or "ktail-sweeps/1", see ktail-sweep(1). */
int kt_sweep_write_json(FILE *out, const void *result);

/* Formats of struct kt_sweep_result: .tsv .csv .txt .json .svg .png .pdf. */
extern const struct kt_output_kind kt_output_sweep;

#endif
