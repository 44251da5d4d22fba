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
	KT_DOT_KTAIL = 0, /* everything in fsm.json: reads back unchanged */
	KT_DOT_AALPY,     /* a DFA as AALpy saves and loads it */
	KT_DOT_LEARNLIB,  /* a DFA as LearnLib's AutomataLib writes and parses it */
	KT_DOT_NAMES, /* like KT_DOT_KTAIL, but for people: an edge's label is the letter's
			 name, its attribute `letter` is the letter */
};

/*
 * Writes the dialect named "ktail", "aalpy" or "learnlib" to *out. KT_E_USAGE if there is
 * no such dialect.
 */
KT_EXPORT int kt_dot_dialect_of(const char *name, enum kt_dot_dialect *out);

/*
 * Writes a machine as a DOT file for programs: every state, every transition, no drawing.
 * The dialects of AALpy and LearnLib contain the language alone; all states accept. The
 * label of an edge is its letter; with KT_DOT_NAMES it is the name of a letter that has
 * one, and the attribute `letter` is the letter.
 *
 * KT_E_USAGE if AALpy's reader would change a letter: one with a quotation mark, a
 * backslash, blanks at an end, or braces around it. O(size).
 */
KT_EXPORT int kt_fsm_write_dot(const struct kt_fsm *fsm, enum kt_dot_dialect dialect,
			       FILE *out);

/*
 * Reads a machine from a DOT file of any dialect; `name` is used in messages. The dialect
 * "ktail" is checked like fsm.json in kt_fsm_read_json(), and reads back completely. The
 * caller owns *out; it is NULL on failure.
 *
 * Any other file gives an imported machine: "machine" is KT_FSM_IMPORTED, there are no k
 * and no counts, and states are numbered breadth first from the start, without unreachable
 * ones. An unlabelled edge that is the only edge of its tail marks the start. If some state
 * is a doublecircle, all others reject, and transitions to states from which no word is
 * accepted are dropped; otherwise all states accept. The letter of an edge is its attribute
 * `letter` or, without one, its label. In a Mealy or Moore machine it is `input/output`,
 * where the output of a Moore machine is that of the edge's target state.
 *
 * KT_E_MALFORMED if the file is not a directed graph, does not have exactly one start, is
 * not deterministic, or if a rejecting state leads to an accepting one (the languages of
 * our machines are prefix-closed). O(size log size); uses a third more memory than
 * kt_fsm_read_json().
 */
KT_EXPORT int kt_fsm_read_dot(struct kt_fsm **out, FILE *in, const char *name);

/*
 * Writes everything in fsm.json as GraphML. KT_E_USAGE if XML cannot represent a letter.
 * O(size).
 */
KT_EXPORT int kt_fsm_write_graphml(const struct kt_fsm *fsm, FILE *out);

/*
 * Reads the output of kt_fsm_write_graphml(), also if another program has read it and saved
 * it with all its data. Opens no other file, and refuses document types. The caller owns
 * *out; it is NULL on failure. KT_E_MALFORMED if the file is anything else. O(size log
 * size).
 */
KT_EXPORT int kt_fsm_read_graphml(struct kt_fsm **out, FILE *in, const char *name);

/*
 * Writes words in the Abbadingo format, each as a positive example, without names, losses
 * and truncation. Letters and digits of a letter's name are kept; any other byte becomes
 * _XX (two lower-case hexadecimal digits), since FlexFringe accepts no other symbols.
 * O(letters).
 */
KT_EXPORT int kt_words_write_abbadingo(const kt_words *words, FILE *out);

struct kt_abbadingo_report {
	uint64_t words;      /* examples read as words */
	uint64_t negative;   /* examples skipped for their label 0 */
	uint64_t unlabelled; /* examples skipped for their label -1 */
	uint64_t attributes; /* symbols whose attributes or data were dropped */
};

/*
 * Appends the examples of an Abbadingo file, or of FlexFringe's variants of the format, as
 * words named NAME.0, NAME.1, ...; `path` is used in messages, and report may be NULL.
 *
 * KT_E_MALFORMED if a line is invalid or the first line states another number of examples;
 * the set then keeps the words read so far. O(letters).
 */
KT_EXPORT int kt_words_read_abbadingo(kt_words *words, FILE *in, const char *path,
				      const char *name, struct kt_abbadingo_report *report);

#ifdef __cplusplus
}
#endif
#endif
