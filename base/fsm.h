/* SPDX-License-Identifier: MIT */
/*
 * A finite state machine in memory, with the contents of fsm.json ("ktail-fsm/1", see
 * ktail-fsm(5)). Callers may read all members. State ids are 0..n_states-1 in canonical
 * order.
 */
#ifndef KTAIL_FSM_H
#define KTAIL_FSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export.h"
#include "versions.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KT_FSM_FORMAT "ktail-fsm/1"

struct kt_fsm_word {
	char *name;      /* Owned by this */
	uint64_t events; /* number of letters */
	uint64_t lost;   /* events known to be missing before or within the word */
	uint32_t entry;  /* the state in which the word begins */
	uint32_t exit;   /* the state in which the word ends */
	bool complete;   /* not truncated at either end */
	char hash[33];   /* XXH3-128 of the letters, each followed by a newline; hex,
			  * NUL-terminated */
};

/* In a machine "diff": the origin of a state or transition. */
enum kt_presence {
	KT_PRESENCE_NONE, /* the machine is not a "diff" */
	KT_PRESENCE_BOTH,
	KT_PRESENCE_OLD,
	KT_PRESENCE_NEW,
};

struct kt_fsm_state {
	uint64_t visits;   /* how often words visit the state */
	uint64_t ends;     /* words that end in this state and are not truncated there */
	char **points;     /* Owned by this: program points that the state represents, in
			    * byte order */
	uint32_t n_points; /* 0 in an inferred machine */
	enum kt_presence presence;
	/*
	 * Owned by this: the meaning of the state, and the phase of the program to which
	 * the state belongs. NULL: not annotated.
	 */
	char *label;
	char *phase;
	double label_share; /* share (0 to 1) of `label` in the labelled visits; 0: unknown
			     */
};

struct kt_fsm_transition {
	uint32_t from;
	uint32_t letter; /* index into letters */
	uint32_t to;
	enum kt_presence presence;
	uint64_t count;     /* how often the transition was taken */
	char *label;        /* Owned by this: the meaning; NULL: not annotated */
	double label_share; /* share (0 to 1) of `label` in the labelled count; 0: unknown
			     */
	/*
	 * number of requests that the transition hands to the GPU, and number of requests
	 * whose completion it observes; 0: unknown
	 */
	uint64_t initiates;
	uint64_t notices;
};

/*
 * The id of a state, or the count of a transition, in each of the two machines of a "diff";
 * 0 for a machine that does not have the state or transition.
 */
struct kt_fsm_origin {
	uint64_t in_old;
	uint64_t in_new;
};

struct kt_fsm {
	uint64_t k;
	bool no_k; /* "k" is null: "truth", "imported", or "diff" of machines with unequal k
		    */
	char *machine; /* Owned by this: "chains", "pta", "truth", "imported" or "diff" */
	bool gate;     /* checked words must end where complete words of the machine end */
	char *word;    /* Owned by this: "process", "thread", "channel" or "unknown" */
	char *alphabet_json; /* Owned by this: {"name","rules",...} as JSON text, or NULL */
	char **letters;      /* Owned by this, in byte order */
	size_t n_letters;
	/* Owned by this: displayed name of each letter, NULL for a letter without a name.
	 * `names` is NULL if no letter has a name. */
	char **names;
	struct kt_versions
		versions;          /* of the recorded software and hardware; may be empty */
	struct kt_fsm_word *words; /* Owned by this */
	size_t n_words;
	uint32_t start;
	struct kt_fsm_state *states; /* Owned by this */
	size_t n_states;
	struct kt_fsm_transition *transitions; /* Owned by this, sorted by from, letter,
						* to */
	size_t n_transitions;
	/* Owned by this, parallel to states and transitions; NULL except in a "diff". */
	struct kt_fsm_origin *state_origins;
	struct kt_fsm_origin *transition_origins;
};

/* Creates an empty machine with all members zero. The caller owns *out. KT_E_MEMORY. */
KT_EXPORT int kt_fsm_new(struct kt_fsm **out);

/* Frees the machine and everything it owns. NULL is allowed. */
KT_EXPORT void kt_fsm_free(struct kt_fsm *fsm);

/* Returns the name of a letter, or the letter itself if the letter has no name. O(1). */
KT_EXPORT const char *kt_fsm_letter_name(const struct kt_fsm *fsm, size_t letter);

/* Returns the index of a letter, or SIZE_MAX if there is no such letter. O(log letters). */
KT_EXPORT size_t kt_fsm_find_letter(const struct kt_fsm *fsm, const char *letter);

/* Sets the name of a letter to a copy of `name`. KT_E_MEMORY. */
KT_EXPORT int kt_fsm_set_name(struct kt_fsm *fsm, size_t letter, const char *name);

/* Removes all names: the machine shows the letters themselves. */
KT_EXPORT void kt_fsm_clear_names(struct kt_fsm *fsm);

/*
 * Counts states with more than one incoming or more than one outgoing transition. O(size).
 * KT_E_MEMORY.
 */
KT_EXPORT int kt_fsm_count_complex(const struct kt_fsm *fsm, size_t *out);

/* Writes the machine as JSON. Equal machines give identical bytes. KT_E_IO. */
KT_EXPORT int kt_fsm_write_json(const struct kt_fsm *fsm, FILE *out);

/* Returns "both", "old" or "new", in static storage; NULL for KT_PRESENCE_NONE. */
KT_EXPORT const char *kt_presence_name(enum kt_presence presence);

/*
 * Checks that the origins of a "diff" are consistent: every state and transition has an
 * origin; a machine that has a transition also has its two states; both machines are
 * deterministic; no two states have the same id in one machine; each count is the sum of
 * the counts in the two machines. O(size). KT_E_MALFORMED, KT_E_MEMORY.
 */
KT_EXPORT int kt_fsm_check_presence(const struct kt_fsm *fsm);

/*
 * Reads a machine from JSON and checks its format, the ranges of ids, the order, and the
 * conservation of counts. A "diff" is checked with kt_fsm_check_presence() instead of the
 * conservation of counts. Skips unknown members. `name` is used in messages. The caller
 * owns *out, which is NULL on failure. KT_E_IO, KT_E_MEMORY; KT_E_MALFORMED if the file is
 * invalid.
 */
KT_EXPORT int kt_fsm_read_json(struct kt_fsm **out, FILE *in, const char *name);

#ifdef __cplusplus
}
#endif
#endif
