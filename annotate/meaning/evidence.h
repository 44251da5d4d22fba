/* SPDX-License-Identifier: MIT */
/* Examples of what states and transitions stand for: the first ones of each. */
#ifndef KTAIL_ANNOTATE_EVIDENCE_H
#define KTAIL_ANNOTATE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/texts.h"

struct kt_example {
	uint32_t owner;
	size_t trace;        /* index */
	uint64_t seq;        /* of the event, in its process */
	uint64_t time;       /* ns since the first event of the trace */
	const char *process; /* Weak: of the evidence: its name */
};

struct kt_evidence {
	struct kt_texts processes;
	size_t most;     /* of one owner */
	uint32_t *found; /* Owned by this: by owner */
	size_t n_owners;
	struct kt_example *examples; /* Owned by this; by owner once sorted */
	size_t n;
	size_t capacity;
};

/* KT_E_MEMORY. */
int kt_evidence_make(struct kt_evidence *out, size_t n_owners, size_t most);

/* Kept if its owner has not enough of them; `process` is kept. KT_E_MEMORY. O(1). */
int kt_evidence_add(struct kt_evidence *evidence, const struct kt_example *example,
		    const char *process);

/* Nothing is added then. */
void kt_evidence_sort(struct kt_evidence *evidence);

/*
 * Sets the member "evidence" of an object; nothing if there is none. `traces` are the paths
 * by index. After kt_evidence_sort(). KT_E_MEMORY.
 */
int kt_evidence_json(const struct kt_evidence *evidence, uint32_t owner,
		     const char *const *traces, json_t *object);

void kt_evidence_free(struct kt_evidence *evidence);

#endif
