/* SPDX-License-Identifier: MIT */
/*
 * Scores a machine against the true machine, "the truth": precision (how much of what the
 * machine allows is true), recall (how much of the truth the machine allows) and exactness
 * (how often both allow the same next letters).
 *
 * There are two methods. In random walks, each machine generates words that the other
 * machine reads. The comparison of languages explores all pairs of states to which the two
 * machines can be led by the same word. Letters are compared by name. The language of a
 * machine is what can be read from its start, so states that are entered only by truncated
 * words do not count.
 */
#ifndef KTAIL_SCORE_H
#define KTAIL_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare.h"
#include "export.h"
#include "fsm.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kt_score kt_score;

enum kt_score_choice {
	KT_SCORE_UNIFORM = 0, /* all transitions of a state are equally likely */
	KT_SCORE_COUNTS,      /* likely in proportion to their counts; equally likely if all
			       * counts of a state are 0 */
};

struct kt_score_options {
	uint64_t walks;  /* walks of each machine; 0: none */
	uint64_t length; /* letters of a walk; fewer if the walk reaches a dead end */
	uint64_t seed;   /* equal seeds give equal walks on every platform */
	enum kt_score_choice choice;
	uint32_t most_pairs; /* maximum number of pairs of states to explore; each takes
			      * about 100 bytes */
};

#define KT_SCORE_OPTIONS_INIT                                                              \
	{                                                                                  \
		.walks = 10000, .length = 500, .seed = 1, .choice = KT_SCORE_UNIFORM,      \
		.most_pairs = 4000000                                                      \
	}

/* A share: value = part / whole. If `whole` is 0, `value` is 1. */
struct kt_score_share {
	uint64_t part;
	uint64_t whole;
	double value;
	/*
	 * Wilson's interval at 95 % in kt_score_walks.words, from 0 to 1 if `whole` is 0;
	 * NaN in all other shares.
	 */
	double low, high;
};

/* Walks of one machine, read by the other machine. */
struct kt_score_walks {
	struct kt_score_share words;   /* walks that were read completely, of all walks */
	struct kt_score_share letters; /* letters before the first misfit of their walk */
	uint64_t stuck;                /* walks that reached a dead end */
	/*
	 * The limits of words.value and letters.value for infinitely many walks; NaN if
	 * there are too many pairs of states, or too many steps (see kt_score_new()).
	 */
	double words_expected;
	double letters_expected;
};

/*
 * Figures over the pairs of states that are reached by a word that both machines can read.
 */
struct kt_score_language {
	bool complete; /* all pairs were explored; false: there are more than most_pairs */
	struct kt_score_share exact; /* pairs with the same next letters in both machines */
	/*
	 * Summed over all pairs. next_precision: of the letters that the machine can read
	 * next, the share that the truth can read next too. next_recall: of the letters
	 * that the truth can read next, the share that the machine can read next too.
	 */
	struct kt_score_share next_precision;
	struct kt_score_share next_recall;
	bool equal; /* the languages are equal; known even if not all pairs were explored */
	enum kt_answer precise; /* every word of the machine is a word of the truth */
	enum kt_answer recalls; /* every word of the truth is a word of the machine */
};

/*
 * The transitions of one machine that some word of that machine takes, and whether the
 * other machine has them after words that both machines can read.
 */
struct kt_score_transitions {
	/* Share of the transitions that are taken by words that both machines can read. */
	struct kt_score_share covered;
	uint64_t partly; /* number of covered transitions that the other machine does not
			  * have after some other words */
};

struct kt_score_figures {
	struct kt_score_walks precision; /* walks of the machine, read by the truth */
	struct kt_score_walks recall;    /* walks of the truth, read by the machine */
	/*
	 * The share of positions at which the walk still fits and both machines have the
	 * same next letters, among all positions of all walks, including both ends of each
	 * walk.
	 */
	struct kt_score_share exactness;
	double exactness_expected; /* limit of exactness.value; NaN if words_expected is NaN
				    */
	double f1;                 /* harmonic mean of precision.words and recall.words */
	double letters_f1; /* harmonic mean of precision.letters and recall.letters */
	struct kt_score_language language;   /* over pairs of a state of the machine and a
					      * state of the truth */
	struct kt_score_transitions truth;   /* transitions of the truth */
	struct kt_score_transitions machine; /* transitions of the machine */
};

/*
 * Outcome for a transition of one machine. "Common words" are words that both machines can
 * read. If not all pairs were explored, the outcome holds only for the explored pairs.
 */
enum kt_score_fate {
	KT_SCORE_COVERED = 0,
	KT_SCORE_PARTLY, /* covered, but after other common words the other machine does not
			  * have it */
	KT_SCORE_LACKING, /* common words reach its state, but the other machine never has
			   * it */
	KT_SCORE_OUT_OF_WAY,  /* no common word reaches its state */
	KT_SCORE_UNREACHABLE, /* no word of its own machine takes it: not counted */
};

/*
 * Scores a machine. Both machines are borrowed until kt_score_free(). The caller owns *out.
 * KT_E_USAGE if a machine is not deterministic, KT_E_MEMORY.
 *
 * Time: O(walks * length + pairs * letters + length * transitions between pairs). The last
 * term is for the expected values; if it exceeds 10^9, they are not computed but NaN.
 */
KT_EXPORT int kt_score_new(kt_score **out, const struct kt_fsm *machine,
			   const struct kt_fsm *truth,
			   const struct kt_score_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_score_free(kt_score *score);

/* Returns the figures, owned by the score. */
KT_EXPORT const struct kt_score_figures *kt_score_figures(const kt_score *score);

/*
 * Returns the comparison of the machine (old) with the truth (new): the shortest words that
 * only one of the two can read. Owned by the score.
 */
KT_EXPORT const kt_compare *kt_score_compare(const kt_score *score);

/*
 * Return the outcome for the i-th transition of the truth and of the machine; i must be in
 * range. O(1).
 */
KT_EXPORT enum kt_score_fate kt_score_truth_fate(const kt_score *score, size_t i);
KT_EXPORT enum kt_score_fate kt_score_machine_fate(const kt_score *score, size_t i);

#ifdef __cplusplus
}
#endif
#endif
