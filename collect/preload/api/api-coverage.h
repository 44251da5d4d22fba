/* SPDX-License-Identifier: MIT */
/* What became of the API's entry points: told at the end of a process. */
#ifndef KTAIL_COLLECT_API_COVERAGE_H
#define KTAIL_COLLECT_API_COVERAGE_H

/*
 * Emits api_coverage events, if API calls are traced by wrappers: of each function that was
 * wrapped or went past us, and one for what each library exports besides. The lock is held.
 */
void kt_api_coverage_emit(void);

/* In a forked child: what is unseen is counted by its parent. */
void kt_api_coverage_after_fork(void);

#endif
