/* SPDX-License-Identifier: MIT */
/* Which letters a reduction makes less of, and the one that stands for a run of them. */
#ifndef KTAIL_REDUCE_RUN_H
#define KTAIL_REDUCE_RUN_H

#include <ktail/reduce.h>

/* "(a|b)+", the letters in byte order; the caller frees it. */
int kt_reduce_name_run(char **out, const struct kt_reduction *reduction);

/* Whether a letter is made less of; what was taken as one before is a run, too. */
bool kt_reduce_is_among(const char *name, const char *run,
			const struct kt_reduction *reduction);

#endif
