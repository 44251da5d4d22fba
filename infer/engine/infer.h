/* SPDX-License-Identifier: MIT */
/*
 * k-tail inference (Biermann and Feldman 1972, as described by Menychtas, Shen and Scott,
 * USENIX ATC 2013): builds a deterministic machine from words.
 */
#ifndef KTAIL_INFER_H
#define KTAIL_INFER_H

#include "fsm.h"
#include "status.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kt_machine {
	KT_MACHINE_CHAINS = 0, /* one chain per word, from a common start state */
	KT_MACHINE_PTA = 1,    /* the prefix tree of the words */
};

struct kt_infer_options {
	uint64_t k;                /* length of the tails compared; 0 merges all states */
	enum kt_machine machine;   /* the canonical machine whose states are merged */
	const char *word;          /* Weak: recorded in the machine, e.g. "process" */
	const char *alphabet_json; /* Weak: recorded in the machine, or NULL */
};

#define KT_INFER_OPTIONS_INIT                                                              \
	{                                                                                  \
		.k = 0, .machine = KT_MACHINE_CHAINS, .word = "process"                    \
	}

/*
 * Infers a machine: builds the canonical machine of the words, merges states with equal
 * k-tails, determinises, numbers the states canonically, and checks that counts are
 * conserved.
 *
 * The result depends only on the words, not on their order or on letter numbers. The
 * machine lists its words by name, hash, number of letters and loss. Among words that are
 * equal in all four, truncated words come before complete ones, and among truncated words,
 * those with a known beginning come first.
 *
 * The caller owns *out; it is NULL on failure. KT_E_EMPTY if there are no words. KT_E_USAGE
 * if there are more letters than the engine can number (2^31 with up to 254 distinct
 * letters, half of that with up to 65,534, and so on) or if k exceeds INT64_MAX.
 * KT_E_INTERNAL if a check of the result fails.
 *
 * Time: near linear in the letters, for any k; with KT_MACHINE_PTA at worst O(letters log
 * letters). Memory, in addition to the word set and the machine: 60 bytes per word, and 9
 * bytes per letter, or 29 if most states are distinct. With more than 254 distinct letters,
 * the bytes per letter are 10 to 13 instead of 9, and 30 instead of 29; with more than
 * 65,279, they are 15 and 32. With KT_MACHINE_PTA: 37 bytes per node of the tree, or 53 if
 * most states are distinct. May run a second thread, which ends before the function
 * returns.
 */
KT_EXPORT int kt_infer(struct kt_fsm **out, const kt_words *words,
		       const struct kt_infer_options *options);

#ifdef __cplusplus
}
#endif
#endif
