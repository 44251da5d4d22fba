/* SPDX-License-Identifier: MIT */
/* A program that uses all debug registers itself, as a debugger would. */
#define _GNU_SOURCE
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	static int watched[4];

	for (int i = 0; i < 4; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = PERF_TYPE_BREAKPOINT,
			.bp_type = HW_BREAKPOINT_W,
			.bp_addr = (uintptr_t)&watched[i],
			.bp_len = HW_BREAKPOINT_LEN_4,
			.exclude_kernel = 1,
		};

		/*
		 * If perf is refused altogether, the recorder has no watchpoints either,
		 * and observes the doorbells in the same way.
		 */
		(void)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	}
	printf("watched %d\n", watched[0]);
	run_submit();
	return 0;
}
