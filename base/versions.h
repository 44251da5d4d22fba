/* SPDX-License-Identifier: MIT */
/*
 * The circumstances of recordings: versions of libraries and drivers, GPUs, modes of the
 * recorder, the command (events `version`, see ktail-events(7)). Each circumstance is a
 * row; machines and words have a list of rows without duplicates, sorted bytewise.
 */
#ifndef KTAIL_VERSIONS_H
#define KTAIL_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The row owns its texts. An absent text is "", not NULL. */
struct kt_version {
	char *what; /* "libcuda", "module", "gpu", ... */
	char *version;
	char *id; /* build id, commit, PCI id */
	char *detail;
};

#define KT_VERSIONS_MAX 1000

/*
 * `what` of the rows of words that end where the recorder gave up detail (ktail record
 * --overhead); `version` is "accesses" or "commands".
 */
#define KT_VERSIONS_GIVEN_UP "given-up"

/* A zeroed list is empty. */
struct kt_versions {
	struct kt_version *rows; /* Owned by this */
	size_t n;
	size_t capacity;
};

/*
 * Adds a copy of a row, unless the list contains an equal row. A NULL argument means "".
 * Each byte of a control character or of invalid UTF-8 becomes '?'. Rows with an empty
 * `what` are ignored, and so are rows beyond KT_VERSIONS_MAX, a number that only damaged
 * traces reach. KT_E_MEMORY. O(n).
 */
KT_EXPORT int kt_versions_add(struct kt_versions *versions, const char *what,
			      const char *version, const char *id, const char *detail);

/* Adds copies of all rows of another list. KT_E_MEMORY. */
KT_EXPORT int kt_versions_add_all(struct kt_versions *versions,
				  const struct kt_versions *more);

/* Returns whether two lists have the same rows. O(n). */
KT_EXPORT bool kt_versions_equal(const struct kt_versions *a, const struct kt_versions *b);

KT_EXPORT void kt_versions_clear(struct kt_versions *versions);

/* Returns the first row with the given `what`, or NULL if there is none. */
KT_EXPORT const struct kt_version *kt_versions_find(const struct kt_versions *versions,
						    const char *what);

/*
 * Returns whether two lists have the same versions and ids for `what`. Also true if one of
 * the lists has no row for `what`.
 */
KT_EXPORT bool kt_versions_agree(const struct kt_versions *a, const struct kt_versions *b,
				 const char *what);

/*
 * Writes the versions of `what` to text[0..size), separated by commas and truncated if
 * necessary; "" if there are none. If `ids` is true, each version is followed by up to 13
 * characters of the id in its row, as in "580.95.05 (3f1c...)".
 */
KT_EXPORT void kt_versions_text(char *text, size_t size, const struct kt_versions *versions,
				const char *what, bool ids);

/* Bytes that hold the value of any mode, with its NUL. */
#define KT_VERSIONS_MODE 512

/*
 * Writes the value of a mode of the recorder, for example "coalesced" for the mode
 * "access", to text[0..size). Writes "" if the value is unknown, "mixed" if recordings
 * differ.
 */
KT_EXPORT void kt_versions_mode(char *text, size_t size, const struct kt_versions *versions,
				const char *mode);

/*
 * Like kt_versions_mode() for the mode "api-calls", which says which calls of APIs were
 * traced. Recordings of versions without that mode traced "all".
 */
KT_EXPORT void kt_versions_api_calls(char text[KT_VERSIONS_MODE],
				     const struct kt_versions *versions);

/* A component whose version can change what a driver does; `name` is for output. */
struct kt_version_part {
	const char *what;
	const char *name;
};

/* Returns the i-th component in order of importance, or NULL after the last one. */
KT_EXPORT const struct kt_version_part *kt_versions_part(size_t i);

#ifdef __cplusplus
}
#endif
#endif
