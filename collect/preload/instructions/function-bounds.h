/* SPDX-License-Identifier: MIT */
/*
 * Where the function lies that an instruction belongs to, as the library's own unwind table
 * has it (.eh_frame_hdr, sorted by address; Linux Standard Base, "Exception Frames").
 * Compilers put no data within a function of x86-64. Signal-safe.
 */
#ifndef KTAIL_COLLECT_FUNCTION_BOUNDS_H
#define KTAIL_COLLECT_FUNCTION_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * [*start, *end) of its instructions. false: not known, both are 0. O(log n) of the
 * library's functions.
 */
bool kt_function_bounds(uintptr_t ip, uintptr_t *start, uintptr_t *end);

#endif
