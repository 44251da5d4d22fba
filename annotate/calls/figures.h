/* SPDX-License-Identifier: MIT */
/*
 * Figures: sums over a part of a trace, such as all calls of one function. The figures of
 * the parts add up to the figures of the whole trace. Figures are kept in rows: one row for
 * each function of the API, and one for events outside calls.
 */
#ifndef KTAIL_ANNOTATE_FIGURES_H
#define KTAIL_ANNOTATE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/device-times.h"
#include "base/table.h"
#include "base/texts.h"

/*
 * Each X() below gives name, key, head, kind and rank of a column (base/table.h). Times are
 * in ns.
 *
 * For each way of copying (inline, direct, staged), the copies are counted in five size
 * classes: up to 64 bytes, 4 KiB, 24 KiB, 1 MiB, and above. On Hopper, copies from pinned
 * memory to the device are inline up to 24 KiB (docs/results/submissions.md), and pageable
 * memory is staged in pieces of up to 1 MiB (docs/results/stats.md).
 */
#define KT_FIGURE_SIZES(X, WAY, way, rank)                                                 \
	X(WAY##_TO_64, way "_to_64", way "<=64", COUNT, rank)                              \
	X(WAY##_TO_4K, way "_to_4k", way "<=4K", COUNT, rank)                              \
	X(WAY##_TO_24K, way "_to_24k", way "<=24K", COUNT, rank)                           \
	X(WAY##_TO_1M, way "_to_1m", way "<=1M", COUNT, rank)                              \
	X(WAY##_MORE, way "_more", way ">1M", COUNT, rank)

/* Figures of the calls themselves. */
#define KT_FIGURES_OF_CALLS(X)                                                             \
	X(CALLS, "calls", "calls", COUNT, 0)                                               \
	X(ERRORS, "errors", "errors", COUNT, 2)                                            \
	X(UNRETURNED, "unreturned", "unreturned", COUNT, 3)                                \
	X(TIME, "time", "total us", TIME, 1)                                               \
	X(SELF, "self", "self us", TIME, 8)

/* Figures of what the calls did. */
#define KT_FIGURES_OF_WORK(X)                                                              \
	X(IOCTLS, "ioctls", "ioctls", COUNT, 2)                                            \
	X(FAILED_IOCTLS, "failed_ioctls", "failed", COUNT, 7)                              \
	X(IOCTL_TIME, "ioctl_time", "ioctl us", TIME, 8)                                   \
	X(MAPS, "maps", "maps", COUNT, 6)                                                  \
	X(UNMAPS, "unmaps", "unmaps", COUNT, 6)                                            \
	X(READS, "reads", "reads", COUNT, 8)                                               \
	X(WRITES, "writes", "writes", COUNT, 8)                                            \
	X(DOORBELLS, "doorbells", "doorbells", COUNT, 1)                                   \
	X(SUBMISSIONS, "submissions", "submissions", COUNT, 9)                             \
	X(ENTRIES, "entries", "entries", COUNT, 4)                                         \
	X(BYTES, "bytes", "bytes", COUNT, 1)                                               \
	X(METHODS, "methods", "methods", COUNT, 5)                                         \
	X(INLINE, "inline", "inline", COUNT, 2)                                            \
	X(INLINE_BYTES, "inline_bytes", "inline bytes", COUNT, 9)                          \
	X(DIRECT, "direct", "direct", COUNT, 2)                                            \
	X(DIRECT_BYTES, "direct_bytes", "direct bytes", COUNT, 9)                          \
	X(STAGED, "staged", "staged", COUNT, 2)                                            \
	X(STAGED_BYTES, "staged_bytes", "staged bytes", COUNT, 9)                          \
	X(FILLS, "fills", "fills", COUNT, 6)                                               \
	X(FILL_BYTES, "fill_bytes", "fill bytes", COUNT, 9)                                \
	X(COPIED, "copied_bytes", "copied", COUNT, 3)                                      \
	KT_FIGURE_SIZES(X, INLINE, "inline", KT_COLUMN_WIDE)                               \
	KT_FIGURE_SIZES(X, DIRECT, "direct", KT_COLUMN_WIDE)                               \
	KT_FIGURE_SIZES(X, STAGED, "staged", KT_COLUMN_WIDE)                               \
	X(LAUNCHES, "launches", "launches", COUNT, 1)                                      \
	X(EMPTY_GRIDS, "empty_grids", "empty grids", COUNT, 3)                             \
	X(OWN_WRITES, "launch_writes", "launch writes", COUNT, 9)                          \
	X(RELEASES, "releases", "releases", COUNT, 5)                                      \
	X(ACQUIRES, "acquires", "acquires", COUNT, 5)                                      \
	X(IDLES, "waits_for_idle", "idle waits", COUNT, 8)                                 \
	X(WAITS, "waits", "waits", COUNT, 4)                                               \
	X(WAIT_TIME, "wait_time", "wait us", TIME, 8)

#define KT_FIGURES(X)                                                                      \
	KT_FIGURES_OF_CALLS(X)                                                             \
	KT_FIGURES_OF_WORK(X)

#define KT_FIGURE_ENUMERATOR(name, key, head, kind, rank) KT_FIGURE_##name,
enum kt_figure { KT_FIGURES(KT_FIGURE_ENUMERATOR) KT_FIGURE_COUNT };
#undef KT_FIGURE_ENUMERATOR

/* All zero: nothing counted. */
struct kt_figures {
	uint64_t n[KT_FIGURE_COUNT];
	unsigned given_up; /* KT_GAVE_UP_*: what was not recorded to the end */
};

/* Returns the KT_GAVE_UP_* that makes the figure partial, or 0. */
unsigned kt_figure_given_up(enum kt_figure figure);

/* Returns whether a part of what the figure counts was not recorded. */
bool kt_figures_partial(const struct kt_figures *figures, enum kt_figure figure);

/* An initialiser of a struct kt_column. */
#define KT_FIGURE_COLUMN(name, key, head, kind, rank) {key, head, KT_COLUMN_##kind, rank},

/* Returns a figure's column. Static. */
const struct kt_column *kt_figure_column(enum kt_figure figure);

/* Adds all figures of `more` to *sum. */
void kt_figures_add(struct kt_figures *sum, const struct kt_figures *more);

/*
 * Adds `n` copies of `bytes` bytes each to the totals and to the size class of `way`:
 * KT_FIGURE_INLINE, KT_FIGURE_DIRECT or KT_FIGURE_STAGED.
 */
void kt_figures_add_copy(struct kt_figures *sum, enum kt_figure way, uint64_t bytes,
			 uint64_t n);

/* --- by name --- */

struct kt_figure_row {
	const char *name; /* Weak: in the rows' texts; "": outside calls */
	const char *api;  /* Weak: in the rows' texts; "": outside calls */
	struct kt_figures figures;
	struct kt_device_sum device; /* of the submissions */
	uint64_t *times;             /* Owned by this: ns of each call that returned */
	size_t n_times;
	size_t capacity;
};

/* Empty if all members are zero. Free with kt_figure_rows_free(). */
struct kt_figure_rows {
	struct kt_texts texts;
	struct kt_figure_row *rows; /* Owned by this; sorted by name, bytewise */
	size_t n;
	size_t capacity;
};

/*
 * Finds or adds the row of a name; *out is valid until the next kt_figure_rows_find(). If
 * two interfaces have functions of the same name, the functions share a row, whose `api` is
 * the interface that was added first. KT_E_MEMORY with a message. O(log rows), or O(rows)
 * for a new row.
 */
int kt_figure_rows_find(struct kt_figure_rows *rows, struct kt_figure_row **out,
			const char *api, const char *name);

/* Adds the time of one call. KT_E_MEMORY with a message. Amortised O(1). */
int kt_figure_row_time(struct kt_figure_row *row, uint64_t time);

/* Writes the sum of all rows to *out. */
void kt_figure_rows_sum(const struct kt_figure_rows *rows, struct kt_figures *out);

/*
 * Writes to *out the least time in row->times such that at least `permille` thousandths of
 * the times do not exceed this time. Returns false if row->times is empty. Sorts
 * row->times. O(n log n).
 */
bool kt_figure_row_quantile(struct kt_figure_row *row, unsigned permille, uint64_t *out);

void kt_figure_rows_free(struct kt_figure_rows *rows);

#endif
