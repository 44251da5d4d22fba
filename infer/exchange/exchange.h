/* SPDX-License-Identifier: MIT */
/*
 * Machines and words in the formats of others, see ktail-exchange(5).
 *
 * Functions on different objects may run at the same time.
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

/* "machine" of one that was read from a file that is none of ours. */
#define KT_FSM_IMPORTED "imported"

/* Whose reader a DOT file is for. */
enum kt_dot_dialect {
	KT_DOT_KTAIL = 0, /* all that fsm.json says: comes back as it was */
	KT_DOT_AALPY,     /* a DFA as AALpy saves and loads it */
	KT_DOT_LEARNLIB,  /* a DFA as LearnLib's AutomataLib writes and parses it */
	KT_DOT_NAMES, /* KT_DOT_KTAIL for people: labels are names, `letter` the letters */
};

/* The dialect called "ktail", "aalpy" or "learnlib". KT_E_USAGE if it is none. */
KT_EXPORT int kt_dot_dialect_of(const char *name, enum kt_dot_dialect *out);

/*
 * Writes a machine as a DOT file that a program is to read: every state, every transition,
 * no drawing. AALpy and LearnLib get the language alone, and all states accept. A letter
 * is the label of an edge; with KT_DOT_NAMES, of a letter that has a name, that is, and the
 * letter stands beside it.
 *
 * KT_E_USAGE if a letter is one that AALpy's reader would change: one with a quotation
 * mark, a backslash, blanks at an end, or braces around it. O(size).
 */
KT_EXPORT int kt_fsm_write_dot(const struct kt_fsm *fsm, enum kt_dot_dialect dialect,
			       FILE *out);

/*
 * Reads a machine from a DOT file of any of the dialects; `name` stands in messages. What
 * the dialect "ktail" says is checked as kt_fsm_read_json() does, and comes back whole.
 *
 * Any other file is a machine that was not inferred: "machine" is KT_FSM_IMPORTED, there is
 * no k, nothing is counted, states are numbered breadth first from the start, and those
 * that are not reached are left out. An edge without a label, the only one of its tail,
 * shows where it begins. Where some state is a doublecircle, the others reject: what leads
 * to a state that accepts nothing any more is left out. Where none is, all accept. The
 * letter of an edge is its attribute `letter` or, without one, its label; that of a Mealy
 * machine's edge is `input/output`, of a Moore machine's `input/output`
 * with what the target puts out.
 *
 * KT_E_MALFORMED if it is no directed graph, has not one beginning, is not deterministic,
 * or if a state that rejects leads to one that accepts (ours accept every prefix).
 * O(size log size); memory a third more than kt_fsm_read_json() takes.
 */
KT_EXPORT int kt_fsm_read_dot(struct kt_fsm **out, FILE *in, const char *name);

/* Writes all that fsm.json says as GraphML. KT_E_USAGE if XML has no such letter. O(size).
 */
KT_EXPORT int kt_fsm_write_graphml(const struct kt_fsm *fsm, FILE *out);

/*
 * Reads what kt_fsm_write_graphml() wrote, also where another program has read it and
 * written it again with all its data. Nothing else is opened; document types are refused.
 * KT_E_MALFORMED on anything else. O(size log size).
 */
KT_EXPORT int kt_fsm_read_graphml(struct kt_fsm **out, FILE *in, const char *name);

/*
 * Writes words in the Abbadingo format, each as a positive example. Names, losses and cuts
 * are not said there. Letters keep their letters and digits, any other byte becomes _XX
 * (two lower-case hexadecimal digits), as FlexFringe takes no other symbols. O(letters).
 */
KT_EXPORT int kt_words_write_abbadingo(const kt_words *words, FILE *out);

struct kt_abbadingo_report {
	uint64_t words;      /* examples that became words */
	uint64_t negative;   /* skipped: their label is 0 */
	uint64_t unlabelled; /* skipped: their label is -1 */
	uint64_t attributes; /* symbols whose attributes or data were dropped */
};

/*
 * Appends the examples of an Abbadingo file, or of FlexFringe's variants of it, as words
 * called NAME.0, NAME.1, ...; `path` stands in messages. *report may be NULL.
 *
 * KT_E_MALFORMED if a line is not what it should be, or there are not as many examples as
 * the first line says; the set then holds what was read before. O(letters).
 */
KT_EXPORT int kt_words_read_abbadingo(kt_words *words, FILE *in, const char *path,
				      const char *name, struct kt_abbadingo_report *report);

#ifdef __cplusplus
}
#endif
#endif
