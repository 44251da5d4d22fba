/* SPDX-License-Identifier: MIT */
/*
 * Rules that explain letters of a trace in plain words: ktail-labels(5). A rule has a
 * label, a role, and conditions on facts of the event that gave the letter. A letter gets
 * the label and role of the first rule that matches.
 *
 * The same file can have rules for the states of the distilled machine. These rules are
 * kept apart, in one list for each column. They have the name of a state instead of a
 * label. Rules that merge states of the machine are in a further list, and have a name for
 * the merged state.
 */
#ifndef KTAIL_ANNOTATE_LABEL_RULES_H
#define KTAIL_ANNOTATE_LABEL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "annotate/meaning/label-role.h"

/* Facts of an event, as described in ktail-labels(5). */
enum kt_fact {
	KT_FACT_EVENT,
	KT_FACT_LETTER,
	KT_FACT_DEVICE,
	KT_FACT_NR,
	KT_FACT_REQUEST,
	KT_FACT_CLASS,
	KT_FACT_KIND,
	KT_FACT_BEFORE,
	KT_FACT_COMMAND,
	KT_FACT_STATUS,
	KT_FACT_ACTION,
	KT_FACT_SPACE,
	KT_FACT_OP,
	KT_FACT_OFFSET,
	KT_FACT_ROLE,
	KT_FACT_AT,
	KT_FACT_READS,
	KT_FACT_NEXT,
	KT_FACT_WORK,
	KT_FACT_CALL,
	KT_FACT_CALL_KIND,
	KT_FACT_PHASE,
	KT_FACT_LABEL,
	KT_FACT_AFTER,
	KT_FACT_IN,
	KT_FACT_OUT,
	KT_FACTS,
};

/* The columns of the distilled machine. */
enum kt_state_column { KT_COLUMN_USER, KT_COLUMN_SYSTEM, KT_COLUMNS };

/* The maximum number of states of a column. */
#define KT_COLUMN_STATES 64

/* Value of each fact; NULL: the event does not have the fact. */
struct kt_facts {
	const char *values[KT_FACTS];
};

typedef struct kt_label_rules kt_label_rules;

/* A condition FACT=PATTERNS or FACT!=PATTERNS of a rule. */
struct kt_rule_condition {
	enum kt_fact fact;
	bool negated;
	const char *patterns; /* Weak: owned by the kt_label_rules; such as "a|b*" */
};

/* A rule without its conditions. The texts are owned by the kt_label_rules. */
struct kt_label_rule {
	const char *label; /* each {FACT} stands for the value of that fact */
	enum kt_label_role role;
	const char *source; /* source of the knowledge, or reason of a state, for readers */
	size_t state;       /* in the rules of a column: index of the state */
	size_t line;        /* line number in the file, from 1 */
};

/* Returns the name of a fact, such as "call-kind". Static storage. */
const char *kt_fact_name(enum kt_fact fact);

/* A state of a column. The texts are owned by the kt_label_rules. */
struct kt_column_state {
	const char *name;
	const char *source;
};

/*
 * Reads rules. `name` is used in messages: "read NAME: line 3: ...". If the file has no
 * rules for labels, or no states of a column, the built-in rules or states are used
 * instead. The caller owns *out, which is NULL on failure. KT_E_MALFORMED, KT_E_IO,
 * KT_E_MEMORY.
 */
int kt_label_rules_read(kt_label_rules **out, FILE *in, const char *name);

/* Reads the built-in rules. The caller owns *out. KT_E_MEMORY. */
int kt_label_rules_default(kt_label_rules **out);

/* NULL is allowed. */
void kt_label_rules_free(kt_label_rules *rules);

size_t kt_label_rules_count(const kt_label_rules *rules);

/* Returns the rule with index i, in the order of the file. */
const struct kt_label_rule *kt_label_rules_at(const kt_label_rules *rules, size_t i);

/* Returns the index of the first matching rule in [i, end), or `end` if none. O(end - i).
 */
size_t kt_label_rules_match(const kt_label_rules *rules, const struct kt_facts *facts,
			    size_t i, size_t end);

/*
 * Returns whether `text` matches one of the patterns in patterns[0..length), which are
 * separated by |. In a pattern, * matches any characters. O(length * length of text).
 */
bool kt_patterns_fit(const char *patterns, size_t length, const char *text);

/*
 * Returns the rules that merge states of the machine, perhaps none. `rules` owns them. In
 * the condition `after`, patterns for successive letters are separated by commas.
 */
const kt_label_rules *kt_label_rules_merges(const kt_label_rules *rules);

/* Returns the conditions of the rule with index i, and sets *n to their number. */
const struct kt_rule_condition *kt_label_rules_conditions(const kt_label_rules *rules,
							  size_t i, size_t *n);

/* Returns the file as it was read; NULL for the built-in rules. `rules` owns it. */
const char *kt_label_rules_text(const kt_label_rules *rules);

/*
 * Returns the rules of a column: the last of them matches all facts. `rules` owns them.
 */
const kt_label_rules *kt_label_rules_column(const kt_label_rules *rules,
					    enum kt_state_column column);

/*
 * Returns the states of a column, at least three, from top to bottom, and sets *n to their
 * number. `column` is from kt_label_rules_column(), and owns them.
 */
const struct kt_column_state *kt_column_states(const kt_label_rules *column, size_t *n);

/*
 * Formats a rule's label with the values of facts, or "?" for a fact without a value.
 * Unprintable bytes become '?'. The caller frees *out. KT_E_MEMORY.
 */
int kt_label_format(char **out, const struct kt_label_rule *rule,
		    const struct kt_facts *facts);

#endif
