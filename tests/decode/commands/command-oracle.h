/* SPDX-License-Identifier: MIT */
/*
 * Finds, for tests, the commands that methods start. Works slowly and in another way than
 * decode/command*.c: the oracle keeps all registers of all classes, finds methods and
 * fields by NVIDIA's names in decode/methods.h, writes inline data to a memory of bytes,
 * and forgets nothing.
 */
#ifndef KTAIL_TESTS_COMMAND_ORACLE_H
#define KTAIL_TESTS_COMMAND_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

struct kt_command_oracle;

/* Returns NULL if there is no memory. */
struct kt_command_oracle *kt_command_oracle_new(uint32_t channel_class);
void kt_command_oracle_free(struct kt_command_oracle *oracle);

/*
 * Takes one method and returns the expected command; its pointers are valid until the next
 * call. The member `class_` is not filled.
 */
void kt_command_oracle_next(struct kt_command_oracle *oracle,
			    const struct kt_method *method, struct kt_decoded *out);

/*
 * Returns whether the decoder reports the expected command. The decoder may report fewer
 * dwords of a launch's QMD after it had to drop inline data.
 */
bool kt_command_oracle_agrees(const struct kt_command_oracle *oracle,
			      const struct kt_decoded *expected,
			      const struct kt_decoded *decoded);

#endif
