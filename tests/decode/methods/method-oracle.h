/* SPDX-License-Identifier: MIT */
/*
 * Finds, for tests, the methods of a segment, in another way than decode/method-stream.c:
 * all at once, with shifts and masks written out.
 */
#ifndef KTAIL_TESTS_METHOD_ORACLE_H
#define KTAIL_TESTS_METHOD_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/method-stream.h"

/*
 * The header whose data continue in the next segment. There is none if all members are
 * zero.
 */
struct kt_method_open {
	uint32_t header;
	uint32_t given; /* dwords of data that earlier segments contained */
};

/*
 * Writes at most `n` methods to out (a dword gives at most one) and their number to *found.
 * Returns how the stream ends, and stores in *at where it ends. *open is the header whose
 * data the previous segment left incomplete, and becomes the header whose data this segment
 * leaves incomplete.
 */
enum kt_method_status kt_method_oracle(struct kt_method_open *open, const uint32_t *words,
				       size_t n, struct kt_method *out, size_t *found,
				       size_t *at);

#endif
