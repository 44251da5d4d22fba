/* SPDX-License-Identifier: MIT */
/*
 * Assigns each letter to a state of a column of the distilled machine, by the rules of the
 * column (annotate/rules/states.tsv). The rules depend on the letter, its label, the role
 * of the label, and the letter's phase.
 *
 * States whose source names figure 4 of Menychtas, Shen and Scott (USENIX ATC 2013) are
 * those of the figure. The other states cover what drivers of the 2020s do in addition
 * (docs/internals/annotate.md has the reasons).
 */
#ifndef KTAIL_ANNOTATE_DISTIL_RULES_H
#define KTAIL_ANNOTATE_DISTIL_RULES_H

#include <stdbool.h>

#include "annotate/meaning/label-role.h"
#include "annotate/meaning/label-rules.h"
#include "decode/api-functions.h"

/* Meaning of a letter, as the input of the rules. */
struct kt_distil_facts {
	enum kt_label_role role;
	enum kt_api_phase phase;
	const char *letter;
	const char *label; /* NULL: none */
	bool doorbell;
};

/* Returns whether figure 4 of the paper has this state. */
bool kt_distilled_in_paper(const struct kt_column_state *state);

/* Whether a letter may take the state of another letter of the same thread and word. */
struct kt_distil_ties {
	/*
	 * The letter takes the state of the thread's next doorbell in the same call if all
	 * letters of the thread in between have `prepares` set, too.
	 */
	bool prepares;
	/*
	 * The letter may take the state of the thread's previous letter, unless that letter
	 * has taken the state of a doorbell.
	 */
	bool polls;
};

/* Says how other letters may change the letter's state in the user's column. */
struct kt_distil_ties kt_distil_ties_of(const struct kt_distil_facts *facts);

/* Returns the rule of a column for a letter, without regard to other letters. */
const struct kt_label_rule *kt_distil_rule(const kt_label_rules *column,
					   const struct kt_distil_facts *facts);

#endif
