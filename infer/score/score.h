/* SPDX-License-Identifier: MIT */
/*
 * How good a machine is where the truth is known: precision (what the machine allows is
 * true), recall (what is true the machine allows) and exactness (of what can come next,
 * they say the same).
 *
 * Judged in two ways. By random walks: words that one of the machines makes up are read by
 * the other. By comparing the languages: all pairs of states that one word reaches in both
 * machines are looked at. Letters are compared by name; the language of a machine is what
 * can be read from its start, so states that only fragments enter have no part in it.
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
	KT_SCORE_UNIFORM = 0, /* each transition of a state is as likely */
	KT_SCORE_COUNTS,      /* as likely as often it was taken; uniform if none was */
};

struct kt_score_options {
	uint64_t walks;  /* of each machine; 0: none */
	uint64_t length; /* letters of a walk, fewer where no state leads on */
	uint64_t seed;   /* the same seed, the same walks, everywhere */
	enum kt_score_choice choice;
	uint32_t most_pairs; /* of states, that are looked at; about 100 bytes each */
};

#define KT_SCORE_OPTIONS_INIT                                                              \
	{                                                                                  \
		.walks = 10000, .length = 500, .seed = 1, .choice = KT_SCORE_UNIFORM,      \
		.most_pairs = 4000000                                                      \
	}

/*
 * A share. Where the whole is 0 there is nothing to find fault with: the share is 1, in the
 * interval from 0 to 1.
 */
struct kt_score_share {
	uint64_t part;
	uint64_t whole;
	double value;
	double low, high; /* Wilson's interval at 95 %; only of a share of walks */
};

/* Walks of one machine, read by the other. */
struct kt_score_walks {
	struct kt_score_share words;   /* walks that are read whole, of all */
	struct kt_score_share letters; /* letters before a walk's first misfit, of all */
	uint64_t stuck;                /* walks that ended where no state leads on */
	/* What words.value and letters.value come near to with more walks; NaN where the
	 * pairs of states are too many. */
	double words_expected;
	double letters_expected;
};

/* What the pairs of states say that are reached by a word that both machines can read. */
struct kt_score_language {
	bool complete;               /* all pairs were looked at, not most_pairs only */
	struct kt_score_share exact; /* pairs after which the same letters can come */
	/* Of the letters that the machine can read next, over all pairs: those that the
	 * truth can read there, too. And the other way round. */
	struct kt_score_share next_precision;
	struct kt_score_share next_recall;
	bool equal;             /* the same language; never in doubt */
	enum kt_answer precise; /* all words of the machine are words of the truth */
	enum kt_answer recalls; /* the other way round */
};

/*
 * Transitions of one machine that some word reaches there, and what the other does where
 * words that both can read lead to them.
 */
struct kt_score_transitions {
	/* Those that words of the other machine take, of all. */
	struct kt_score_share covered;
	uint64_t partly; /* covered ones that for some words the other machine lacks */
};

struct kt_score_figures {
	struct kt_score_walks precision;     /* the machine's walks, read by the truth */
	struct kt_score_walks recall;        /* the truth's, read by the machine */
	struct kt_score_share exactness;     /* positions of all walks, both ends included,
						up to which the walk fits and after which the
						same letters can come in both machines */
	double exactness_expected;           /* as words_expected */
	double f1;                           /* of words: harmonic mean */
	double letters_f1;                   /* of letters */
	struct kt_score_language language;   /* the machine's and the truth's */
	struct kt_score_transitions truth;   /* of the truth, and the machine's words */
	struct kt_score_transitions machine; /* of the machine, and the truth's words */
};

/* What becomes of a transition; where not all pairs were looked at, so far. */
enum kt_score_fate {
	KT_SCORE_COVERED = 0,
	KT_SCORE_PARTLY,      /* covered, but for some words the other machine lacks it */
	KT_SCORE_LACKING,     /* words reach its state, and the other always lacks it */
	KT_SCORE_OUT_OF_WAY,  /* no word that both can read reaches its state */
	KT_SCORE_UNREACHABLE, /* no word of its own machine reaches it: counts nowhere */
};

/*
 * Scores a machine. Both are borrowed until kt_score_free(). The caller owns *out.
 * KT_E_USAGE if one of them is no deterministic machine, KT_E_MEMORY.
 * Time O(walks * length + pairs * letters + length * transitions between pairs); the last
 * is left out (NaN) where it is more than 10^9.
 */
KT_EXPORT int kt_score_new(kt_score **out, const struct kt_fsm *machine,
			   const struct kt_fsm *truth,
			   const struct kt_score_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_score_free(kt_score *score);

/* What was found; belongs to the score. */
KT_EXPORT const struct kt_score_figures *kt_score_figures(const kt_score *score);

/*
 * The machine (the old one) compared with the truth (the new one): the shortest words that
 * only one of them can read. Belongs to the score.
 */
KT_EXPORT const kt_compare *kt_score_compare(const kt_score *score);

/* The i-th transition of the truth, of the machine; i in range. O(1). */
KT_EXPORT enum kt_score_fate kt_score_truth_fate(const kt_score *score, size_t i);
KT_EXPORT enum kt_score_fate kt_score_machine_fate(const kt_score *score, size_t i);

#ifdef __cplusplus
}
#endif
#endif
