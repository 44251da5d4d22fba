/* SPDX-License-Identifier: MIT */
/*
 * The distilled machine: states of a machine merged by meaning into about a dozen, in two
 * columns as in figure 4 of Menychtas, Shen and Scott (USENIX ATC 2013). The user's column
 * has what the driver does for the program, with the calls of the API; the system's column
 * has the lifetime of a buffer. The format is "ktail-distilled/1", see ktail-distilled(5).
 *
 * A state of the machine has the meaning of its letters, and the busiest states have
 * several meanings at once: for example, commands are written and completion is polled in
 * the same state. Each state is therefore first split by the meaning of the letters that
 * lead to it; then the parts with equal meanings are merged. So each visit of a state
 * belongs to exactly one distilled state of each column. The result is the quotient of the
 * words as the machine reads them; it is not determinised.
 */
#ifndef KTAIL_ANNOTATE_DISTIL_H
#define KTAIL_ANNOTATE_DISTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ktail/fsm.h>

#include "annotate/distil/distil-rules.h"
#include "base/texts.h"

#define KT_DISTILLED_FORMAT "ktail-distilled/1"
#define KT_NO_TEXT          UINT32_MAX

/* A letter of a word. `label` and `call` are indices into kt_distil_input.texts. */
struct kt_distil_step {
	uint64_t word;       /* index of the word; steps are sorted by it */
	uint64_t call_id;    /* id of the innermost call; 0: outside calls */
	uint32_t tid;        /* thread; steps of other threads do not affect the state */
	uint32_t transition; /* index in the machine */
	uint32_t label;      /* label, or KT_NO_TEXT */
	uint32_t call;       /* name of the innermost call, or KT_NO_TEXT */
	enum kt_label_role role;
	enum kt_api_phase phase;
	bool doorbell;
};

/* A word. The index of the word is the `word` of its steps. */
struct kt_distil_word {
	bool end; /* the end of the word is known */
};

struct kt_distil_input {
	const struct kt_fsm *fsm;           /* Weak */
	const struct kt_texts *texts;       /* Weak */
	const struct kt_distil_step *steps; /* Weak: word after word, in order */
	size_t n_steps;
	const struct kt_distil_word *words; /* Weak: includes words without steps */
	size_t n_words;
	const kt_label_rules *rules; /* Weak: the states of the columns */
};

/*
 * A label, a letter or an API function in a distilled state. `count` is how many letters
 * have this label, are this letter or lie in a call of this function; `calls` is the number
 * of calls of the function, otherwise 0.
 */
struct kt_distilled_count {
	/*
	 * A label or call: index among the texts (KT_NO_TEXT: no label, outside calls). A
	 * letter: index in the machine.
	 */
	uint32_t text;
	uint64_t count;
	uint64_t calls;
};

/* Visits of one state of the machine with the same label, merged for the same reason. */
struct kt_distilled_merge {
	uint32_t state;
	uint32_t label;     /* or KT_NO_TEXT */
	const char *reason; /* Static */
	uint64_t visits;
};

struct kt_distilled_list {
	/* Owned by this; sorted by descending count, then by `text`. */
	struct kt_distilled_count *items;
	size_t n;
	size_t capacity;
};

struct kt_distilled_state {
	const char *name; /* Weak: of the rules */
	bool paper;       /* figure 4 of the paper has this state */
	uint64_t visits;
	uint64_t by_phase[KT_API_PHASE_DESTROY + 1];
	struct kt_distilled_list labels;
	struct kt_distilled_list letters;
	struct kt_distilled_list calls;
	/*
	 * In the system's column: in which states the user's column was during the visits;
	 * `text` is the index of such a state.
	 */
	struct kt_distilled_list during;
	struct kt_distilled_merge *merges; /* Owned by this; by state, label, reason */
	size_t n_merges;
};

/* How often one state followed another, and by which letters. */
struct kt_distilled_edge {
	uint64_t count;
	struct kt_distilled_list letters; /* none on edges to the last state */
};

/*
 * Words begin in the first state, which is visited once for each word, and end in the last,
 * which is visited once for each word with a known end; each letter visits one of the other
 * states.
 */
struct kt_distilled_column {
	struct kt_distilled_state *states; /* Owned by this */
	size_t n_states;
	/* Owned by this: n_states * n_states, by source, then by target */
	struct kt_distilled_edge *edges;
};

struct kt_distilled {
	uint64_t letters;
	uint64_t words;
	uint64_t ended; /* words with a known end */
	struct kt_distilled_column columns[KT_COLUMNS];
};

/*
 * Computes the distilled machine. The caller frees *out with kt_distilled_free() while the
 * rules still exist. KT_E_MEMORY; KT_E_INTERNAL if the counts do not add up.
 * O(steps log steps + steps * (rules + threads of a word)).
 */
int kt_distil(struct kt_distilled **out, const struct kt_distil_input *input);

/* Returns the edge between two states of a column. */
static inline struct kt_distilled_edge *
kt_distilled_edge(const struct kt_distilled_column *column, size_t from, size_t to)
{
	return &column->edges[from * column->n_states + to];
}

/* NULL is allowed. */
void kt_distilled_free(struct kt_distilled *distilled);

/* Where a distilled machine came from, for the output files. */
struct kt_distilled_origin {
	const struct kt_fsm *fsm;     /* Weak */
	const struct kt_texts *texts; /* Weak */
	const char *const *traces;    /* Weak */
	size_t n_traces;
	uint64_t unplaced; /* number of letters that are not placed in the machine */
	bool calls;        /* the traces have calls of the API */
};

/* Writes the distilled machine as JSON, or as a text report. KT_E_IO, KT_E_MEMORY. */
int kt_distilled_write_json(FILE *out, const struct kt_distilled *distilled,
			    const struct kt_distilled_origin *origin);
int kt_distilled_write_text(FILE *out, const struct kt_distilled *distilled,
			    const struct kt_distilled_origin *origin);

#endif
