/* SPDX-License-Identifier: MIT */
/* The reference's representation of the canonical machine. */
#ifndef KTAIL_TESTS_ENGINE_REFERENCE_INTERNAL_H
#define KTAIL_TESTS_ENGINE_REFERENCE_INTERNAL_H

#include "reference.h"

struct reference_word {
	const char *name;
	uint64_t lost;
	bool cut_begin;
	bool cut_end;
	size_t n;
	uint32_t *letters;
	uint32_t *states; /* n + 1: states[i] is the state before letters[i] */
	char hash[33];
};

struct reference_state {
	const struct reference_word *word; /* NULL: the start */
	size_t position;
};

/*
 * A node of a prefix tree. Node 0 is the start, which is never a child, so 0 means "none"
 * where a child is expected.
 */
struct reference_node {
	uint32_t letter;
	uint32_t child;   /* the child with the first letter */
	uint32_t sibling; /* the next child of the same parent, by letter */
	bool cut_end;     /* some word is cut here */
};

struct reference {
	const kt_words *set;
	enum kt_machine machine;
	struct reference_word *words; /* in the order of fsm.json */
	size_t n_words;
	char **letters; /* in byte order; words hold indices into this array */
	size_t n_letters;
	struct reference_state *states; /* states of the chains; 0 is the start */
	struct reference_node *nodes;   /* nodes of the prefix tree; 0 is the start */
	size_t n_states;

	uint64_t k;
	uint32_t *tails;     /* number of the k-tail of each state */
	uint32_t *old_tails; /* the same for the previous k */
	uint32_t *merged;    /* by state, the state that it was merged into */
	uint64_t *seen;      /* by state and letter: see merge_targets(), list_targets() */
	uint32_t *sorted;
	struct kt_fsm *fsm;
};

void *reference_allocate(size_t n, size_t size);

/* Returns whether a state's k-tail depends on letters that were lost. */
bool reference_tail_is_unknown(const struct reference *reference, uint32_t state);

/* Functions particular to the prefix tree. */
void reference_build_tree(struct reference *reference);
bool reference_tree_tail_is_unknown(const struct reference *reference, uint32_t state);
void reference_number_tree_tails(struct reference *reference);

#endif
