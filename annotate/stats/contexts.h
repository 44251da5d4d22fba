/* SPDX-License-Identifier: MIT */
/*
 * Finds the context of a channel. NVIDIA's user-mode driver allocates one context share for
 * each context, in the first of the context's channel groups. The context's other groups
 * are allocated later, and have no context share (seen with driver 580.159.04). So a group
 * without a context share belongs to the newest context share of its client that existed
 * when the group was allocated.
 */
#ifndef KTAIL_ANNOTATE_CONTEXTS_H
#define KTAIL_ANNOTATE_CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/events/event-fields.h"

/* All zero: nothing known. Free with kt_contexts_free(). */
struct kt_contexts {
	/* Owned by this, with its elements: by ordinal of the process instance; NULL: none
	 */
	struct kt_context_objects **instances;
	size_t n;
	size_t capacity;
};

/* Call for each object of a trace, in order. KT_E_MEMORY. Amortised O(1), expected. */
int kt_contexts_object(struct kt_contexts *contexts, uint64_t instance,
		       const struct kt_object_fields *fields);

/* Returns the handle of the channel's context share; 0: unknown. O(1), expected. */
uint32_t kt_contexts_of(const struct kt_contexts *contexts, uint64_t instance,
			uint32_t client, uint32_t channel);

void kt_contexts_free(struct kt_contexts *contexts);

#endif
