/* SPDX-License-Identifier: MIT */
/*
 * The contents of the JSON of a distilled machine ("ktail-distilled/1") in memory, to be
 * drawn, merged or compared.
 */
#ifndef KTAIL_BASE_READ_DISTILLED_H
#define KTAIL_BASE_READ_DISTILLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <ktail/versions.h>

#include "base/option-table.h"

#define KT_DISTILLED_FORMAT "ktail-distilled/1"

/* The maximum number of states of a column. */
#define KT_DISTILLED_STATES 64

/*
 * The maximum number of machines in a merged one. A set of them is a uint64_t, in which bit
 * i stands for machine i; it is empty if the machine is not a merged one.
 */
#define KT_DISTILLED_MACHINES 64

/* A line in a list: a label, a letter, an API call, or a state of the other column. */
struct kt_distilled_line {
	/* Owned by this; NULL: letters without a label, or outside of API calls */
	char *text;
	char *letter;   /* Owned by this: the letter, if `text` is its name; else NULL */
	uint64_t in;    /* set of machines, for a letter of an arrow */
	uint64_t count; /* number of letters */
	uint64_t calls; /* number of calls, if the line is an API call */
};

struct kt_distilled_lines {
	struct kt_distilled_line *items; /* Owned by this */
	size_t n;
	uint64_t more; /* number of further lines, which the JSON does not list */
	/*
	 * the JSON does not have the list, so it is not known whether there are further
	 * lines
	 */
	bool open;
};

struct kt_distilled_box {
	char *name; /* Owned by this */
	bool paper; /* the state is also in figure 4 of Menychtas, Shen and Scott (2013) */
	uint64_t visits;
	uint64_t in; /* set of machines */
	struct kt_distilled_lines phases;
	struct kt_distilled_lines system;
	struct kt_distilled_lines letters;
	struct kt_distilled_lines user;
	/*
	 * in the system's column: states of the user's column during which the letters
	 * occur
	 */
	struct kt_distilled_lines during;
	/* number of states of the machine that were merged into this, wholly or partly */
	uint64_t merged;
};

struct kt_distilled_arrow {
	uint32_t from;
	uint32_t to;
	uint64_t count;                    /* at least 1 */
	uint64_t in;                       /* set of machines */
	struct kt_distilled_lines letters; /* empty if the file has no letters */
};

/* A column of states: the user's or the system's. */
struct kt_drawn_column {
	/* Owned by this; every word begins in the first */
	struct kt_distilled_box *states;
	size_t n_states;
	struct kt_distilled_arrow *arrows; /* Owned by this; sorted by from, then to */
	size_t n_arrows;
};

struct kt_distilled_view {
	bool no_k;
	uint64_t k;
	uint64_t words;
	uint64_t ended;
	uint64_t letters;
	uint64_t unplaced;
	bool calls;    /* the traces contain API calls */
	char **traces; /* Owned by this */
	size_t n_traces;
	char *alphabet;              /* Owned by this: its name; NULL: unknown */
	struct kt_versions versions; /* Owned by this: of GPU and driver; may be empty */
	/*
	 * Owned by this: names of the merged machines; NULL if the machine is not a merged
	 * one
	 */
	char **machines;
	size_t n_machines;
	struct kt_drawn_column user;   /* at least one state */
	struct kt_drawn_column system; /* has no states if the file does not have this
					* column */
};

/*
 * Reads a distilled machine and checks it. In each column, arrows must connect existing
 * states and be sorted. Each state must be entered as often as it is visited: the first
 * state by every word and by no arrow, all other states by arrows. No state may be left
 * more often than it is visited. The counts of all arrows must add up to the number of
 * letters plus the number of ended words. No two states of a column may have the same name.
 * In a merged machine, each state, each transition and each letter of a transition must
 * have its set of machines.
 *
 * Letters are replaced by their names unless `names` is off. `name` is used in messages.
 * The caller owns *out. KT_E_MALFORMED, KT_E_MEMORY.
 */
int kt_distilled_from_json(struct kt_distilled_view **out, const json_t *root,
			   const char *name, enum kt_names names);

/*
 * Reads a distilled machine from the file `path`, as kt_distilled_from_json() does.
 * KT_E_IO, KT_E_MALFORMED, KT_E_MEMORY.
 */
int kt_distilled_read(struct kt_distilled_view **out, const char *path,
		      enum kt_names names);

/* Returns the number of machines in a set. */
static inline unsigned kt_distilled_count_in(uint64_t in)
{
	return (unsigned)__builtin_popcountll(in);
}

/* Returns whether the set `in` contains only some of several machines. */
static inline bool kt_distilled_is_partial(uint64_t in, size_t n_machines)
{
	return n_machines > 1 && kt_distilled_count_in(in) < n_machines;
}

/* NULL is allowed. */
void kt_distilled_view_free(struct kt_distilled_view *view);

#endif
