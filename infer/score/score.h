/* SPDX-License-Identifier: MIT */
/*
 * Scores a machine against a known truth: precision (how much of what the machine allows
 * is true), recall (how much of the truth the machine allows) and exactness (how often
 * both allow the same next letters).
 *
 * There are two methods. In random walks, each machine generates words that the other
 * reads. The comparison of languages explores all pairs of states that one word reaches in
 * both machines. Letters are compared by name. The language of a machine is what can be
 * read from its start, so states that only truncated words enter do not count.
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
	KT_SCORE_COUNTS,      /* in proportion to counts; uniform if all counts are 0 */
};

struct kt_score_options {
	uint64_t walks;  /* walks of each machine; 0: none */
	uint64_t length; /* letters of a walk, fewer if it reaches a dead end */
	uint64_t seed;   /* equal seeds give equal walks on every platform */
	enum kt_score_choice choice;
	uint32_t most_pairs; /* pairs of states to explore at most; about 100 bytes each */
};

#define KT_SCORE_OPTIONS_INIT                                                              \
	{                                                                                  \
		.walks = 10000, .length = 500, .seed = 1, .choice = KT_SCORE_UNIFORM,      \
		.most_pairs = 4000000                                                      \
	}

/* A share. If the whole is 0, the share is 1, with the interval from 0 to 1. */
struct kt_score_share {
	uint64_t part;
	uint64_t whole;
	double value;
	double low, high; /* Wilson's interval at 95 %; for shares of walks only */
};

/* Walks of one machine, read by the other. */
struct kt_score_walks {
	struct kt_score_share words;   /* walks that were read completely, of all */
	struct kt_score_share letters; /* letters before a walk's first misfit, of all */
	uint64_t stuck;                /* walks that reached a dead end */
	/*
	 * The limits of words.value and letters.value for infinitely many walks; NaN if
	 * there are too many pairs of states.
	 */
	double words_expected;
	double letters_expected;
};

/*
 * Figures over the pairs of states that are reached by a word that both machines can read.
 */
struct kt_score_language {
	bool complete;               /* all pairs were explored, not only most_pairs */
	struct kt_score_share exact; /* pairs with the same next letters in both machines */
	/*
	 * Summed over all pairs. next_precision: of the letters that the machine can read
	 * next, the share that the truth can read there too. next_recall: the reverse.
	 */
	struct kt_score_share next_precision;
	struct kt_score_share next_recall;
	bool equal;             /* the languages are equal; always known */
	enum kt_answer precise; /* every word of the machine is a word of the truth */
	enum kt_answer recalls; /* every word of the truth is a word of the machine */
};

/*
 * The transitions of one machine that some word of that machine takes, and whether the
 * other machine has them after words that both can read.
 */
struct kt_score_transitions {
	/* Share of transitions that words of the other machine take. */
	struct kt_score_share covered;
	uint64_t partly; /* covered, but the other machine does not have them for some
			  * words */
};

struct kt_score_figures {
	struct kt_score_walks precision;     /* walks of the machine, read by the truth */
	struct kt_score_walks recall;        /* walks of the truth, read by the machine */
	struct kt_score_share exactness;     /* share of all walks' positions (both ends
					      * included) at which the walk still fits and
					      * both machines have the same next letters */
	double exactness_expected;           /* like words_expected */
	double f1;                           /* harmonic mean of both shares `words` */
	double letters_f1;                   /* harmonic mean of both shares `letters` */
	struct kt_score_language language;   /* by pairs of states, machine and truth */
	struct kt_score_transitions truth;   /* the truth's transitions that words of the
					      * machine take */
	struct kt_score_transitions machine; /* the machine's transitions that words of
					      * the truth take */
};

/*
 * Outcome for a transition. If not all pairs were explored, it holds only for the explored
 * pairs.
 */
enum kt_score_fate {
	KT_SCORE_COVERED = 0,
	KT_SCORE_PARTLY,      /* covered, but the other machine does not have it for some
			       * words */
	KT_SCORE_LACKING,     /* words reach its state, but the other machine never has the
				 transition */
	KT_SCORE_OUT_OF_WAY,  /* no word that both machines can read reaches its state */
	KT_SCORE_UNREACHABLE, /* no word of its own machine reaches it: not counted */
};

/*
 * Scores a machine. Both machines are borrowed until kt_score_free(). The caller owns *out.
 * KT_E_USAGE if one of them is not deterministic, KT_E_MEMORY.
 *
 * Time: O(walks * length + pairs * letters + length * transitions between pairs); the last
 * term is skipped, and its results are NaN, if it exceeds 10^9.
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
 * only one of them can read. Owned by the score.
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
