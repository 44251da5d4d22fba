/* SPDX-License-Identifier: MIT */
/* What `ktail sweep` writes. */
#ifndef KTAIL_SWEEP_RESULT_H
#define KTAIL_SWEEP_RESULT_H

#include <ktail/cross-validate.h>

#include "infer/files/output.h"
#include "infer/graph/curve.h"

struct kt_sweep_result {
	struct kt_curve curve; /* Owned by this */
	const char *machine;   /* Weak: "chains", ... */
	const char *word;      /* Weak: "process", ... */
	char *alphabet_json;   /* Owned by this; or NULL */
	kt_cross *cross;       /* Owned by this: of the same k; or NULL */
};

/* A row for each k, as TSV in which what is not measured is empty; on a terminal as text.
 */
int kt_sweep_write_table(FILE *out, const void *result);

/* The same as CSV, and as a table of which no column is left out. */
int kt_sweep_write_csv(FILE *out, const void *result);
int kt_sweep_write_text(FILE *out, const void *result);

/* "ktail-sweep/1", see ktail-sweep(1). */
int kt_sweep_write_json(FILE *out, const void *result);

/* Sweeps (struct kt_sweep_result): .tsv .csv .txt .json .svg .png .pdf. */
extern const struct kt_output_kind kt_output_sweep;

#endif
