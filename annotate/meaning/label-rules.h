/* SPDX-License-Identifier: MIT */
/*
 * Rules that explain letters of a trace in plain words: ktail-labels(5). A rule has a label,
 * a role, and conditions on facts of the event that gave the letter. A letter gets the label
 * and role of the first rule that matches.
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
	KT_FACTS,
};

/* Value of each fact; NULL: the event does not have the fact. */
struct kt_facts {
	const char *values[KT_FACTS];
};

typedef struct kt_label_rules kt_label_rules;

/* A rule without its conditions. The texts are owned by the kt_label_rules. */
struct kt_label_rule {
	const char *label; /* each {FACT} stands for the value of that fact */
	enum kt_label_role role;
	const char *source; /* source of the knowledge, for readers */
	size_t line;        /* line number in the file, from 1 */
};

/* Returns the name of a fact, such as "call-kind". Static storage. */
const char *kt_fact_name(enum kt_fact fact);

/*
 * Reads rules. `name` is used in messages: "read NAME: line 3: ...". The caller owns *out,
 * which is NULL on failure. KT_E_MALFORMED, KT_E_IO, KT_E_MEMORY.
 */
int kt_label_rules_read(kt_label_rules **out, FILE *in, const char *name);

/* Reads the built-in rules. The caller owns *out. KT_E_MEMORY. */
int kt_label_rules_default(kt_label_rules **out);

/* NULL is allowed. */
void kt_label_rules_free(kt_label_rules *rules);

size_t kt_label_rules_count(const kt_label_rules *rules);

/* Returns the rule with index i, in the order of the file. */
const struct kt_label_rule *kt_label_rules_at(const kt_label_rules *rules, size_t i);

/* Returns the index of the first matching rule in [i, end), or `end` if none. O(end - i). */
size_t kt_label_rules_match(const kt_label_rules *rules, const struct kt_facts *facts,
			    size_t i, size_t end);

/*
 * Formats a rule's label with the values of facts, or "?" for a fact without a value.
 * Unprintable bytes become '?'. The caller frees *out. KT_E_MEMORY.
 */
int kt_label_format(char **out, const struct kt_label_rule *rule,
		    const struct kt_facts *facts);

#endif
