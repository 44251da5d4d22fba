/* SPDX-License-Identifier: MIT */
/*
 * The distilled machine: the states of a machine merged by what they mean into a few, as
 * figure 4 of Menychtas, Shen and Scott (USENIX ATC 2013) shows them, with the API calls
 * beside them. "ktail-distilled/1", see ktail-distilled(5).
 *
 * A state of the machine is what its letters do, and the busiest ones stand for several
 * things at once (the one that commands are written in and completion is polled in). So
 * each state is first split by the meaning of the letters that lead to it, and what has the
 * same meaning is merged: each visit of a state belongs to exactly one distilled state. The
 * result is the quotient of the words as the machine reads them, and is not determinised.
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

/* A letter of a word, as it is read. Texts are numbers in one set of texts. */
struct kt_distil_step {
	uint64_t word;       /* ascending */
	uint64_t call_id;    /* of the innermost call; 0: outside of calls */
	uint32_t tid;        /* the thread: what belongs together is of one */
	uint32_t transition; /* of the machine */
	uint32_t label;      /* or KT_NO_TEXT */
	uint32_t call;       /* its name, or KT_NO_TEXT */
	enum kt_label_role role;
	enum kt_api_phase phase;
	bool doorbell;
};

/* The words, by number. */
struct kt_distil_word {
	bool end; /* its end is known */
};

struct kt_distil_input {
	const struct kt_fsm *fsm;           /* Weak */
	const struct kt_texts *texts;       /* Weak */
	const struct kt_distil_step *steps; /* Weak: word by word, in order */
	size_t n_steps;
	const struct kt_distil_word *words; /* Weak: those without a step too */
	size_t n_words;
};

/* So often a text, in a distilled state; for API calls, of how many calls. */
struct kt_distilled_count {
	uint32_t
		text; /* KT_NO_TEXT: outside of calls; a letter's is its index in the fsm */
	uint64_t count;
	uint64_t calls;
};

/* Visits of a state of the machine that were merged, all for one reason. */
struct kt_distilled_merge {
	uint32_t state;
	uint32_t label;     /* or KT_NO_TEXT */
	const char *reason; /* Static */
	uint64_t visits;
};

struct kt_distilled_list {
	struct kt_distilled_count *items; /* Owned by this; most first, then by number */
	size_t n;
	size_t capacity;
};

struct kt_distilled_state {
	enum kt_distilled_kind kind;
	uint64_t visits;
	uint64_t by_phase[KT_API_PHASE_DESTROY + 1];
	struct kt_distilled_list labels;
	struct kt_distilled_list letters;
	struct kt_distilled_list calls;
	struct kt_distilled_merge *merges; /* Owned by this; by state, label, reason */
	size_t n_merges;
};

struct kt_distilled {
	uint64_t letters;
	uint64_t words;
	uint64_t ended; /* words whose end is known */
	struct kt_distilled_state states[KT_DISTILLED_KINDS];
	/* How often one came after the other. */
	uint64_t counts[KT_DISTILLED_KINDS][KT_DISTILLED_KINDS];
};

/*
 * Distils. `begin` is visited once a word, `end` once a word whose end is known, the others
 * once a letter: the counts are conserved, and checked (KT_E_INTERNAL). The caller owns
 * *out, and frees it with kt_distilled_free(). KT_E_MEMORY. O(steps log steps +
 * steps * threads of a word).
 */
int kt_distil(struct kt_distilled **out, const struct kt_distil_input *input);

/* NULL is allowed. */
void kt_distilled_free(struct kt_distilled *distilled);

/* What stands beside a distilled machine when it is written. */
struct kt_distilled_origin {
	const struct kt_fsm *fsm;     /* Weak */
	const struct kt_texts *texts; /* Weak */
	const char *const *traces;    /* Weak */
	size_t n_traces;
	uint64_t unplaced; /* letters of the traces that are not in it */
	bool calls;        /* the traces have API calls */
};

/* Write it as JSON, or as a report. KT_E_IO, KT_E_MEMORY. */
int kt_distilled_write_json(FILE *out, const struct kt_distilled *distilled,
			    const struct kt_distilled_origin *origin);
int kt_distilled_write_text(FILE *out, const struct kt_distilled *distilled,
			    const struct kt_distilled_origin *origin);

#endif
