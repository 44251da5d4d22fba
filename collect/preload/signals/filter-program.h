/* SPDX-License-Identifier: MIT */
/* What a system call filter (seccomp(2)) says: found by running it, classic BPF. */
#ifndef KTAIL_COLLECT_FILTER_PROGRAM_H
#define KTAIL_COLLECT_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct sock_fprog;

/*
 * The action (SECCOMP_RET_*) of the filter for a call; ALLOW where it cannot be read, which
 * the kernel refuses. O(instructions).
 */
uint32_t kt_filter_action(const struct sock_fprog *program, long number,
			  const uint64_t arguments[6]);

/* Whether the recorder or LTTng cannot go on after it. */
bool kt_filter_is_against_us(const struct sock_fprog *program);

#endif
