/* SPDX-License-Identifier: MIT */
/* The command line of ktail policy. */
#ifndef KTAIL_ANNOTATE_POLICY_OPTIONS_H
#define KTAIL_ANNOTATE_POLICY_OPTIONS_H

#include <stdbool.h>

#include "base/option-table.h"
#include "infer/files/output.h"
#include "infer/words/split/collect.h"
#include "infer/words/split/trace-filter.h"

struct kt_policy_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	const char *check;     /* Weak: the list to compare with; NULL: none */
	bool exact;
	enum kt_source source;
	struct kt_trace_filter part; /* Owned by this; kt_trace_filter_clear() */
	struct kt_outputs outputs;   /* Owned by this; kt_outputs_clear() */
};

/*
 * Moves the operands to the front of argv, and sets *n_operands. KT_E_USAGE with a
 * message.
 */
int kt_policy_options_parse(struct kt_policy_options *out, int argc, char **argv,
			    int *n_operands);

extern const struct kt_command_line kt_policy_command;

/* The formats in which a struct kt_needs can be written. */
extern const struct kt_output_kind kt_output_policy;

/* Returns whether any output is a seccomp profile. */
bool kt_policy_has_seccomp(const struct kt_policy_options *options);

#endif
