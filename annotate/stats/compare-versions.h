/* SPDX-License-Identifier: MIT */
/*
 * Compares what the calls of the API did in recordings of two versions, such as of a driver.
 * Each figure of each function is compared by an exact test of ranks
 * (infer/changes/rank-test.h), with Tarone's correction for the number of figures.
 */
#ifndef KTAIL_ANNOTATE_COMPARE_VERSIONS_H
#define KTAIL_ANNOTATE_COMPARE_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/calls/figures.h"
#include "base/table.h"

/* The recordings of one version. All zero: none. */
struct kt_stats_version {
	struct kt_figure_rows *recordings; /* Owned by this, as are the rows of each */
	size_t n;
	size_t capacity;
};

/* A figure of a function that is not the same in all recordings. */
struct kt_compared_figure {
	const char *call; /* Weak: owned by the kt_stats_version; "": outside of calls */
	enum kt_figure figure;
	double median[2]; /* of the old and of the new recordings */
	double shift;     /* median of the differences new - old */
	double low;       /* 95 % interval of `shift`, from `low` to `high` */
	double high;
	double p;     /* probability that chance alone makes the ranks this uneven */
	double least; /* smallest `p` that these values could give */
	bool found;   /* the versions differ: `p` is within Tarone's bound */
};

/* Empty if all members are zero. Free with kt_compared_versions_free(). */
struct kt_compared_versions {
	/* Owned by this: sorted; those with `found` come first, then by call and figure. */
	struct kt_compared_figure *figures;
	size_t n;
	size_t capacity;
	size_t n_found;
	size_t of[2];  /* numbers of old and new recordings */
	bool hopeless; /* there are so few recordings that no figure can be `found` */
	struct kt_texts texts; /* texts of the table */
};

/*
 * Adds an empty recording and points *out to it. *out is valid until the next recording
 * is added. KT_E_MEMORY.
 */
int kt_stats_version_add(struct kt_stats_version *version, struct kt_figure_rows **out);

/*
 * Adds a recording for a file *.csv, written by `ktail stats -f csv`, or for each such file in
 * a folder. Sets *is to whether `path` is such a file or folder. KT_E_IO, KT_E_MALFORMED,
 * KT_E_MEMORY.
 */
int kt_stats_version_read_csv(struct kt_stats_version *version, const char *path, bool *is);

void kt_stats_version_free(struct kt_stats_version *version);

/*
 * Compares two versions, each of which must have a recording and outlive *out. The caller
 * frees *out with kt_compared_versions_free(), also on failure. KT_E_MEMORY.
 */
int kt_compare_versions(struct kt_compared_versions *out,
			const struct kt_stats_version *old,
			const struct kt_stats_version *new);

/*
 * Makes a table of the figures with `found` or, if `all`, of all compared figures. Texts
 * in the table belong to `versions` or to the two versions that were compared, or are
 * static; the caller frees the table. KT_E_MEMORY.
 */
int kt_compared_versions_table(struct kt_compared_versions *versions, struct kt_table *out,
			       bool all);

void kt_compared_versions_free(struct kt_compared_versions *versions);

#endif
