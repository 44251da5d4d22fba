/* SPDX-License-Identifier: MIT */
/* The result of `ktail sweep`. */
#ifndef KTAIL_SWEEP_RESULT_H
#define KTAIL_SWEEP_RESULT_H

#include <ktail/cross-validate.h>

#include "infer/files/output.h"
#include "infer/graph/curve.h"

struct kt_sweep_result {
	struct kt_curve curve; /* Owned by this */
	const char *machine;   /* Weak: "chains", ... */
	const char *word;      /* Weak: "process", ... */
	char *alphabet_json;   /* Owned by this; may be NULL */
	/* Owned by this: a row for each k of the curve; NULL without --cross-validate */
	kt_cross *cross;
};

/*
 * Writes a row for each k: as text if `out` is a terminal, otherwise as TSV. In TSV, values
 * that were not measured are empty.
 */
int kt_sweep_write_table(FILE *out, const void *result);

/* Write the same table as CSV, and as text with all columns. */
int kt_sweep_write_csv(FILE *out, const void *result);
int kt_sweep_write_text(FILE *out, const void *result);

/* Writes JSON of the format "ktail-sweep/1", see ktail-sweep(1). */
int kt_sweep_write_json(FILE *out, const void *result);

/* Formats of struct kt_sweep_result: .tsv .csv .txt .json .svg .png .pdf. */
extern const struct kt_output_kind kt_output_sweep;

#endif
