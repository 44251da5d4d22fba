/* SPDX-License-Identifier: MIT */
/*
 * Merges distilled machines, for example of several programs, GPUs or drivers. The result
 * shows what all of them do, and what only some do.
 */
#ifndef KTAIL_INFER_MERGE_DISTILLED_H
#define KTAIL_INFER_MERGE_DISTILLED_H

#include "base/distilled/read-distilled.h"

/*
 * Merges machines: states with the same name in the same column become one, and counts are
 * added up. Sets (`in`) say which machines have a state, a transition, and a letter of a
 * transition. Letters are compared, not their names, which some files lack. names[i] is the
 * name of machine i; it is not used if the machine is itself a merged one.
 *
 * KT_E_USAGE, naming the machines, if only some of them have the system's column, if a
 * column begins or ends with different states, or if there are more than
 * KT_DISTILLED_MACHINES; KT_E_MALFORMED if counts are too large to add up; KT_E_MEMORY. The
 * caller frees *out with kt_distilled_view_free(). O(n * (states^2 + transitions *
 * states + lines * log(lines))).
 */
int kt_distilled_merge(struct kt_distilled_view **out,
		       struct kt_distilled_view *const *machines, const char *const *names,
		       size_t n);

#endif
