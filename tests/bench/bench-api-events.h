/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_TESTS_BENCH_API_EVENTS_H
#define KTAIL_TESTS_BENCH_API_EVENTS_H

/*
 * Emits what the recorder emits for a call, an api_enter and an api_exit, without the
 * recorder. The provider must be loaded, as the recorder does; else nothing is emitted.
 */
void bench_two_events(void);

#endif
