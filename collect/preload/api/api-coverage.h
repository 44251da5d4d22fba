/* SPDX-License-Identifier: MIT */
/* Coverage of the API's entry points, reported at the end of a process. */
#ifndef KTAIL_COLLECT_API_COVERAGE_H
#define KTAIL_COLLECT_API_COVERAGE_H

/*
 * Emits api_coverage events if API calls are traced by wrappers: one for each function that
 * was wrapped or bypassed, and one for the other exports of each library. The caller holds
 * the lock.
 */
void kt_api_coverage_emit(void);

/*
 * Call in a forked child: if API libraries are loaded, the parent counts the unobserved
 * functions, not the child.
 */
void kt_api_coverage_after_fork(void);

#endif
