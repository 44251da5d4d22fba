/* SPDX-License-Identifier: MIT */
/*
 * Encoder of the alphabet `roles`, which ktail-alphabet(5) defines: gives accesses the
 * letters "R:ROLE" and "W:ROLE". It needs all records of a process: a first pass finds what
 * memory is for (roles.h), a second one names the accesses. All other letters are those of
 * the alphabet's rules.
 *
 * A run of letters ends where the mapping or the role changes.
 */
#ifndef KTAIL_WORDS_ROLE_LETTERS_H
#define KTAIL_WORDS_ROLE_LETTERS_H

#include <stddef.h>

#include "infer/words/commands/command-letters.h"

/*
 * A kt_encode_fn; the context is a struct kt_command_letters. O(n log ranges). Memory: one
 * copy of the records, and the ranges that have roles, until the process is encoded.
 */
int kt_role_letters_encode(void *context, const struct kt_record *records, size_t n,
			   struct kt_record **out, size_t *n_out);

/*
 * Its context is a struct kt_command_letters. Its functions for single records keep the
 * records and return all of them after the last one; they require that `forget` is set.
 */
extern const struct kt_encoding kt_role_encoding;

#endif
