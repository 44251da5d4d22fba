/* SPDX-License-Identifier: MIT */
/*
 * A distilled machine to be drawn: the contents of its JSON ("ktail-distilled/1") in
 * memory.
 */
#ifndef KTAIL_VIZ_READ_DISTILLED_H
#define KTAIL_VIZ_READ_DISTILLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/option-table.h"

#define KT_DISTILLED_FORMAT "ktail-distilled/1"

/* The maximum number of states of a distilled machine. */
#define KT_DISTILLED_STATES 64

/* A line in a state's list: a label, a letter, or an API call. */
struct kt_distilled_line {
	char *text;     /* Owned by this; NULL: no label, or outside of calls */
	uint64_t count; /* number of letters */
	uint64_t calls; /* number of calls, if the line is an API call */
};

struct kt_distilled_lines {
	struct kt_distilled_line *items; /* Owned by this */
	size_t n;
	uint64_t more; /* number of further lines, which are not listed */
};

struct kt_distilled_box {
	char *name; /* Owned by this */
	bool paper; /* figure 4 of Menychtas, Shen and Scott (2013) has this state */
	uint64_t visits;
	char *phase; /* Owned by this: the phase with the most letters, or NULL */
	struct kt_distilled_lines system;
	struct kt_distilled_lines letters;
	struct kt_distilled_lines user;
	uint64_t merged; /* number of the machine's states in it, wholly or partly */
};

struct kt_distilled_arrow {
	uint32_t from;
	uint32_t to;
	uint64_t count; /* at least 1 */
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
	struct kt_distilled_box *states; /* Owned by this; at least one: the first is the
					  * beginning */
	size_t n_states;
	struct kt_distilled_arrow *arrows; /* Owned by this; sorted by from, then to */
	size_t n_arrows;
};

/*
 * Reads and checks a distilled machine: arrows connect existing states and are sorted; each
 * state but the first is entered as often as it is visited, and none is left more often;
 * the counts of all arrows add up to the number of letters and ends. Letters are replaced
 * by their names unless `names` is off. `name` is used in messages. The caller owns *out.
 * KT_E_MALFORMED, KT_E_MEMORY.
 */
int kt_distilled_from_json(struct kt_distilled_view **out, const json_t *root,
			   const char *name, enum kt_names names);

/* NULL is allowed. */
void kt_distilled_view_free(struct kt_distilled_view *view);

#endif
