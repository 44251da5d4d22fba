/* SPDX-License-Identifier: MIT */
/*
 * The strings of statistics as words for the engine: the paths, and the first and last
 * letters of the words, each once in each role that it has.
 */
#ifndef KTAIL_ENGINE_ASSEMBLE_H
#define KTAIL_ENGINE_ASSEMBLE_H

#include "infer/engine/word-set.h"
#include "infer/merge/kgram-set.h"

/* What a piece is to a word. */
enum kt_role {
	KT_ROLE_START,     /* its beginning at the start, or all of it */
	KT_ROLE_START_CUT, /* all of it, which is cut before its k-th letter or there */
	KT_ROLE_ENTRY,     /* its beginning, where it is a fragment */
	KT_ROLE_END,       /* its last letters, or all of a fragment */
	KT_ROLE_END_CUT,   /* the same before a cut end */
	KT_ROLES,
};

/* A piece in a role: one string for the engine, whatever the number of words. */
struct kt_part {
	uint32_t piece;
	enum kt_role role;
	uint64_t count; /* words */
};

struct kt_assembly {
	const kt_kgrams *kgrams; /* Weak */
	struct kt_part *parts;   /* Owned by this; the words behind the paths */
	size_t n_parts;
	size_t capacity;
	uint32_t *part_of;  /* Owned by this: by piece and role */
	uint32_t *first_of; /* Owned by this: by word, the part it begins with */
	uint32_t *last_of;  /* Owned by this: by word, the part it ends with */
};

/* Finds out which parts there are; kt_assembly_clear() also after a failure. O(words). */
int kt_assemble(struct kt_assembly *assembly, const kt_kgrams *kgrams);

void kt_assembly_clear(struct kt_assembly *assembly);

/*
 * The words: the paths, then the parts, with names such that a machine lists them in this
 * order, and letters that are numbered as those of the statistics. The caller frees *out,
 * also after a failure.
 */
int kt_assembly_words(kt_words **out, const struct kt_assembly *assembly);

/* The letters of a piece, in the strings of the statistics. */
static inline const struct kt_word *kt_kgram_piece(const kt_kgrams *kgrams, uint32_t piece)
{
	return &kgrams->strings->words[kgrams->n_paths + piece];
}

#endif
