/* SPDX-License-Identifier: MIT */
/* A distilled machine as it is drawn: what its JSON says ("ktail-distilled/1"), in memory.
 */
#ifndef KTAIL_VIZ_READ_DISTILLED_H
#define KTAIL_VIZ_READ_DISTILLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/option-table.h"

#define KT_DISTILLED_FORMAT "ktail-distilled/1"

/* More states than this are no distilled machine. */
#define KT_DISTILLED_STATES 64

/* A line beside a state: a label, a letter, or a call of the API. */
struct kt_distilled_line {
	char *text;     /* Owned by this; NULL: no label, or outside of calls */
	uint64_t count; /* of letters */
	uint64_t calls; /* of calls, how many there were */
};

struct kt_distilled_lines {
	struct kt_distilled_line *items; /* Owned by this */
	size_t n;
	uint64_t more; /* that are not listed */
};

struct kt_distilled_box {
	char *name; /* Owned by this */
	bool paper; /* the figure of 2013 has it */
	uint64_t visits;
	char *phase; /* Owned by this: of most letters; NULL: none */
	struct kt_distilled_lines system;
	struct kt_distilled_lines letters;
	struct kt_distilled_lines user;
	uint64_t merged; /* states of the machine that are in it, in parts perhaps */
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
	bool calls;    /* the traces have calls of the API */
	char **traces; /* Owned by this */
	size_t n_traces;
	struct kt_distilled_box *states; /* Owned by this; at least one, the begin first */
	size_t n_states;
	struct kt_distilled_arrow *arrows; /* Owned by this: by from, then to */
	size_t n_arrows;
};

/*
 * Reads and checks: arrows between states that are there, in order; each state but the
 * first is entered as often as it is visited, none is left more often; all arrows together
 * are the letters and the ends. Letters are taken by their names, unless those are off.
 * `name` stands in messages. KT_E_MALFORMED, KT_E_MEMORY.
 */
int kt_distilled_from_json(struct kt_distilled_view **out, const json_t *root,
			   const char *name, enum kt_names names);

/* NULL is allowed. */
void kt_distilled_view_free(struct kt_distilled_view *view);

#endif
