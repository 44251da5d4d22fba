/* SPDX-License-Identifier: MIT */
/*
 * The difference of two machines: their languages compared (compare.h), their states
 * matched (LTSDiff, Walkinshaw and Bogdanov, TOSEM 2013), and both laid over each other.
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

/* Of states or of transitions. */
struct kt_diff_counts {
	uint64_t kept;
	uint64_t added;
	uint64_t removed;
};

struct kt_diff_summary {
	struct kt_diff_counts states;
	struct kt_diff_counts transitions;
	/* false: there were too many pairs of states, so common words alone matched them */
	bool scored;
};

#define KT_DIFF_SEQUENCE_MAX 4

/*
 * Letters that can be read one after the other from some state of one machine and from none
 * of the other, which can do all but the first and all but the last of them.
 */
struct kt_diff_sequence {
	enum kt_compare_version version;        /* the machine that has it */
	uint32_t letters[KT_DIFF_SEQUENCE_MAX]; /* numbers of kt_compare_letter() */
	uint32_t n;                             /* of them */
	uint32_t states;                        /* from how many states it can be read */
};

/*
 * The machines must outlive *out, which the caller owns; NULL on failure. KT_E_USAGE for a
 * machine that is not deterministic. options may be NULL.
 *
 * Time and memory: those of kt_compare_new(), and by the pairs of states that are scored,
 * 8,000,000 at most (see `scored`), 48 bytes each; docs/results/diff.md says which.
 */
KT_EXPORT int kt_diff_new(kt_diff **out, const struct kt_fsm *old_machine,
			  const struct kt_fsm *new_machine,
			  const struct kt_compare_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_diff_free(kt_diff *diff);

/* Owned by diff, all of these. */
KT_EXPORT const kt_compare *kt_diff_compare(const kt_diff *diff);
KT_EXPORT const struct kt_diff_summary *kt_diff_summary(const kt_diff *diff);

/*
 * Both machines laid over each other: a "diff" of ktail-fsm(5). A transition of side "both"
 * leads between two matched states in both machines. Numbered breadth first from the start,
 * letters in order, what the old machine has before what the new one alone has; then
 * states that are out of reach, the old machine's first. Labels and phases are those of the
 * new machine, where it has some.
 */
KT_EXPORT const struct kt_fsm *kt_diff_machine(const kt_diff *diff);

/*
 * All such sequences, *n of them: those of the old machine first, short before long, of
 * equal length those of more states first, then by letters. Lengths of which a machine has
 * more than 2,000,000 are left out.
 */
KT_EXPORT const struct kt_diff_sequence *kt_diff_sequences(size_t *n, const kt_diff *diff);

/* The state of kt_diff_machine() that a machine's state is. */
KT_EXPORT int kt_diff_state(uint32_t *out, const kt_diff *diff,
			    enum kt_compare_version version, uint32_t state);

/*
 * Writes that machine as JSON, with a member "difference" for the languages and the words,
 * see ktail-fsm(5). The same machines give the same bytes.
 */
KT_EXPORT int kt_diff_write_json(const kt_diff *diff, FILE *out);

/*
 * The same but for the end: the caller puts ",\n" and more members, if any, and "\n}\n".
 */
KT_EXPORT int kt_diff_write_members(const kt_diff *diff, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
