/* SPDX-License-Identifier: MIT */
/*
 * A finite state machine as the tools hand it around: what fsm.json says
 * ("ktail-fsm/1", see ktail-fsm(5)), in memory. Plain data; code that has a kt_fsm may read
 * every member. State ids are 0..n_states-1 in canonical order.
 */
#ifndef KTAIL_FSM_H
#define KTAIL_FSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KT_FSM_FORMAT "ktail-fsm/1"

struct kt_fsm_word {
	char *name;      /* Owned by this */
	uint64_t events; /* its letters */
	uint64_t lost;   /* events known to be missing before or within it */
	uint32_t entry;  /* state it begins in */
	uint32_t exit;   /* state its last letter leads to */
	bool complete;   /* neither its beginning nor its end is cut */
	char hash[33];   /* XXH3-128 of its letters, a newline after each; hex, NUL-ended */
};

/* In a machine "diff": which of the two machines has a state or transition. */
enum kt_presence {
	KT_PRESENCE_NONE, /* the machine is none of two */
	KT_PRESENCE_BOTH,
	KT_PRESENCE_OLD,
	KT_PRESENCE_NEW,
};

struct kt_fsm_state {
	uint64_t visits;   /* how often a word was in it */
	uint64_t ends;     /* words whose end is known and is here */
	char **points;     /* Owned by this: program points it stands for, in byte order */
	uint32_t n_points; /* 0 in a machine that was inferred */
	enum kt_presence presence;
	/* What the state means, in a person's words, and which phase of the program's life
	 * it is in; owned by this, NULL in a machine that was not annotated. */
	char *label;
	char *phase;
};

struct kt_fsm_transition {
	uint32_t from;
	uint32_t letter; /* index into letters */
	uint32_t to;
	enum kt_presence presence;
	uint64_t count; /* how often it was taken */
	char *label;    /* Owned by this: what it means; NULL: not annotated */
};

/* What the two machines of a "diff" have for a state (its id there) or transition (its
 * count there); 0 for the one that does not have it. */
struct kt_fsm_origin {
	uint64_t in_old;
	uint64_t in_new;
};

struct kt_fsm {
	uint64_t k;
	bool no_k; /* "k" is null: "truth", "imported" (no counts), or "diff" of two k */
	char *machine; /* Owned by this: "chains", "pta", "truth", "imported" or "diff" */
	char *word;    /* Owned by this: "process", "thread", "channel" or "unknown" */
	char *alphabet_json; /* Owned by this: {"name","rules",...} as JSON text, or NULL */
	char **letters;      /* Owned by this, in byte order */
	size_t n_letters;
	/* Owned by this: what a person reads instead of each letter, NULL where the letter
	 * says it itself; NULL where none has a name. */
	char **names;
	struct kt_fsm_word *words; /* Owned by this */
	size_t n_words;
	uint32_t start;
	struct kt_fsm_state *states; /* Owned by this */
	size_t n_states;
	struct kt_fsm_transition *transitions; /* Owned by this; by from, letter, to */
	size_t n_transitions;
	/* Beside states and transitions, and owned by this; NULL in all but a "diff". */
	struct kt_fsm_origin *state_origins;
	struct kt_fsm_origin *transition_origins;
};

/* An empty machine, all members zero. The caller owns it. */
KT_EXPORT int kt_fsm_new(struct kt_fsm **out);

/* Frees the machine and all it owns. NULL is allowed. */
KT_EXPORT void kt_fsm_free(struct kt_fsm *fsm);

/* What a person reads for a letter: its name, or the letter where it has none. O(1). */
KT_EXPORT const char *kt_fsm_letter_name(const struct kt_fsm *fsm, size_t letter);

/* The index of a letter, or SIZE_MAX. O(log letters). */
KT_EXPORT size_t kt_fsm_find_letter(const struct kt_fsm *fsm, const char *letter);

/*
 * Gives a letter a name, which is copied; a name that it has is replaced. KT_E_MEMORY.
 */
KT_EXPORT int kt_fsm_set_name(struct kt_fsm *fsm, size_t letter, const char *name);

/* Takes all names away: the machine shows the letters themselves. */
KT_EXPORT void kt_fsm_clear_names(struct kt_fsm *fsm);

/* States with more than one incoming or more than one outgoing transition. O(size). */
KT_EXPORT int kt_fsm_count_complex(const struct kt_fsm *fsm, size_t *out);

/* Writes the machine as JSON; the same machine gives the same bytes. */
KT_EXPORT int kt_fsm_write_json(const struct kt_fsm *fsm, FILE *out);

/* "both", "old" or "new"; NULL for KT_PRESENCE_NONE. Static storage. */
KT_EXPORT const char *kt_presence_name(enum kt_presence presence);

/*
 * Whether the sides of a "diff" fit together: everything has one; a transition is in no
 * machine that lacks one of its states; the machines that the sides are of are
 * deterministic; no two states are the same state of one machine; counts are sums.
 * O(size). KT_E_MALFORMED, KT_E_MEMORY.
 */
KT_EXPORT int kt_fsm_check_presence(const struct kt_fsm *fsm);

/*
 * Reads a machine from JSON and checks it: format, ids in range, order, conservation (of a
 * "diff" instead kt_fsm_check_presence()).
 * Unknown members are skipped. `name` stands in messages. KT_E_MALFORMED on anything else.
 */
KT_EXPORT int kt_fsm_read_json(struct kt_fsm **out, FILE *in, const char *name);

#ifdef __cplusplus
}
#endif
#endif
