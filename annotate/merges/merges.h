/* SPDX-License-Identifier: MIT */
/*
 * States of a machine that are merged because a person says so: step c of the method of
 * Menychtas, Shen and Scott (USENIX ATC 2013). Rules of ktail-labels(5) choose states by
 * the letters around them or by what they mean; the option --merge chooses states by their
 * numbers.
 */
#ifndef KTAIL_ANNOTATE_MERGES_H
#define KTAIL_ANNOTATE_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "annotate/meaning/label-role.h"
#include "annotate/meaning/label-rules.h"

#define KT_NOT_MERGED UINT32_MAX

/* Who chose a state, and for which name. */
struct kt_merge_choice {
	uint32_t name; /* index in kt_merges.names, or KT_NOT_MERGED: not chosen */
	size_t line;   /* line of the rules; 0: the option */
	bool kept;     /* kt_merges.lines has its rule */
};

struct kt_merges {
	const kt_label_rules *rules; /* Weak */
	const char *rules_name;      /* Weak; NULL: the built-in rules */
	const char *fsm_name;        /* Weak */
	bool keep_lines;             /* make `lines` */
	char **names;                /* Owned by this: of the merged states */
	size_t n_names;
	size_t names_capacity;
	struct kt_merge_choice *choices; /* Owned by this: by number before the merge */
	size_t n_before;                 /* states before the merge */
	/* Owned by this: the number after the merge, by the number before the merge */
	uint32_t *after;
	size_t n_after;
	char *lines; /* Owned by this: rules for the states chosen by --merge, or NULL */
};

/* Returns whether a rule chooses states by labels, roles or phases. */
bool kt_merges_need_labels(const kt_label_rules *rules);

/*
 * Begins without chosen states; `rules`, `rules_name`, `fsm_name` and `keep_lines` must be
 * set and the rest zero. Free with kt_merges_free(). KT_E_MEMORY.
 */
int kt_merges_begin(struct kt_merges *merges, const struct kt_fsm *fsm);

/*
 * Chooses the states that the rules name. `roles` has the role of each state; `roles` may
 * be NULL, and the machine may lack labels, unless kt_merges_need_labels() is true.
 * KT_E_MALFORMED with file and line if no state fits a rule, if several states fit a rule
 * with the condition `after`, or if a state gets two names. O(rules * letters of their
 * names * machine).
 */
int kt_merges_choose(struct kt_merges *merges, const struct kt_fsm *fsm,
		     const enum kt_label_role *roles);

/*
 * Chooses states by their numbers, "3,7-9=NAME". With merges->keep_lines, adds rules that
 * choose the same states to merges->lines. KT_E_USAGE, also if a chosen state has no rule
 * that chooses this state alone.
 */
int kt_merges_add(struct kt_merges *merges, const struct kt_fsm *fsm, const char *option);

/*
 * Merges the chosen states. Does nothing if there are none. KT_E_USAGE if, to stay
 * deterministic, the machine would have to merge states with different names.
 */
int kt_merges_apply(struct kt_merges *merges, struct kt_fsm *fsm);

/* Returns whether states were chosen. */
bool kt_merges_any(const struct kt_merges *merges);

void kt_merges_free(struct kt_merges *merges);

#endif
