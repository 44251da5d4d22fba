/* SPDX-License-Identifier: MIT */
/*
 * The difference of two machines: compares their languages (compare.h), matches their
 * states (LTSDiff, Walkinshaw and Bogdanov, TOSEM 2013) and overlays one on the other.
 */
#ifndef KTAIL_DIFF_H
#define KTAIL_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compare.h"
#include "fsm.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kt_diff kt_diff;

/* Counts of states or of transitions. */
struct kt_diff_counts {
	uint64_t kept;
	uint64_t added;
	uint64_t removed;
};

struct kt_diff_summary {
	struct kt_diff_counts states;
	struct kt_diff_counts transitions;
	/*
	 * false: there were too many pairs of states to score, so states were matched by
	 * common words alone
	 */
	bool scored;
};

#define KT_DIFF_SEQUENCE_MAX 4

/*
 * A sequence of letters that can be read from some state of one machine but from none of
 * the other. The other machine can read the sequence without its first letter, and also
 * without its last letter.
 */
struct kt_diff_sequence {
	enum kt_compare_version version;        /* the machine that can read it */
	uint32_t letters[KT_DIFF_SEQUENCE_MAX]; /* letter numbers of kt_compare_letter() */
	uint32_t n;                             /* number of letters */
	uint32_t states;                        /* number of states from which it can be
						 * read */
};

/*
 * Computes the difference. options may be NULL. The machines must outlive *out, which the
 * caller owns; *out is NULL on failure. KT_E_USAGE if a machine is not deterministic.
 *
 * Takes the time and memory of kt_compare_new(), and 48 bytes for each scored pair of
 * states, of which there are at most 8,000,000 (see `scored` and docs/results/diff.md).
 */
KT_EXPORT int kt_diff_new(kt_diff **out, const struct kt_fsm *old_machine,
			  const struct kt_fsm *new_machine,
			  const struct kt_compare_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_diff_free(kt_diff *diff);

/* These functions return results owned by diff. */
KT_EXPORT const kt_compare *kt_diff_compare(const kt_diff *diff);
KT_EXPORT const struct kt_diff_summary *kt_diff_summary(const kt_diff *diff);

/*
 * Returns the overlay of both machines, a "diff" of ktail-fsm(5). A transition of origin
 * "both" is in both machines: it has the same letter, and the states that it connects are
 * matched.
 *
 * States are numbered breadth first from the start, in the order of letters. If a state has
 * two transitions with the same letter, that of the old machine is followed first. States
 * that are not reachable come last: those of the old machine, then those of the new one.
 * Labels and phases are those of the new machine or, where it has none, of the old machine.
 */
KT_EXPORT const struct kt_fsm *kt_diff_machine(const kt_diff *diff);

/*
 * Returns all sequences and writes their number to *n. The old machine's sequences come
 * first; those of one machine are sorted by ascending length, descending number of states,
 * and letters. The list ends before the first length at which the states of one machine
 * have more than 2,000,000 sequences in total.
 */
KT_EXPORT const struct kt_diff_sequence *kt_diff_sequences(size_t *n, const kt_diff *diff);

/* Writes the state of kt_diff_machine() that stands for a state of one machine. */
KT_EXPORT int kt_diff_state(uint32_t *out, const kt_diff *diff,
			    enum kt_compare_version version, uint32_t state);

/*
 * Writes the overlay as JSON, with a member "difference" for languages and words; see
 * ktail-fsm(5). The same two machines always give the same bytes.
 */
KT_EXPORT int kt_diff_write_json(const kt_diff *diff, FILE *out);

/*
 * Like kt_diff_write_json(), but leaves the JSON object open. The caller may append ",\n"
 * and more members, and must then append "\n}\n".
 */
KT_EXPORT int kt_diff_write_members(const kt_diff *diff, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
