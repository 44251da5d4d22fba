/* SPDX-License-Identifier: MIT */
/* Coverage of the API's entry points, reported at the end of a process. */
#ifndef KTAIL_COLLECT_API_COVERAGE_H
#define KTAIL_COLLECT_API_COVERAGE_H

/*
 * If API calls are traced by wrappers, emits api_coverage events: one for each function
 * that was wrapped or bypassed, and one per library with the number of its other exports.
 * The caller holds the lock.
 */
void kt_api_coverage_emit(void);

/*
 * Call in a forked child. If API libraries are loaded, the child does not count unobserved
 * functions, because its parent does.
 */
void kt_api_coverage_after_fork(void);

#endif
