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
 * The result depends on the words alone, not on their order nor on letter numbers. The
 * caller owns *out. KT_E_EMPTY when there are no words, KT_E_INTERNAL when a check of the
 * result fails. Time O(letters + words), whatever k; memory below 40 bytes a letter.
 */
KT_EXPORT int kt_infer(struct kt_fsm **out, const kt_words *words,
		       const struct kt_infer_options *options);

#ifdef __cplusplus
}
#endif
#endif
