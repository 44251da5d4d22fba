/* SPDX-License-Identifier: MIT */
/* Runs a script: on libcuda's channel, or only in thought. */
#ifndef KTAIL_RAW_RUN_H
#define KTAIL_RAW_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "raw/channel/raw.h"
#include "raw/text/script.h"

struct kt_raw_run {
	FILE *out;  /* Weak: what the script prints, and a line for each submission */
	bool force; /* submit what the checks refuse */
	bool verbose; /* print libcuda's channels and mappings to standard error */
	struct kt_raw_options channel;
};

/*
 * Allocates the buffers, checks the script, and does its steps. `script` must not be
 * resolved yet. *differs becomes whether memory was not as the script expects; the script
 * then ends. A status with a message: KT_E_MALFORMED if the checks refuse the script,
 * KT_E_IO, KT_E_MEMORY.
 */
int kt_raw_run(const struct kt_raw_run *run, struct kt_raw_script *script, bool *differs);

/*
 * Checks the script for a channel of the classes that it names and for buffers at made-up
 * addresses, and prints the entries and dwords that would be submitted.
 */
int kt_raw_dry_run(const struct kt_raw_run *run, struct kt_raw_script *script);

#endif
