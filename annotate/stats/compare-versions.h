/* SPDX-License-Identifier: MIT */
/*
 * Compares what the calls of the API did in the recordings of two versions, such as two
 * versions of a driver: each figure of each function, by an exact test of ranks
 * (infer/changes/rank-test.h) with Tarone's correction for the number of figures.
 */
#ifndef KTAIL_ANNOTATE_COMPARE_VERSIONS_H
#define KTAIL_ANNOTATE_COMPARE_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/calls/figures.h"
#include "base/table.h"

/* The recordings of a side. All zero: none. */
struct kt_stats_version {
	struct kt_figure_rows *recordings; /* Owned by this, as is each */
	size_t n;
	size_t capacity;
};

/* A figure of a function that is not the same in all recordings. */
struct kt_compared_figure {
	const char *call; /* Weak: of the versions; "": outside of calls */
	enum kt_figure figure;
	double median[2]; /* old, new */
	double shift;     /* new - old, with a 95 % interval */
	double low;
	double high;
	double p;
	double least;
	bool found; /* chance alone does not explain it */
};

/* All zero: empty. Free with kt_compared_versions_free(). */
struct kt_compared_versions {
	struct kt_compared_figure *figures; /* Owned by this: found ones first, by p */
	size_t n;
	size_t capacity;
	size_t n_found;
	size_t of[2];  /* recordings */
	bool hopeless; /* no figure could have been found with so few recordings */
	struct kt_texts texts;
};

/* Adds a recording without figures, which *out is; valid until the next. KT_E_MEMORY. */
int kt_stats_version_add(struct kt_stats_version *version, struct kt_figure_rows **out);

/*
 * Adds a recording for each file of `ktail stats -f csv` in a folder, or for one file.
 * *is becomes false if the path is neither. KT_E_IO, KT_E_MALFORMED, KT_E_MEMORY.
 */
int kt_stats_version_read_csv(struct kt_stats_version *version, const char *path, bool *is);

void kt_stats_version_free(struct kt_stats_version *version);

/* Each side has a recording. The sides must outlive *out. KT_E_MEMORY. */
int kt_compare_versions(struct kt_compared_versions *out,
			const struct kt_stats_version *old,
			const struct kt_stats_version *new);

/*
 * Makes a table: of the findings, or of all figures that differ somewhere. Texts belong to
 * the versions. KT_E_MEMORY.
 */
int kt_compared_versions_table(struct kt_compared_versions *versions, struct kt_table *out,
			       bool all);

void kt_compared_versions_free(struct kt_compared_versions *versions);

#endif
