/* SPDX-License-Identifier: MIT */
/*
 * Finds the methods of a segment for tests, in another way than decode/method-stream.c: all
 * at once, with shifts and masks written out.
 */
#ifndef KTAIL_TESTS_METHOD_ORACLE_H
#define KTAIL_TESTS_METHOD_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/method-stream.h"

/*
 * Writes at most `n` methods to out (a dword gives at most one) and their number to
 * *found. Returns how the stream ends, and stores in *at where it ends.
 */
enum kt_method_status kt_method_oracle(const uint32_t *words, size_t n,
				       struct kt_method *out, size_t *found, size_t *at);

#endif
