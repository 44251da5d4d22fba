/* SPDX-License-Identifier: MIT */
/*
 * What traces were recorded with: versions of libraries and drivers, GPUs, the recorder's
 * modes, the command (events `version`, see ktail-events(7)). Machines and words keep these
 * rows as a list without duplicates, sorted by bytes.
 */
#ifndef KTAIL_VERSIONS_H
#define KTAIL_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The row owns all its texts. An absent text is "". */
struct kt_version {
	char *what; /* "libcuda", "module", "gpu", ... */
	char *version;
	char *id; /* build id, commit, PCI id */
	char *detail;
};

#define KT_VERSIONS_MAX 1000

/* All zero: none. */
struct kt_versions {
	struct kt_version *rows; /* Owned by this */
	size_t n;
	size_t capacity;
};

/*
 * Adds a copy of a row, unless the list contains it; NULL means "". Each byte of a control
 * character or of invalid UTF-8 becomes '?'. Ignored are rows with an empty `what`, and
 * rows beyond KT_VERSIONS_MAX, which only a damaged trace has. KT_E_MEMORY. O(n).
 */
KT_EXPORT int kt_versions_add(struct kt_versions *versions, const char *what,
			      const char *version, const char *id, const char *detail);

/* Adds copies of all rows of another list. */
KT_EXPORT int kt_versions_add_all(struct kt_versions *versions,
				  const struct kt_versions *more);

/* Returns whether two lists have the same rows. O(n). */
KT_EXPORT bool kt_versions_equal(const struct kt_versions *a, const struct kt_versions *b);

KT_EXPORT void kt_versions_clear(struct kt_versions *versions);

/* Returns the first row with that `what`, or NULL. */
KT_EXPORT const struct kt_version *kt_versions_find(const struct kt_versions *versions,
						    const char *what);

/*
 * Returns whether two lists have the same versions and ids of `what`; also true if one of
 * the lists has no row of `what`.
 */
KT_EXPORT bool kt_versions_agree(const struct kt_versions *a, const struct kt_versions *b,
				 const char *what);

/*
 * Writes the versions of `what` as text, such as "580.95.05 (3f1c...)", to text[0..size),
 * as many as fit; "" if there are none. The id is left out where `ids` is false.
 */
KT_EXPORT void kt_versions_text(char *text, size_t size, const struct kt_versions *versions,
				const char *what, bool ids);

/*
 * Writes the value of a mode of the recorder, "coalesced" for "access", to text[0..size);
 * "" if it is unknown, "mixed" if recordings differ.
 */
KT_EXPORT void kt_versions_mode(char *text, size_t size, const struct kt_versions *versions,
				const char *mode);

/* A part that decides what a driver does, and its name for a reader. */
struct kt_version_part {
	const char *what;
	const char *name;
};

/* Returns the i-th such part in order of importance, or NULL after the last one. */
KT_EXPORT const struct kt_version_part *kt_versions_part(size_t i);

#ifdef __cplusplus
}
#endif
#endif
