/* SPDX-License-Identifier: MIT */
/* What is behind kt_diff, for the engine's own eyes. */
#ifndef KTAIL_ENGINE_DIFFERENCE_H
#define KTAIL_ENGINE_DIFFERENCE_H

#include <ktail/diff.h>

#include "infer/compare/match.h"
#include "infer/compare/sequences.h"

struct kt_diff {
	kt_compare *compare; /* Owned by this */
	struct kt_match match;
	struct kt_sequences sequences;
	struct kt_diff_summary summary;
	struct kt_fsm *machine; /* Owned by this */
	uint32_t *id[2];        /* Owned by this: of each machine's states, the one in it */
};

#endif
