/* SPDX-License-Identifier: MIT */
/*
 * Comparing the languages of two machines. The language of a machine is what can be read
 * from its start: every state accepts, and states that only fragments enter add nothing.
 * Letters are compared by name.
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
	KT_ANSWER_UNKNOWN = 2, /* the search was cut off before it was seen */
};

struct kt_compare_options {
	uint32_t most_pairs; /* of states, that are looked at; 32 to 48 bytes each */
};

#define KT_COMPARE_OPTIONS_INIT                                                            \
	{                                                                                  \
		.most_pairs = 8000000                                                      \
	}

struct kt_compare_summary {
	bool equal;                /* one language; never in doubt */
	enum kt_answer old_in_new; /* the new machine accepts all that the old one does */
	enum kt_answer new_in_old;
	uint64_t n_ways[2]; /* diverging transitions of the old machine, of the new one */
	uint64_t n_pairs;   /* pairs of states looked at; 0 if equal */
	bool complete;      /* false: the search was cut off */
	/* If it was: all diverging transitions with words of this many letters or fewer are
	 * there. */
	uint64_t sure_length;
};

/*
 * A diverging transition: some word leads to the state that it leaves and can be read in
 * the other machine too, but not with its letter after. Its word is the least of these,
 * with its letter: the shortest, of several the first in order of letters' names.
 */
struct kt_compare_way {
	enum kt_compare_version version; /* the machine that has it */
	size_t transition;               /* index in that machine's transitions */
	uint32_t state[2]; /* where the word but for its last letter leads, in both */
	uint32_t letter;   /* its letter, a number of kt_compare_letter() */
	uint64_t length;   /* letters of its word */
};

/*
 * Whether two machines have one language, by Hopcroft's and Karp's union-find over the
 * states of both. KT_E_USAGE for a machine that is not deterministic. Near linear in the
 * sizes.
 */
KT_EXPORT int kt_compare_equal(bool *out, const struct kt_fsm *old_machine,
			       const struct kt_fsm *new_machine);

/*
 * Compares the languages, and finds each diverging transition once, in order of their words
 * (length, then letters). The machines must outlive *out, which the caller owns; NULL on
 * failure. KT_E_USAGE for a machine that is not deterministic. options may be NULL.
 *
 * Time and memory: by the pairs of states that one word leads to, which for machines that
 * are alike are about as many as states, and |old| x |new| at worst.
 */
KT_EXPORT int kt_compare_new(kt_compare **out, const struct kt_fsm *old_machine,
			     const struct kt_fsm *new_machine,
			     const struct kt_compare_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_compare_free(kt_compare *compare);

/* Owned by compare. */
KT_EXPORT const struct kt_compare_summary *kt_compare_summary(const kt_compare *compare);

/* The i-th diverging transition. KT_E_USAGE if there is none. O(1). */
KT_EXPORT int kt_compare_way(struct kt_compare_way *out, const kt_compare *compare,
			     size_t i);

/* Writes the letters of its word, as many as its length. */
KT_EXPORT int kt_compare_word(uint32_t *letters, const kt_compare *compare, size_t i);

/*
 * Writes the last n letters of its word, without going through what is before them.
 * KT_E_USAGE if it has fewer.
 */
KT_EXPORT int kt_compare_ending(uint32_t *letters, const kt_compare *compare, size_t i,
				uint64_t n);

/* The name of a letter of either machine; owned by that machine. NULL if there is none. */
KT_EXPORT const char *kt_compare_letter(const kt_compare *compare, uint32_t letter);

/* The number of a letter by its name; UINT32_MAX if neither machine has it. O(log n). */
KT_EXPORT uint32_t kt_compare_find_letter(const kt_compare *compare, const char *name);

#ifdef __cplusplus
}
#endif
#endif
