/* SPDX-License-Identifier: MIT */
/*
 * Names a state by the letters that lead to it. Unlike its number, such a name usually
 * still fits when the machine is inferred again, from another trace or with another k. A
 * name is the value of the condition `after` in ktail-labels(5): patterns for successive
 * letters, separated by commas; the first may be ^, the start of words.
 */
#ifndef KTAIL_ANNOTATE_STATE_NAMES_H
#define KTAIL_ANNOTATE_STATE_NAMES_H

#include <stdbool.h>

#include <ktail/fsm.h>

#define KT_STATE_NAME_LETTERS 1000 /* maximum in a name from kt_state_names() */

/*
 * Sets in[s] for each state s that the letters lead to: from any state or, after ^, from
 * the start. KT_E_MEMORY. O(letters of the name * machine).
 */
int kt_states_after(bool *in, const struct kt_fsm *fsm, const char *name);

/*
 * Writes to names[s], for each state s with wanted[s], a name that leads to s alone. Among
 * the names with at most two letters more than the shortest, this is one whose letters were
 * read most often. The name of the start is ^. A name is NULL if no word leads to the state
 * alone, or only words of more than KT_STATE_NAME_LETTERS letters. The names of other
 * states are NULL, too. The caller frees all names, also on failure. KT_E_MEMORY. The
 * search for names without ^ ends after a million sets of states.
 */
int kt_state_names(char **names, const struct kt_fsm *fsm, const bool *wanted);

#endif
