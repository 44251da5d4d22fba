/* SPDX-License-Identifier: MIT */
/*
 * Checks the commands of a script before anything is submitted: that they are complete and
 * of known classes, that they need no privilege, and that all addresses which they name lie
 * in memory of the script.
 */
#ifndef KTAIL_RAW_CHECK_H
#define KTAIL_RAW_CHECK_H

#include "raw/text/script.h"

/* The channel and the memory that the commands are for. */
struct kt_raw_target {
	uint32_t channel_class;
	const uint32_t *engines; /* Weak: classes of the engine objects below the channel */
	size_t n_engines;
	/* Weak: GPU addresses of the script's buffers, in their order */
	const uint64_t *addresses;
	size_t ring_entries;  /* most entries of one submission */
	size_t segment_words; /* most dwords of one submission */
};

/* `message` begins with FILE:LINE and is valid during the call. */
typedef void kt_raw_complain_fn(void *context, const char *message);

/*
 * Passes each problem to `complain`; sets *problems to their number. The script's words
 * must be resolved (kt_raw_script_resolve). KT_E_MEMORY with a message. O(methods *
 * buffers).
 */
int kt_raw_check(const struct kt_raw_script *script, const struct kt_raw_target *target,
		 kt_raw_complain_fn *complain, void *context, size_t *problems);

#endif
