/* SPDX-License-Identifier: MIT */
/* The command line of ktail replay. */
#ifndef KTAIL_ANNOTATE_REPLAY_OPTIONS_H
#define KTAIL_ANNOTATE_REPLAY_OPTIONS_H

#include <stdbool.h>

#include "base/option-table.h"
#include "infer/files/output.h"
#include "infer/words/split/collect.h"
#include "infer/words/split/trace-filter.h"

struct kt_replay_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	bool accesses;         /* list reads and writes of mapped memory */
	bool no_fold;          /* each repeat has a line of its own */
	bool strict;
	enum kt_source source;
	struct kt_trace_filter part; /* Owned by this */
	struct kt_outputs outputs;
};

extern const struct kt_command_line kt_replay_command;

/* The format of a listing (struct kt_replay). */
extern const struct kt_output_kind kt_replay_output;

/*
 * Parses the command line, and moves the operands to the front of argv. KT_E_USAGE,
 * KT_E_IO, KT_E_MEMORY. The caller frees what *out owns with kt_replay_options_clear(),
 * also on failure.
 */
int kt_replay_options_parse(struct kt_replay_options *out, int argc, char **argv,
			    int *n_operands);
void kt_replay_options_clear(struct kt_replay_options *options);

#endif
