/* SPDX-License-Identifier: MIT */
/* Evaluates a system call filter (seccomp(2)) by running its classic BPF program. */
#ifndef KTAIL_COLLECT_FILTER_PROGRAM_H
#define KTAIL_COLLECT_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct sock_fprog;

/*
 * Returns the filter's action (SECCOMP_RET_*) for a call. If the filter cannot be read, the
 * kernel will refuse to install it, so the result is SECCOMP_RET_ALLOW. O(instructions).
 */
uint32_t kt_filter_action(const struct sock_fprog *program, long number,
			  const uint64_t arguments[6]);

/* Returns whether the filter would prevent the recorder or LTTng from continuing. */
bool kt_filter_is_against_us(const struct sock_fprog *program);

#endif
