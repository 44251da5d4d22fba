/* SPDX-License-Identifier: MIT */
/* How label rules are kept. Not for users of annotate/meaning/label-rules.h. */
#ifndef KTAIL_ANNOTATE_LABEL_TABLE_H
#define KTAIL_ANNOTATE_LABEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/meaning/label-rules.h"

struct kt_condition {
	enum kt_fact fact;
	bool negated;
	const char *patterns; /* the rules': "a|b*" */
};

struct kt_kept_rule {
	struct kt_label_rule rule;
	size_t first; /* of its conditions */
	size_t n;
};

struct kt_label_rules {
	char *text;                 /* Owned by this: the file, cut into pieces */
	struct kt_kept_rule *rules; /* Owned by this */
	size_t n_rules;
	size_t rules_capacity;
	struct kt_condition *conditions; /* Owned by this */
	size_t n_conditions;
	size_t conditions_capacity;
};

/* The fact of a name that is name[0..length). */
bool kt_fact_find(enum kt_fact *out, const char *name, size_t length);

#endif
