/* SPDX-License-Identifier: MIT */
/*
 * Compares the languages of two machines. The language of a machine is the set of words
 * that can be read from its start. Every state accepts. States that are reached only by
 * truncated words do not matter. Letters are compared by name.
 */
#ifndef KTAIL_COMPARE_H
#define KTAIL_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fsm.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kt_compare kt_compare;

enum kt_compare_version {
	KT_COMPARE_OLD = 0,
	KT_COMPARE_NEW = 1,
};

enum kt_answer {
	KT_ANSWER_NO = 0,
	KT_ANSWER_YES = 1,
	KT_ANSWER_UNKNOWN = 2, /* the search stopped before finding the answer */
};

struct kt_compare_options {
	uint32_t most_pairs; /* limit of pairs of states explored, of 32 to 48 bytes each */
};

#define KT_COMPARE_OPTIONS_INIT                                                            \
	{                                                                                  \
		.most_pairs = 8000000                                                      \
	}

struct kt_compare_summary {
	bool equal;                /* the languages are equal; known even if not complete */
	enum kt_answer old_in_new; /* the new machine accepts every word of the old one */
	enum kt_answer new_in_old;
	uint64_t n_ways[2]; /* number of diverging transitions: of the old machine, of the
			     * new one */
	uint64_t n_pairs;   /* pairs of states explored; 0 if equal */
	bool complete;      /* false: the search stopped at most_pairs */
	/*
	 * If not complete: all diverging transitions whose words have at most this many
	 * letters were found.
	 */
	uint64_t sure_length;
};

/*
 * A diverging transition: some word leads to its source state and can be read by both
 * machines, but if the letter of the transition is appended, only one machine can read the
 * result. The word of the transition is the least such result: the shortest one and, among
 * equally short ones, the first by the names of the letters.
 */
struct kt_compare_way {
	enum kt_compare_version version; /* the machine that has the transition */
	size_t transition;               /* index in that machine's transitions */
	uint32_t state[2]; /* old, new: the states that the word of the transition reaches
			    * without its last letter */
	uint32_t letter;   /* letter of the transition, for kt_compare_letter() */
	uint64_t length;   /* number of letters of the word of the transition */
};

/*
 * Writes to *out whether two machines have the same language, with Hopcroft's and Karp's
 * union-find over the states of both. KT_E_USAGE if a machine is not deterministic. Near
 * linear in the sizes.
 */
KT_EXPORT int kt_compare_equal(bool *out, const struct kt_fsm *old_machine,
			       const struct kt_fsm *new_machine);

/*
 * Compares the languages, and finds each diverging transition once. The transitions are in
 * the order of their words: by length, then by letters. options may be NULL. The machines
 * must outlive *out, which the caller owns; *out is NULL on failure. KT_E_USAGE if a
 * machine is not deterministic.
 *
 * Time and memory grow with the number of pairs of states that a common word leads to:
 * about the number of states for similar machines, |old| x |new| at worst.
 */
KT_EXPORT int kt_compare_new(kt_compare **out, const struct kt_fsm *old_machine,
			     const struct kt_fsm *new_machine,
			     const struct kt_compare_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_compare_free(kt_compare *compare);

/* Returns the summary, owned by compare. */
KT_EXPORT const struct kt_compare_summary *kt_compare_summary(const kt_compare *compare);

/*
 * Writes the i-th diverging transition to *out. KT_E_USAGE if there is no such transition.
 * O(1).
 */
KT_EXPORT int kt_compare_way(struct kt_compare_way *out, const kt_compare *compare,
			     size_t i);

/*
 * Writes the letters of the word of the i-th diverging transition; the caller provides
 * space for all letters.
 */
KT_EXPORT int kt_compare_word(uint32_t *letters, const kt_compare *compare, size_t i);

/*
 * Writes the last n letters of the word of the i-th diverging transition, without walking
 * through the letters before them. KT_E_USAGE if the word has fewer than n letters.
 */
KT_EXPORT int kt_compare_ending(uint32_t *letters, const kt_compare *compare, size_t i,
				uint64_t n);

/*
 * Returns the name of a letter of either machine, owned by that machine; NULL if there is
 * no such letter.
 */
KT_EXPORT const char *kt_compare_letter(const kt_compare *compare, uint32_t letter);

/*
 * Returns the number of the letter with that name, or UINT32_MAX if neither machine has it.
 * O(log n).
 */
KT_EXPORT uint32_t kt_compare_find_letter(const kt_compare *compare, const char *name);

#ifdef __cplusplus
}
#endif
#endif
