/* SPDX-License-Identifier: MIT */
/*
 * Rules that say what a letter of a trace means, in a person's words: ktail-labels(5). A
 * rule is a set of conditions on facts of the event that gave the letter, a label and its
 * role. The first that fits counts.
 */
#ifndef KTAIL_ANNOTATE_LABEL_RULES_H
#define KTAIL_ANNOTATE_LABEL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "annotate/meaning/label-role.h"

/* What is known of an event; see ktail-labels(5) for what each says. */
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

/* By fact; NULL: the event has none. */
struct kt_facts {
	const char *values[KT_FACTS];
};

typedef struct kt_label_rules kt_label_rules;

/* What a rule says; the texts are the rules'. */
struct kt_label_rule {
	const char *label; /* {FACT} in it stands for the fact's value */
	enum kt_label_role role;
	const char *source;
	size_t line; /* in its file, from 1 */
};

/* "call-kind", ...; static. */
const char *kt_fact_name(enum kt_fact fact);

/*
 * Reads rules; `name` stands in messages: "read NAME: line 3: ...". The caller owns *out.
 * KT_E_MALFORMED, KT_E_IO, KT_E_MEMORY.
 */
int kt_label_rules_read(kt_label_rules **out, FILE *in, const char *name);

/* The table that comes with the program. KT_E_MEMORY. */
int kt_label_rules_default(kt_label_rules **out);

/* NULL is allowed. */
void kt_label_rules_free(kt_label_rules *rules);

size_t kt_label_rules_count(const kt_label_rules *rules);

/* The i-th, in order of the file. */
const struct kt_label_rule *kt_label_rules_at(const kt_label_rules *rules, size_t i);

/* The first that fits, from the i-th on up to the end-th; `end` if none does. O(end - i).
 */
size_t kt_label_rules_match(const kt_label_rules *rules, const struct kt_facts *facts,
			    size_t i, size_t end);

/*
 * A label with what its braces stand for ("?" where a fact has no value), printable; the
 * caller frees *out. KT_E_MEMORY.
 */
int kt_label_format(char **out, const struct kt_label_rule *rule,
		    const struct kt_facts *facts);

#endif
