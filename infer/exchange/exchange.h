/* SPDX-License-Identifier: MIT */
/*
 * Machines and words in the formats of other programs, see ktail-exchange(5). Calls on
 * different objects may run concurrently.
 */
#ifndef KTAIL_EXCHANGE_H
#define KTAIL_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export.h"
#include "fsm.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Value of "machine" for a machine read from another program's file. */
#define KT_FSM_IMPORTED "imported"

/* The program that a DOT file is written for. */
enum kt_dot_dialect {
	KT_DOT_KTAIL = 0, /* has all that fsm.json has, so it reads back unchanged */
	KT_DOT_AALPY,     /* a DFA as AALpy saves and loads it */
	KT_DOT_LEARNLIB,  /* a DFA as LearnLib's AutomataLib writes and parses it */
	KT_DOT_NAMES, /* like KT_DOT_KTAIL, but for people: the label of an edge is the name
		       * of its letter; the attribute `letter` of the edge is the letter */
};

/*
 * Writes the dialect named "ktail", "aalpy" or "learnlib" to *out. KT_E_USAGE if there is
 * no such dialect.
 */
KT_EXPORT int kt_dot_dialect_of(const char *name, enum kt_dot_dialect *out);

/*
 * Writes a machine as a DOT file for programs: every state, every transition, no drawing.
 * Files in the dialects of AALpy and LearnLib represent only the language of the machine,
 * and all their states accept. The label of an edge is its letter. With KT_DOT_NAMES, if
 * the letter has a name, the label is the name and the edge's attribute `letter` is the
 * letter.
 *
 * KT_E_USAGE with KT_DOT_AALPY if a letter contains a quotation mark or a backslash, has a
 * blank at an end, or has braces around it, since AALpy's reader would change the letter.
 * KT_E_USAGE with KT_DOT_LEARNLIB if a letter has a blank at an end. KT_E_USAGE with both
 * dialects if the machine is a difference of two machines. O(size).
 */
KT_EXPORT int kt_fsm_write_dot(const struct kt_fsm *fsm, enum kt_dot_dialect dialect,
			       FILE *out);

/*
 * Reads a machine from a DOT file of any dialect; `name` is used in messages. A file in the
 * dialect "ktail" reads back completely, and is checked as kt_fsm_read_json() checks
 * fsm.json. The caller owns *out; it is NULL on failure.
 *
 * Any other file gives an imported machine: "machine" is KT_FSM_IMPORTED, k and counts are
 * missing, and the states that are reachable from the start are numbered breadth first. The
 * start is the target of an unlabelled edge that is the only edge from its source node, if
 * no edge leads to that node. If any state is a doublecircle, all states of other shapes
 * reject, and transitions to states from which no word is accepted are dropped; otherwise
 * all states accept. The letter of an edge is the edge's attribute `letter` or, without
 * this attribute, the edge's label. For a Mealy or Moore machine, the letter is
 * `input/output`. The output of a Moore machine is that of the edge's target state.
 *
 * KT_E_MALFORMED if the file is not a directed graph, is a drawing by ktail-render, does
 * not have exactly one start, is not deterministic, or if a rejecting state leads to an
 * accepting one (the languages of our machines are prefix-closed). O(size log size); uses a
 * third more memory than kt_fsm_read_json().
 */
KT_EXPORT int kt_fsm_read_dot(struct kt_fsm **out, FILE *in, const char *name);

/*
 * Writes the contents of fsm.json as GraphML. KT_E_USAGE if XML cannot represent a letter.
 * O(size).
 */
KT_EXPORT int kt_fsm_write_graphml(const struct kt_fsm *fsm, FILE *out);

/*
 * Reads the output of kt_fsm_write_graphml(), also after another program has read it and
 * saved it with all its data. Opens no other file, and refuses document type declarations.
 * `name` is used in messages. The caller owns *out; it is NULL on failure. KT_E_MALFORMED
 * if the file is anything else. O(size log size).
 */
KT_EXPORT int kt_fsm_read_graphml(struct kt_fsm **out, FILE *in, const char *name);

/*
 * Writes words in the Abbadingo format, each as a positive example; their names, losses and
 * truncation are not written. ASCII letters and digits in the name of a letter are kept;
 * any other byte becomes _XX (two lower-case hexadecimal digits), since FlexFringe accepts
 * no other symbols. O(letters).
 */
KT_EXPORT int kt_words_write_abbadingo(const kt_words *words, FILE *out);

struct kt_abbadingo_report {
	uint64_t words;      /* examples read as words */
	uint64_t negative;   /* examples skipped because their label is 0 */
	uint64_t unlabelled; /* examples skipped because their label is -1 */
	uint64_t attributes; /* symbols whose attributes or data were dropped */
};

/*
 * Appends the examples of an Abbadingo file, or of FlexFringe's variants of the format, as
 * words named NAME.0, NAME.1, ..., where NAME is `name`; `path` is used in messages, and
 * report may be NULL.
 *
 * KT_E_MALFORMED if a line is invalid, or if the number of examples is not the number that
 * the first line states; the set then keeps the words read so far. O(letters).
 */
KT_EXPORT int kt_words_read_abbadingo(kt_words *words, FILE *in, const char *path,
				      const char *name, struct kt_abbadingo_report *report);

#ifdef __cplusplus
}
#endif
#endif
