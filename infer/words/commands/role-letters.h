/* SPDX-License-Identifier: MIT */
/*
 * Encoder of the alphabet `roles`, which ktail-alphabet(5) defines: gives accesses the
 * letters "R:ROLE" and "W:ROLE", the first poll after a doorbell "R:poll", and doorbells
 * "W:doorbell" or "W:doorbell:unpolled". It needs all records of a process: a first pass
 * finds what memory is for (roles.h) and which reads are polls (command-polls.h), a second
 * one names accesses and doorbells. All other letters are those of the alphabet's rules.
 *
 * Runs are those of a thread: a run ends at an access with another role, or at another
 * letter of the thread. The encoder itself drops letters that the run already has, so the
 * runs of its records are KT_RUN_NONE.
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
