/* SPDX-License-Identifier: MIT */
/*
 * k-tail inference (Biermann and Feldman 1972, in the reading of Menychtas, Shen and Scott,
 * USENIX ATC 2013): words in, a deterministic machine out.
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
	KT_MACHINE_CHAINS = 0, /* a chain a word, from one start state */
	KT_MACHINE_PTA = 1,    /* the prefix tree of the words */
};

struct kt_infer_options {
	uint64_t k;                /* length of the tails that decide; 0 merges all */
	enum kt_machine machine;   /* the canonical machine to begin with */
	const char *word;          /* Weak: recorded in the machine: "process", ... */
	const char *alphabet_json; /* Weak: recorded in the machine; NULL: none */
};

#define KT_INFER_OPTIONS_INIT                                                              \
	{                                                                                  \
		.k = 0, .machine = KT_MACHINE_CHAINS, .word = "process"                    \
	}

/*
 * Builds the canonical machine of the words, merges states of equal k-tails, determinises,
 * numbers the states canonically and checks conservation.
 *
 * The result depends on the words alone, not on their order nor on letter numbers; equal
 * words are listed by name, hash, letters, loss, completeness, then a known beginning
 * first, then a known end. The caller owns *out; on failure it is NULL. KT_E_EMPTY when
 * there are no words, KT_E_USAGE when there are more letters than the engine can number
 * (2^31 for up to 254 kinds, half as many for up to 65,534, and so on) or k is more than
 * an int64_t holds, KT_E_INTERNAL when a check of the result fails.
 *
 * Time: near linear in the letters, whatever k. Memory besides the word set and the
 * machine: 9 bytes a letter (10 to 13 with more than 254 kinds, 15 with more than 65,279),
 * and 29 (30, 32) when most states are distinct; 60 a word. From the prefix tree O(letters
 * log letters) at worst; 37 bytes a node of the tree, and 53 when most states are distinct.
 * A thread may be used while the function runs; none is left behind.
 */
KT_EXPORT int kt_infer(struct kt_fsm **out, const kt_words *words,
		       const struct kt_infer_options *options);

#ifdef __cplusplus
}
#endif
#endif
