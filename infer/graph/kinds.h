/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_GRAPH_KINDS_H
#define KTAIL_GRAPH_KINDS_H

#include <stdint.h>

#include <ktail/fsm.h>

#include "infer/graph/components.h"

/*
 * Where each kind of letter is taken, however often it comes: how many letters there are
 * of a kind says how long something was waited for, not how much of the work it is.
 */
struct kt_kinds {
	uint64_t repeated; /* kinds that come twice a word or more, on average */
	uint64_t cycles;   /* of these: more than half on cycles through more than one
			      state */
};

/* KT_E_MEMORY. O(transitions + letters). */
int kt_kinds_count(struct kt_kinds *out, const struct kt_fsm *fsm,
		   const struct kt_components *components);

#endif
