/* SPDX-License-Identifier: MIT */
/* The two machines that `ktail diff` compares: read, or inferred from traces. */
#ifndef KTAIL_DIFF_VERSIONS_H
#define KTAIL_DIFF_VERSIONS_H

#include <stdbool.h>

#include <ktail/ktail.h>

#include "infer/ktail/operand.h"

/* Arguments of the command line, in order. */
struct kt_diff_list {
	char **items; /* Owned by this; the strings are argv's */
	size_t n;
	size_t capacity;
};

struct kt_diff_version {
	struct kt_diff_list paths; /* one file of a machine, or traces */
	struct kt_operand input;   /* the contents of the paths */
};

struct kt_diff_versions {
	struct kt_operand_options operand; /* must be first: see KT_LOAD_ROWS */
	struct kt_diff_version version[2]; /* old, new */
	struct kt_diff_list without; /* letters to leave out, before `runs` is applied */
	struct kt_diff_list runs;    /* letters whose runs count as one */
};

extern const char *const kt_diff_version_names[2]; /* "old", "new" */

#define KT_DIFF_VERSIONS_INIT                                                              \
	{                                                                                  \
		.operand = KT_OPERAND_OPTIONS_INIT                                         \
	}

int kt_diff_list_add(struct kt_diff_list *list, const char *text);

/*
 * Reads words and machines, and infers machines from words. All machines that are inferred
 * get the same k:
 * - the k given with --k, if any;
 * - else, if the other version is a machine with a k and --k auto is not given, the k of
 *   that machine;
 * - else a k chosen for the words of all traces together.
 * Applies --without and --runs. Warns if the machines are hard to compare.
 */
int kt_diff_versions_load(struct kt_diff_versions *versions);

/* Returns whether both versions are traces, so that both have words. */
bool kt_diff_versions_have_words(const struct kt_diff_versions *versions);

void kt_diff_versions_clear(struct kt_diff_versions *versions);

#endif
