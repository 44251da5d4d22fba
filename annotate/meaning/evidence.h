/* SPDX-License-Identifier: MIT */
/* Examples of the events of states and transitions: the first ones of each. */
#ifndef KTAIL_ANNOTATE_EVIDENCE_H
#define KTAIL_ANNOTATE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/texts.h"

struct kt_example {
	uint32_t owner;
	size_t trace;        /* index of the trace */
	uint64_t seq;        /* of the event, in its process */
	uint64_t time;       /* ns since the first event of the trace */
	const char *process; /* Weak: name of the process, owned by the evidence */
};

struct kt_evidence {
	struct kt_texts processes;
	size_t most;     /* most examples of one owner */
	uint32_t *found; /* Owned by this: number of examples, by owner */
	size_t n_owners;
	struct kt_example *examples; /* Owned by this; by owner once sorted */
	size_t n;
	size_t capacity;
};

/* Initialises *out; free with kt_evidence_free(). KT_E_MEMORY. */
int kt_evidence_make(struct kt_evidence *out, size_t n_owners, size_t most);

/*
 * Adds an example, with a copy of `process`, unless its owner has enough. KT_E_MEMORY.
 * O(1).
 */
int kt_evidence_add(struct kt_evidence *evidence, const struct kt_example *example,
		    const char *process);

/* Sorts the examples; none may be added afterwards. */
void kt_evidence_sort(struct kt_evidence *evidence);

/*
 * Sets the member "evidence" of an object; nothing if the owner has no example. `traces`
 * are the paths by index. After kt_evidence_sort(). KT_E_MEMORY.
 */
int kt_evidence_json(const struct kt_evidence *evidence, uint32_t owner,
		     const char *const *traces, json_t *object);

void kt_evidence_free(struct kt_evidence *evidence);

#endif
