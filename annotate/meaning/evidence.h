/* SPDX-License-Identifier: MIT */
/* Keeps the first events of each state and transition as examples. */
#ifndef KTAIL_ANNOTATE_EVIDENCE_H
#define KTAIL_ANNOTATE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/texts.h"

struct kt_example {
	uint32_t owner;      /* number of a state or transition */
	size_t trace;        /* index of the trace */
	uint64_t seq;        /* sequence number of the event in its process */
	uint64_t time;       /* ns since the first event of the trace */
	const char *process; /* Weak: name of the process, owned by the evidence */
};

struct kt_evidence {
	struct kt_texts processes;
	size_t most;     /* maximum number of examples of an owner */
	/*
	 * Owned by this: number of examples of each owner; after kt_evidence_sort(), the index
	 * after the owner's last example.
	 */
	uint32_t *found;
	size_t n_owners;
	struct kt_example *examples; /* Owned by this; after kt_evidence_sort(), by owner */
	size_t n;
	size_t capacity;
};

/* Initialises *out for at most `most` examples of each owner. KT_E_MEMORY. */
int kt_evidence_make(struct kt_evidence *out, size_t n_owners, size_t most);

/*
 * Adds an example with a copy of `process`, unless its owner already has the maximum number.
 * KT_E_MEMORY. O(1), amortised.
 */
int kt_evidence_add(struct kt_evidence *evidence, const struct kt_example *example,
		    const char *process);

/* Sorts the examples. Call once; nothing may be added afterwards. */
void kt_evidence_sort(struct kt_evidence *evidence);

/*
 * Sets the member "evidence" of an object, unless the owner has no example. `traces` contains
 * the path of each trace. Call only after kt_evidence_sort(). KT_E_MEMORY.
 */
int kt_evidence_json(const struct kt_evidence *evidence, uint32_t owner,
		     const char *const *traces, json_t *object);

void kt_evidence_free(struct kt_evidence *evidence);

#endif
