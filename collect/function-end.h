/* SPDX-License-Identifier: MIT */
/*
 * Where the function ends that an instruction belongs to, as the library's own unwind table
 * has it (.eh_frame_hdr, sorted by address; Linux Standard Base, "Exception Frames").
 * Compilers put no data within a function of x86-64. Signal-safe.
 */
#ifndef KTAIL_COLLECT_FUNCTION_END_H
#define KTAIL_COLLECT_FUNCTION_END_H

#include <stdint.h>

/* The address behind its last instruction; 0: not known. O(log n) of the library's
 * functions. */
uintptr_t kt_function_end(uintptr_t ip);

#endif
