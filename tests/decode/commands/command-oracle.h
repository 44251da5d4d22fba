/* SPDX-License-Identifier: MIT */
/*
 * What methods start, found in another way than decode/command*.c: all registers of all
 * classes are kept, methods and fields are found by NVIDIA's names in decode/methods.h, and
 * inline data are written to a memory of bytes. It forgets nothing.
 * For tests; slow.
 */
#ifndef KTAIL_TESTS_COMMAND_ORACLE_H
#define KTAIL_TESTS_COMMAND_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

struct kt_command_oracle;

/* NULL: out of memory. */
struct kt_command_oracle *kt_command_oracle_new(uint32_t channel_class);
void kt_command_oracle_free(struct kt_command_oracle *oracle);

/*
 * Takes one method and says what is expected of it; pointers live until the next call. The
 * member `class_` is not filled.
 */
void kt_command_oracle_next(struct kt_command_oracle *oracle,
			    const struct kt_method *method, struct kt_decoded *out);

/*
 * Is what the decoder says the same? Of a launch it may know fewer words of the QMD once it
 * had to forget inline data.
 */
bool kt_command_oracle_agrees(const struct kt_command_oracle *oracle,
			      const struct kt_decoded *expected,
			      const struct kt_decoded *decoded);

#endif
